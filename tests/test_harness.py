"""Every safeguard of the lessons' tests, proved by a notebook that it must catch."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jupytext
import pytest
from nbformat import NotebookNode

from lesson_references import References, comparable, difference
from pages import FRONT_MATTER

ROOT = Path(__file__).parent.parent


# A bundle as jaxcourse leaves it, for verdicts that its functions would not show.
BUNDLE = """\
from IPython.display import display
display({{"application/vnd.jaxcourse.{kind}+json": {data}, "text/plain": "shown"}}, raw=True)"""

GOOD = [
    ("import jax\nfrom jaxcourse import claim, measure", []),
    ("key = jax.random.key(0)\njax.random.normal(key)", []),
    ("claim('two and two make `four`', 2 + 2 == 4, source='S3-25')", []),
    ("import time\nmeasure('the clock', time.perf_counter(), 's', was=1.0, source='S3-25')", []),
    ("print(time.perf_counter())", ["nbval-ignore-output"]),
    ("1 / 0", ["raises-exception"]),
    ("import warnings\nwarnings.warn('meant')", ["stderr-meant"]),
    ("import os\nos.listdir()", []),
]

# For each cell that must fail: source, tags, and words of the sentence that says why.
BAD = [
    (
        "from jaxcourse import claim\nclaim('two and two make five', 2 + 2 == 5)",
        [],
        "a claim is false: two and two make five",
    ),
    ("claim('a tag hides this', False)", ["raises-exception"], "a claim is false"),
    (
        BUNDLE.format(kind="claim", data='{"text": "shown and false", "holds": False}'),
        ["nbval-ignore-output"],
        "a claim is false: shown and false",
    ),
    (
        BUNDLE.format(kind="check", data='{"question": "complex-1", "passed": False, "hint": "conjugate"}'),
        ["nbval-ignore-output"],
        "check 'complex-1' did not pass",
    ),
    ("1 + 1", ["raises-exception", "nbval-ignore-output"], "tagged raises-exception, and raised nothing"),
    ("undefined", [], "the cell raised NameError: name 'undefined' is not defined"),
    ("print('never stored')", [], "has no stored reference"),
    ("import sys\nprint('oops', file=sys.stderr)", [], "the cell wrote to stderr"),
    (
        "import jax\nkey = jax.random.key(0)\na = jax.random.normal(key)\nb = jax.random.normal(key)",
        [],
        "the cell raised KeyReuseError",
    ),
    (
        "import warnings\nwarnings.warn('old', DeprecationWarning)",
        [],
        "caused a warning: DeprecationWarning: old",
    ),
    (
        "exec(\"import warnings; warnings.warn('ours')\", {'__name__': 'jaxcourse.timing'})",
        [],
        "caused a warning: UserWarning: ours",
    ),
]

# Cells whose stored output is changed after the fact: source, what is stored, what it becomes, and
# words of the sentence (None where the change is within the tolerance).
DIFFERS = "differs from its stored reference"
CHANGED = [
    ("print('a word')", "a word", "a sword", DIFFERS),
    ("print(0.5)", "0.5", "0.5002", None),
    ("print(1.5)", "1.5", "1.51", DIFFERS),
    ("print('8 devices')", "8 devices", "9 devices", DIFFERS),
    ("raise KeyError('x')", "KeyError", "IndexError", DIFFERS),
]


def notebook(cells) -> str:
    """Return a MyST notebook of (source, tags) cells."""
    text = FRONT_MATTER
    for source, tags in cells:
        option = ":tags: [" + ", ".join(tags) + "]\n" if tags else ""
        if tags == ["stderr-meant"]:
            option = "---\nmystnb:\n  output_stderr: show\n---\n"
        text += f"\n```{{code-cell}} python\n{option}{source}\n```\n"
    return text


def run_pytest(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
    """Run pytest with the lesson collector over the notebooks in `folder`."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-p", "lesson_collector", "-p", "no:cacheprovider"]
    path = os.pathsep.join([str(ROOT / "tests"), str(ROOT / "src")])
    return subprocess.run(
        [*command, "--rootdir", str(folder), "--nbval", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": path} | environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


def write(folder: Path, **notebooks) -> None:
    (folder / "lessons").mkdir(exist_ok=True)
    for name, cells in notebooks.items():
        (folder / "lessons" / f"{name}.md").write_text(notebook(cells))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Run good and bad notebooks; return what pytest printed, the record, and the folder."""
    folder = tmp_path_factory.mktemp("bad")
    changed = [(source, ["raises-exception"] * source.startswith("raise")) for source, *_ in CHANGED]
    write(folder, good=GOOD, changed=changed, short=[("print('first')", []), ("print('second')", [])])
    renewed = run_pytest(folder, "--update-reference")
    assert renewed.returncode == 0, renewed.stdout

    references = folder / "tests" / "reference" / "lessons"
    stored = (references / "changed.json").read_text()
    for _, old, new, _ in CHANGED:
        assert f'"{old}"' in stored
        stored = stored.replace(f'"{old}"', f'"{new}"')
    (references / "changed.json").write_text(stored)
    write(
        folder,
        bad=[cell[:2] for cell in BAD],
        dead=[("x = 1", []), ("import os\nos.abort()", []), ("x", []), ("x + 1", [])],
        slow=[("import time\ntime.sleep(60)", []), ("1", [])],
        short=[("print('first, edited')", [])],
        unreadable=[],
    )
    (folder / "lessons" / "unreadable.md").write_text("# No header\n")
    # Exported settings must not reach the lessons: float64 would change what the good one prints.
    options = ["--record=record.json", "--nbval-cell-timeout=10", "-n2", "--dist=loadfile", "-rs"]
    done = run_pytest(folder, *options, JAX_ENABLE_X64="1")
    assert done.returncode == 1, done.stdout + done.stderr
    record = json.loads((folder / "record.json").read_text())
    return done.stdout, {Path(each["path"]).stem: each for each in record["notebooks"]}, folder


def failure_of_cell(record: dict, number: int, cells) -> str | None:
    """Return the sentence with which cell `number` (from 0) of a notebook failed."""
    line = notebook(cells[:number]).count("\n") + 2
    return {failure["line"]: failure["sentence"] for failure in record["failures"]}.get(line)


def test_a_good_notebook_passes_and_is_recorded(run):
    _, record, _ = run
    good = record["good"]
    assert good["failures"] == []
    assert good["cells"] == len(GOOD)
    assert good["claims"] == [{"text": "two and two make `four`", "holds": True, "source": "S3-25"}]
    (measured,) = good["measures"]
    assert (measured["unit"], measured["was"]) == ("s", 1.0)


@pytest.mark.parametrize("number", range(len(BAD)), ids=[words for *_, words in BAD])
def test_a_bad_cell_fails_with_its_own_sentence(run, number):
    printed, record, _ = run
    sentence = failure_of_cell(record["bad"], number, [cell[:2] for cell in BAD])
    assert sentence is not None, f"passed: {BAD[number][0]}"
    assert BAD[number][2] in sentence
    line = notebook([cell[:2] for cell in BAD[:number]]).count("\n") + 2
    assert f"lessons/bad.md:{line}: {sentence}" in printed


@pytest.mark.parametrize("number", range(len(CHANGED)), ids=[f"{old}-{new}" for _, old, new, _ in CHANGED])
def test_output_is_compared_with_the_reference(run, number):
    _, record, _ = run
    cells = [(source, ["raises-exception"] * source.startswith("raise")) for source, *_ in CHANGED]
    sentence = failure_of_cell(record["changed"], number, cells)
    words = CHANGED[number][3]
    assert (sentence is None) if words is None else (words in (sentence or ""))


def test_an_edited_cell_asks_for_a_new_reference(run):
    printed, record, _ = run
    assert "changed since its reference was stored" in record["short"]["failures"][0]["sentence"]
    assert "pytest lessons/short.md --update-reference" in printed


def test_a_dead_kernel_is_one_failure(run):
    printed, record, _ = run
    (failure,) = record["dead"]["failures"]
    assert failure["sentence"] == "the kernel died in cell 2 (SIGABRT)"
    assert "SKIPPED [2]" in printed
    assert record["dead"]["cells"] == 4


def test_a_kernel_that_does_not_start_is_one_failure(tmp_path):
    write(tmp_path, any=[("1", []), ("2", [])])
    (tmp_path / "ipykernel_launcher.py").write_text("raise SystemExit(1)\n")
    done = run_pytest(tmp_path, PYTHONPATH=os.pathsep.join([str(tmp_path), str(ROOT / "tests")]))
    assert "lessons/any.md:13: the kernel did not start" in done.stdout
    assert "1 failed, 1 skipped" in done.stdout


def test_a_cell_that_takes_too_long_is_one_failure(run):
    _, record, _ = run
    (failure,) = record["slow"]["failures"]
    assert "cell 1 ran longer than the limit of 10 s" in failure["sentence"]


def test_a_notebook_without_header_is_an_error(run):
    _, record, _ = run
    assert "no jupytext header" in record["unreadable"]["failures"][0]["sentence"]


def test_update_reference_keeps_only_what_is_there(run):
    """It drops entries of cells that are gone or edited, and the file of a notebook that prints nothing."""
    *_, folder = run
    path = folder / "tests" / "reference" / "lessons" / "short.json"
    assert set(References(path).cells) == {"1", "2"}
    run_pytest(folder, "lessons/short.md", "--update-reference")
    assert References(path).cells["1"]["outputs"] == [{"stdout": ["first, edited"]}]
    assert set(References(path).cells) == {"1"}
    References(path).renew({1: "x = 1"}, {1: []})
    assert not path.exists()


def test_gpu_without_one_runs_nothing(tmp_path):
    write(tmp_path, any=[("print('ran')", [])])
    done = run_pytest(tmp_path, "--device=gpu", CUDA_VISIBLE_DEVICES="")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--device gpu: JAX finds no GPU on this machine, so nothing ran" in done.stderr
    assert "collected" not in done.stdout


def test_a_lesson_that_leaves_the_gpu_fails(tmp_path):
    """Even if the machine has a GPU: a lesson's kernel must be able to see it."""
    write(tmp_path, any=[("import jax", []), ("jax.config.update('jax_platforms', 'cpu')", [])])
    (tmp_path / "pretended_gpu.py").write_text(
        "import lesson_devices\n"
        "lesson_devices.describe = lambda _: {'kind': 'Pretended', 'platform': 'gpu', 'count': 1}\n"
    )
    path = os.pathsep.join([str(tmp_path), str(ROOT / "tests")])
    done = run_pytest(tmp_path, "--device=gpu", "-p", "pretended_gpu", PYTHONPATH=path)
    assert "lessons/any.md:17: with --device gpu, the lesson's JAX ended up on cpu" in done.stdout
    assert "1 failed, 1 passed" in done.stdout


def test_references_are_not_made_of_uncompared_runs(tmp_path):
    done = run_pytest(tmp_path, "--update-reference", "--nbval-lax")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--update-reference stores what CPU devices print" in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "agree"),
    [
        ("[0.71106076  2.]", "[0.71106079 2.  ]", True),
        ("[1. -4.4e-08]", "[1.  1.2e-08]", True),
        ("1.192e-07", "2.22e-16", False),
        ("1.+2.j", "1.-2.j", False),
        ("f32[8,128]", "f32[8,129]", False),
        ("[1 2]", "[1. 2.]", False),
        ("float32 0.5", "float64 0.5", False),
        ("nan", "0.0", False),
        ("<f at 0x7f30c1a2b3c0>", "<f at 0x7f99c1a2b3c0>", True),
        ("8 devices (JAX 0.10.2)", "8 devices (JAX 0.12.0.1)", True),
    ],
)
def test_numeric_tolerance(old, new, agree):
    printed = [comparable([_stdout(text)]) for text in (old, new)]
    assert (difference(*printed) == "") == agree


def _stdout(text: str) -> NotebookNode:
    return NotebookNode(output_type="stream", name="stdout", text=text)


def test_no_stored_reference_is_stale():
    """Each reference belongs to a cell as it is now: `--update-reference` drops the others."""
    for path in sorted((ROOT / "tests" / "reference").rglob("*.json")):
        lesson = ROOT / path.parent.name / f"{path.stem}.md"
        assert lesson.exists(), f"{path.relative_to(ROOT)} belongs to no lesson: delete it"
        cells = [cell.source for cell in jupytext.read(lesson).cells if cell.cell_type == "code"]
        stale = References(path).stale(dict(enumerate(cells, start=1)))
        assert stale == [], f"run `pytest {lesson.relative_to(ROOT)} --update-reference`"

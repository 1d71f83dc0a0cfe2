"""A pytest plugin that runs the notebooks in lessons/ and solutions/, straight from MyST, through nbval.

One test a code cell, one fresh kernel a notebook. nbval executes; what counts as a failure is decided here:

- a false claim or a check that did not pass, also where outputs are not compared;
- an error, unless the cell is tagged `raises-exception`; then the absence of one;
- anything on stderr, unless the cell's metadata says `mystnb: {output_stderr: show}`;
- text that differs from tests/reference/, unless the cell is tagged `nbval-ignore-output` or another release
  of JAX runs than the one that the reference was stored with.
"""

import re
import tempfile
from pathlib import Path

import pytest
from jupytext.myst import myst_to_notebook
from nbval.plugin import IPyNbCell, IPyNbFile, NbCellError

import lesson_devices
from lesson_kernel import KernelDiedError, LessonKernel
from lesson_record import PROPERTY, RunRecorder
from lesson_references import CHECK, CLAIM, MEASURE, References, comparable

FOLDERS = ("lessons", "solutions")

_ANSI = re.compile(r"\x1b\[[0-9;]*m")

# What the compiler's C++ side logs about a slow or loaded machine. It is no output of the lesson.
_RUNTIME_LOG = re.compile(
    r"^([IWE]\d{4} |\d{4}-\d\d-\d\d ).*\.(cc|h):\d+\]|^\*{20,}$|Very slow compile\?|^The operation took "
    r"|^WARNING: All log messages before absl"
)


def pytest_addoption(parser):
    group = parser.getgroup("lessons", "the book's lessons")
    group.addoption(
        "--device",
        choices=[lesson_devices.CPU8, lesson_devices.GPU],
        default=lesson_devices.CPU8,
        help="run lessons on 8 simulated CPU devices (default) or on this machine's GPUs",
    )
    group.addoption(
        "--record", metavar="PATH", type=Path, help="write what ran, held and was measured as JSON"
    )
    group.addoption(
        "--update-reference", action="store_true", help="store what the lessons print now as their references"
    )


def pytest_configure(config):
    device = config.option.device
    if config.option.update_reference and not _compares(config):
        raise pytest.UsageError(
            "--update-reference stores what CPU devices print: drop --device and --nbval-lax"
        )
    if hasattr(config, "workerinput"):
        return
    # Only the controlling process looks at the devices, so that nothing is collected in vain.
    try:
        devices = lesson_devices.describe(device)
    except lesson_devices.NoGpuError as error:
        raise pytest.UsageError(
            f"--device gpu: JAX finds no GPU on this machine, so nothing ran ({error})"
        ) from None
    if config.option.record:
        config.pluginmanager.register(RunRecorder(config.option.record, devices), "run-recorder")


def pytest_collect_file(file_path, parent):
    folder = file_path.parent
    if file_path.suffix == ".md" and folder.name in FOLDERS and folder.parent == parent.config.rootpath:
        return LessonFile.from_parent(parent, path=file_path)
    return None


def _compares(config) -> bool:
    return config.option.device == lesson_devices.CPU8 and not config.option.nbval_lax


class LessonFile(IPyNbFile):
    """One notebook, its kernel and its references."""

    kernel: LessonKernel | None = None
    # Why no further cell can run, once a cell has brought the kernel down.
    ended: str | None = None
    not_started: str | None = None

    def collect(self):
        try:
            notebook = myst_to_notebook(self.path.read_text(encoding="utf-8"), add_source_map=True)
        except Exception as error:
            raise self.CollectError(
                f"{self._shown_path}: jupytext cannot read this notebook: {error}"
            ) from error
        written_as = notebook.metadata.get("jupytext", {}).get("text_representation", {}).get("format_name")
        if written_as != "myst":
            raise self.CollectError(f"{self._shown_path}: the front matter has no jupytext header for MyST")
        places = zip(notebook.metadata["source_map"], notebook.cells, strict=True)
        cells = [(line, cell) for line, cell in places if cell.cell_type == "code"]
        self.sources = {number: cell.source for number, (_, cell) in enumerate(cells, start=1)}
        self.printed: dict[int, list[dict]] = {}
        stem = self.path.relative_to(self.config.rootpath).with_suffix(".json")
        self.references = References(self.config.rootpath / "tests" / "reference" / stem)
        for number, (line, cell) in enumerate(cells, start=1):
            yield LessonCell.from_parent(
                self, name=_name(number, cell.source), cell_num=number, cell=cell, options={}, line=line
            )

    def setup(self):
        # An empty folder, so that no lesson comes to depend on the files around it, or leaves any behind.
        self.folder = tempfile.TemporaryDirectory(prefix="jaxcourse-", ignore_cleanup_errors=True)
        try:
            self.kernel = LessonKernel(
                cwd=self.folder.name,
                env=lesson_devices.kernel_environment(self.config.option.device),
                startup_timeout=self.config.option.nbval_kernel_startup_timeout,
            )
        except (RuntimeError, KernelDiedError) as error:
            # Raised here, it would fail every cell; the first cell says it once.
            self.not_started = f"the kernel did not start: {error}"

    def teardown(self):
        self._stop_kernel()
        self.folder.cleanup()
        if self.config.option.update_reference:
            self.references.renew(self.sources, self.printed)

    def end(self, reason: str) -> None:
        """Let no further cell run, because of `reason`."""
        self.ended = reason
        self._stop_kernel()

    def _stop_kernel(self) -> None:
        if self.kernel is not None and self.kernel.running:
            self.kernel.stop()

    @property
    def _shown_path(self) -> Path:
        return self.path.relative_to(self.config.rootpath)


def _name(number: int, source: str) -> str:
    lines = [line.strip() for line in source.splitlines()]
    code = [line for line in lines if line and not line.startswith("#")]
    # "::" separates the parts of a test's id.
    return f"{number}: {(code or lines or ['(empty)'])[0][:60]}".replace("::", ": :")


class LessonCell(IPyNbCell):
    """One code cell, as a test."""

    def __init__(self, *, line: int, **kwargs):
        super().__init__(**kwargs)
        self.line = line
        tags = self.cell.metadata.get("tags", [])
        self.must_raise = "raises-exception" in tags
        comparable_here = _compares(self.config) and (
            self.parent.references.apply or self.config.option.update_reference
        )
        self.compared = "nbval-ignore-output" not in tags and comparable_here
        self.means_stderr = self.cell.metadata.get("mystnb", {}).get("output_stderr") == "show"
        # nbval executes the cell and keeps its outputs; judge() decides about all of them.
        self.options = {"check": False, "check_exception": True, "skip": False}
        self.output_timeout = 10
        self.test_outputs: list = []

    def reportinfo(self):
        return self.path, self.line - 1, self.name

    def setup(self):
        if self.parent.ended:
            pytest.skip(self.parent.ended)

    def runtest(self):
        complaints = self.execute() or self.judge(self.test_outputs) or self.judge_devices()
        cell = {
            "claims": [_pick(data, "text", "holds", "source") for data in self._bundles(CLAIM)],
            "measures": [
                _pick(data, "text", "value", "unit", "was", "source") for data in self._bundles(MEASURE)
            ],
            "failure": complaints[0][0] if complaints else None,
        }
        if self.cell_num == 1:
            # The first cell asks for devices, and says in one line which it got.
            cell["devices"] = "".join(
                output.text for output in self.test_outputs if output.get("name") == "stdout"
            )
        self.user_properties.append((PROPERTY, cell))
        if complaints:
            if any(output.get("ename") == "MissingPackageError" for output in self.test_outputs):
                # The one sentence is enough; every later cell would fail for want of a name.
                self.parent.end("a package that the lesson needs is missing")
            raise LessonCellError(complaints)
        if self.compared:
            self.parent.printed[self.cell_num] = comparable(self.test_outputs)

    def execute(self) -> list[tuple[str, str]]:
        """Run the cell; return complaints only if it brought its kernel down."""
        notebook, kernel = self.parent, self.parent.kernel
        if kernel is None:
            notebook.end("the kernel did not start")
            return [(notebook.not_started, "")]
        try:
            if self.means_stderr:
                kernel.set_warnings("default")
            super().runtest()
            if self.means_stderr:
                kernel.set_warnings("error")
        except KernelDiedError as died:
            last_words = kernel.last_words()
            notebook.end(f"the kernel died in cell {self.cell_num}")
            return [(f"the kernel died in cell {self.cell_num} ({died})", last_words)]
        except NbCellError:
            # The cell ran out of time, and the kernel did not listen to an interrupt.
            notebook.timed_out = True
        if notebook.timed_out:
            limit = f"the limit of {self.config.option.nbval_cell_timeout:g} s (--nbval-cell-timeout)"
            notebook.end(f"cell {self.cell_num} ran into the time limit")
            return [(f"cell {self.cell_num} ran longer than {limit}", self._traceback())]
        return []

    def judge(self, outputs) -> list[tuple[str, str]]:
        """Return what is wrong with the cell, as (sentence, details), the gravest first."""
        errors = [output for output in outputs if output.output_type == "error"]
        # A tag excuses an error, never a false claim.
        complaints = [
            (f"a claim is false: {claim['text']}", "") for claim in self._bundles(CLAIM) if not claim["holds"]
        ]
        complaints += [
            (f"check {check['question']!r} did not pass", check.get("hint") or "")
            for check in self._bundles(CHECK)
            if not check["passed"]
        ]
        if self.must_raise and not errors:
            complaints.append(("the cell is tagged raises-exception, and raised nothing", ""))
        if errors and not self.must_raise and not complaints:
            complaints.append((_error_sentence(errors[0]), self._traceback()))
        stderr = "".join(output.text for output in outputs if output.get("name") == "stderr")
        stderr = "\n".join(line for line in stderr.splitlines() if not _RUNTIME_LOG.search(line))
        if stderr.strip() and not self.means_stderr:
            meant = "say `mystnb: {output_stderr: show}` in its metadata if it means to"
            complaints.append((f"the cell wrote to stderr: {meant}", stderr))
        if self.compared and not complaints and not self.config.option.update_reference:
            complaint = self.parent.references.complaint(self.cell_num, self.cell.source, comparable(outputs))
            complaints += [complaint] if complaint else []
        return complaints

    def judge_devices(self) -> list[tuple[str, str]]:
        """After the last cell on GPUs: return a complaint if the lesson's JAX does not see them."""
        notebook = self.parent
        if self.config.option.device != lesson_devices.GPU or self.cell_num != max(notebook.sources):
            return []
        backend = notebook.kernel.evaluate("__import__('jax').default_backend()").strip("'")
        return (
            [] if backend == "gpu" else [(f"with --device gpu, the lesson's JAX ended up on {backend}", "")]
        )

    def repr_failure(self, excinfo):
        if not isinstance(excinfo.value, LessonCellError):
            return super(IPyNbCell, self).repr_failure(excinfo)
        place = f"{self.path.relative_to(self.config.rootpath)}:{self.line}"
        source = "\n".join(f"    {line}" for line in self.cell.source.splitlines())
        parts = [f"{place}: {sentence}\n{details}".rstrip() for sentence, details in excinfo.value.complaints]
        text = "\n\n".join([parts[0], source, *parts[1:]])
        return text if self.config.get_terminal_writer().hasmarkup else _ANSI.sub("", text)

    def _bundles(self, mime: str) -> list[dict]:
        return [output.data[mime] for output in self.test_outputs if mime in output.get("data", {})]

    def _traceback(self) -> str:
        errors = [output for output in self.test_outputs if output.output_type == "error"]
        return "\n".join(line for output in errors for line in output.traceback)


class LessonCellError(Exception):
    """A cell failed; `complaints` are (sentence, details) pairs, at least one."""

    def __init__(self, complaints: list[tuple[str, str]]):
        super().__init__(complaints[0][0])
        self.complaints = complaints


def _error_sentence(error) -> str:
    first = (error.evalue.strip().splitlines() or [""])[0]
    if error.ename.endswith("Warning"):
        return f"the cell's code caused a warning: {error.ename}: {first}"
    return f"the cell raised {error.ename}: {first}"


def _pick(data: dict, *keys: str) -> dict:
    return {key: data.get(key) for key in keys}

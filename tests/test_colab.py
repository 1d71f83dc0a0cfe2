"""The generated notebooks run on a machine like Colab's, which has no helper package at first."""

import json

import jupytext
import pytest
from nbformat import v4

from colab_machine import ROOT, ColabMachine, build_wheel
from jaxcourse.publishing import notebooks

LESSONS = sorted((ROOT / "lessons").glob("*.md"))
EXERCISES = sorted((ROOT / "exercises").glob("*.md"))
CHECK = "application/vnd.jaxcourse.check+json"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def packages():
    """What Colab has and the lessons use: JAX and its friends, and what a page says it needs."""
    needs = {
        package
        for path in LESSONS + EXERCISES
        for package in jupytext.read(path, fmt="md:myst").metadata.get("jaxcourse", {}).get("needs", [])
    }
    return ["jax", "numpy", "matplotlib", "ipykernel", *sorted(needs)]


@pytest.fixture(scope="module")
def machine(tmp_path_factory, packages):
    return ColabMachine(tmp_path_factory.mktemp("colab"), packages)


def notebook(path, wheel):
    """A page's notebook, which installs the wheel where the published one installs the repository."""
    converted = notebooks.convert(path, ROOT)
    first = next(cell for cell in converted.cells if cell.cell_type == "code")
    assert f'"{notebooks.requirement()}"' in first.source
    first.source = first.source.replace(notebooks.requirement(), f"jaxcourse @ {wheel.as_uri()}")
    return converted


def test_first_cell_installs_the_package_and_leaves_jax_alone(tmp_path, packages, wheel):
    machine = ColabMachine(tmp_path, packages)
    version = (
        "import importlib.metadata as m; print(m.version('jax'), m.version('jaxlib'), m.version('numpy'))"
    )
    before = machine.output(version)
    assert before.startswith("0.7.2 0.7.2 ")
    assert machine.output("import importlib.util as u; print(u.find_spec('jaxcourse'))") == "None"
    code_cells = [cell for cell in notebook(LESSONS[0], wheel).cells if cell.cell_type == "code"]
    probe = v4.new_code_cell("import jaxcourse, json; print(json.dumps(jaxcourse.__file__))")
    executed = machine.run(v4.new_notebook(cells=[code_cells[0], probe]))
    imported = json.loads(executed.cells[-1].outputs[0].text)
    assert imported == str(machine.site_packages / "jaxcourse" / "__init__.py")
    assert machine.output(version) == before
    assert {path.name.split("-")[0] for path in machine.site_packages.iterdir()} == {"colab.pth", "jaxcourse"}


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_lesson_runs(path, machine, wheel):
    machine.run(notebook(path, wheel))


@pytest.mark.parametrize("path", EXERCISES, ids=lambda path: path.stem)
def test_exercises_run_unsolved_with_a_hint_for_each_question(path, machine, wheel):
    executed = machine.run(notebook(path, wheel))
    checks = [cell for cell in executed.cells if "check" in cell.metadata.get("tags", [])]
    assert checks
    for cell in checks:
        verdicts = [output.data[CHECK] for output in cell.outputs if CHECK in output.get("data", {})]
        assert len(verdicts) == 1 and not verdicts[0]["passed"] and verdicts[0]["hint"]

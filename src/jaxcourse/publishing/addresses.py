"""The published addresses, read from the installed package.

They are written once, in `[project.urls]` of pyproject.toml, and travel with the package's metadata.
"""

from importlib.metadata import metadata

COLAB = "https://colab.research.google.com"
NOTEBOOK_BRANCH = "notebooks"


def _url(name: str) -> str:
    """The address that pyproject.toml gives under `name`."""
    for entry in metadata("jaxcourse").get_all("Project-URL") or []:
        label, _, address = entry.partition(",")
        if label.strip() == name:
            return address.strip()
    raise LookupError(f"pyproject.toml gives no {name} under [project.urls]")


def repository() -> str:
    """The address of the repository, without a closing slash."""
    return _url("Repository").rstrip("/")


def site() -> str:
    """The address of the published website, without a closing slash."""
    return _url("Site").rstrip("/")


def page(docname: str) -> str:
    """The address of a published page, for a page named like `lessons/04-complex-gradients`."""
    return f"{site()}/{docname}.html"


def colab(docname: str) -> str:
    """The address that opens the page's generated notebook in Colab.

    Colab cannot open the Markdown source, so the address names the notebook on the branch that
    holds the generated ones.
    """
    path = repository().removeprefix("https://github.com/")
    return f"{COLAB}/github/{path}/blob/{NOTEBOOK_BRANCH}/{docname}.ipynb"

"""The book as a website: its contents and configuration, and every page that a strict build makes."""

import json
import re
import shutil
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup
from jupyter_book.config import PATH_YAML_DEFAULT, get_final_config
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils
from sphinx_external_toc.parsing import parse_toc_yaml

from jaxcourse.publishing import addresses, building

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("book", "lessons", "exercises", "solutions")
# Keys that Jupyter Book reads without naming them in its default configuration.
MORE_KEYS = {"bibtex_bibfiles"}
# Below these keys anything goes, as far as Jupyter Book is concerned.
FREE = {"sphinx/config", "sphinx/local_extensions"}


# ---- The table of contents ----


def differences(root: Path) -> list[str]:
    """What _toc.yml and the folders of pages do not agree on."""
    listed = set(parse_toc_yaml(root / "_toc.yml"))
    written = {
        page.relative_to(root).with_suffix("").as_posix()
        for folder in FOLDERS
        for page in (root / folder).glob("*.md")
    }
    return sorted(
        [f"{page}.md is not in _toc.yml" for page in written - listed]
        + [f"_toc.yml names {page}, which does not exist" for page in listed - written]
    )


def test_every_page_is_in_the_table_of_contents_and_the_other_way_round():
    assert differences(ROOT) == []


def test_a_page_missing_from_either_side_is_noticed(tmp_path):
    (tmp_path / "lessons").mkdir()
    (tmp_path / "lessons" / "01-written.md").touch()
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: lessons/02-listed\n")
    assert differences(tmp_path) == [
        "_toc.yml names lessons/02-listed, which does not exist",
        "lessons/01-written.md is not in _toc.yml",
    ]


# ---- The configuration ----


@pytest.fixture(scope="module")
def sphinx_app(tmp_path_factory) -> Sphinx:
    """Sphinx as Jupyter Book sets it up for this book, to ask which settings exist."""
    out = tmp_path_factory.mktemp("sphinx")
    overrides = {"latex_individualpages": False, "external_toc_path": str(ROOT / "_toc.yml")}
    settings, _ = get_final_config(user_yaml=ROOT / "_config.yml", cli_config=overrides, sourcedir=ROOT)
    with patch_docutils(), docutils_namespace(), pytest.MonkeyPatch.context() as environment:
        environment.setenv("MPLBACKEND", "agg")  # the extension sets it; this puts it back
        return Sphinx(ROOT, None, out / "html", out / "doctrees", "html", settings, status=None)


def unknown_keys(config: dict, app: Sphinx) -> list[str]:
    """The keys of a _config.yml that neither Jupyter Book, nor Sphinx, nor the theme reads."""
    default = yaml.safe_load(PATH_YAML_DEFAULT.read_text(encoding="utf-8"))
    for key in MORE_KEYS:
        default[key] = None
    values = config.get("sphinx", {}).get("config", {})
    options = values.get("html_theme_options", {})
    return (
        list(_unknown(config, default, ""))
        + [f"sphinx/config/{key}" for key in values if key != "extensions" and key not in app.config]
        + [f"html_theme_options/{key}" for key in options if key not in app.builder.theme.get_options({})]
    )


def _unknown(config: dict, known: dict, where: str):
    for key, value in config.items():
        path = f"{where}{key}"
        if key not in known:
            yield path
        elif isinstance(value, dict) and path not in FREE:
            yield from _unknown(value, known[key] or {}, f"{path}/")


def test_every_key_of_the_configuration_is_known(sphinx_app):
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    assert unknown_keys(config, sphinx_app) == []


def test_an_unknown_key_is_noticed_at_every_level(sphinx_app):
    config = {
        "exekute": {},
        "html": {"use_repositry_button": True},
        "sphinx": {"config": {"html_titel": "", "html_theme_options": {"show_toc_levels": 2}}},
    }
    assert unknown_keys(config, sphinx_app) == [
        "exekute",
        "html/use_repositry_button",
        "sphinx/config/html_titel",
        "html_theme_options/show_toc_levels",
    ]


# ---- The pages ----


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """A copy of the book, with what was executed before, and with a virtual environment dropped in."""
    root = tmp_path_factory.mktemp("copy") / "book"
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    for file in ("_config.yml", "_toc.yml"):
        shutil.copy(ROOT / file, root)
    if (ROOT / "_build" / "cache").is_dir():
        shutil.copytree(ROOT / "_build" / "cache", root / "_build" / "cache")
    package = root / ".venv" / "lib" / "python3" / "site-packages" / "package"
    package.mkdir(parents=True)
    (package / "README.md").write_text("# A package\n\n{nonsense}`x` [gone](gone.md)\n")
    return root


@pytest.fixture(scope="module")
def html(copy) -> Path:
    """The folder of the built site. `strict` makes each warning an error."""
    with pytest.MonkeyPatch.context() as environment:
        # Built as a reader builds it, so that what `make book` executed is used and not executed again.
        for name in ("JAX_PLATFORMS", "JAX_NUM_CPU_DEVICES", "PJRT_NPROC"):
            environment.delenv(name, raising=False)
        return building.build(copy, strict=True).parent


@pytest.fixture(scope="module")
def pages(html) -> dict[str, BeautifulSoup]:
    names = [*parse_toc_yaml(ROOT / "_toc.yml"), "index", "search", "genindex"]
    return {name: _parse(html / f"{name}.html") for name in names}


def _parse(file: Path) -> BeautifulSoup:
    return BeautifulSoup(file.read_text(encoding="utf-8"), "html.parser")


def _source_pages(pages: dict[str, BeautifulSoup]) -> dict[str, BeautifulSoup]:
    return {name: page for name, page in pages.items() if "/" in name}


def test_a_strict_build_is_clean_and_makes_these_pages_only(html):
    made = {file.relative_to(html).with_suffix("").as_posix() for file in html.rglob("*.html")}
    made = {name for name in made if not name.startswith("_")}
    assert made == {*parse_toc_yaml(ROOT / "_toc.yml"), "index", "search", "genindex"}
    assert (html / ".nojekyll").exists()


def test_each_page_describes_itself(pages):
    for name, page in _source_pages(pages).items():
        descriptions = [tag["content"] for tag in page.find_all("meta", attrs={"name": "description"})]
        assert len(descriptions) == 1 and len(descriptions[0]) > 40, name
        assert page.find("meta", property="og:title"), name


def test_each_picture_has_words_for_it(pages):
    for name, page in pages.items():
        for image in page.find_all("img"):
            alt = image.get("alt", "").strip()
            assert alt and not re.search(r"\.(png|svg|jpe?g)$", alt), f"{name}: {image}"
        for picture in page.select("svg[role=img]"):
            assert picture.get("aria-label") or picture.find("title"), f"{name}: {str(picture)[:200]}"


def test_nothing_is_loaded_from_another_host(html, pages):
    for name, page in pages.items():
        loaded = [tag["src"] for tag in page.find_all(src=True)]
        loaded += [tag["href"] for tag in page.find_all("link", rel=_is_loaded)]
        loaded += re.findall(r"url\((.*?)\)", " ".join(tag["style"] for tag in page.find_all(style=True)))
        assert [address for address in loaded if _is_elsewhere(address)] == [], name
    for sheet in html.rglob("*.css"):
        addresses_in_it = re.findall(
            r"(?:url\(|@import)\s*['\"]?([^'\")]+)", sheet.read_text(encoding="utf-8")
        )
        assert [address for address in addresses_in_it if _is_elsewhere(address)] == [], sheet.name
    for script in html.rglob("*.js"):
        text = script.read_text(encoding="utf-8", errors="replace")
        assert not re.search(
            r"""(?:import\(|importScripts\(|fetch\(|\.src\s*=)\s*["'`](?:https?:)?//""", text
        ), script


def _is_loaded(rel: str | None) -> bool:
    return rel in {"stylesheet", "icon", "shortcut", "preload", "prefetch", "modulepreload", "manifest"}


def _is_elsewhere(address: str) -> bool:
    return address.startswith(("http:", "https:", "//"))


def test_no_page_names_the_machine_that_built_it(html, copy):
    places = [f"{Path.home()}/", f"{sys.prefix}/", f"{copy}/", f"{ROOT}/", "/ipykernel_", "site-packages/"]
    for file in [*html.rglob("*.html"), *html.rglob("*.ipynb"), html / "searchindex.js"]:
        text = file.read_text(encoding="utf-8")
        assert [place for place in places if place in text] == [], file.relative_to(html)


def test_links_within_the_site_lead_somewhere(html, pages):
    ids = {name: {tag["id"] for tag in page.find_all(id=True)} for name, page in pages.items()}
    broken = []
    for name, page in pages.items():
        for link in page.find_all("a", href=True):
            parts = urlsplit(link["href"])
            if parts.scheme or parts.netloc:
                continue
            here = html / f"{name}.html"
            target = (here.parent / unquote(parts.path)).resolve() if parts.path else here
            target_page = target.relative_to(html.resolve()).with_suffix("").as_posix()
            lost_anchor = parts.fragment and unquote(parts.fragment) not in ids.get(
                target_page, {parts.fragment}
            )
            if not target.is_file() or lost_anchor:
                broken.append(f"{name}: {link['href']}")
    assert broken == []


def test_lessons_and_exercises_open_in_colab_and_download_as_notebooks(html, pages):
    for name, page in _source_pages(pages).items():
        links = [link["href"] for link in page.find_all("a", href=True)]
        if name.split("/")[0] in ("lessons", "exercises"):
            assert links.count(addresses.colab(name)) == 2, name  # in the header and in the line of facts
            notebook = json.loads((html / "_sources" / f"{name}.ipynb").read_text(encoding="utf-8"))
            assert "import jaxcourse" in json.dumps(notebook["cells"]), name
        else:
            assert not any(link.startswith(addresses.COLAB) for link in links), name


def test_neighbouring_cells_become_tabs(pages):
    tabs = pages["lessons/04-complex-gradients"].select(".sd-tab-set")
    assert tabs
    for tab_set in tabs:
        labels = [label["data-sync-id"] for label in tab_set.find_all("label")]
        assert labels == ["JAX", "PyTorch"]
        assert len(tab_set.select("div.cell")) == 2


def test_an_error_shows_the_cells_own_frames_and_the_message(pages):
    tracebacks = [box.get_text() for page in pages.values() for box in page.select(".output.traceback")]
    assert tracebacks
    for text in tracebacks:
        assert not re.search(r"^File ", text, re.MULTILINE), text
        assert re.search(r"^[\w.]+(Error|Exception|Warning)\b", text, re.MULTILINE), text


def test_the_front_page_shows_every_lesson_and_a_verdict(pages):
    front = pages["book/index"]
    linked = {link["href"] for link in front.select("ul.jc-cards a")}
    lessons = {name for name in pages if name.startswith("lessons/")}
    assert {f"../{name}.html" for name in lessons} <= linked
    assert front.select_one(".jc-claim") and front.select_one("div.cell_output img")

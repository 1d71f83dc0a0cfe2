"""jaxcourse.interactive: every combination is computed, one panel shows, and the keyboard reaches all."""

import re
import xml.etree.ElementTree as ET

import pytest

from jaxcourse import UserError, explore
from jaxcourse.display import Shown


@pytest.fixture
def figure(monkeypatch):
    """Explore two choices and return what was shown."""
    shown = []
    monkeypatch.setattr(Shown, "show", lambda self: shown.append(self))
    explore("Which `sum`?", {"type": ["int", "float"], "sign": ["+", "-", "<"]}, lambda t, s: f"{t} & {s}")
    return shown[0]


def test_every_combination_is_there(figure):
    assert len(figure.data["panels"]) == 6
    assert figure.data["panels"][5] == {"chosen": ["float", "<"], "text": "float & <"}
    assert "[float, <]\nfloat & <" in figure.text


def test_it_is_well_formed_and_escaped(figure):
    root = ET.fromstring(
        re.sub(r"<style>.*?</style>", "", figure.markup.replace(" checked>", "/>")).replace('"> <', '"/> <')
    )
    assert root.get("aria-label") == "Which `sum`?"
    assert len(root.findall(".//fieldset")) == 2
    assert [pre.text for pre in root.iter("pre")][-1] == "float & <"


def test_one_rule_shows_each_panel_and_names_only_what_is_there(figure):
    (rules,) = re.findall(r"<style>(.*?)</style>", figure.markup)
    ids = set(re.findall(r'id="(jc-[^"]+)"', figure.markup))
    assert set(re.findall(r"#(jc-[\w-]+):checked", rules)) <= ids
    for panel in re.findall(r'class="jc-panel (jc-[\w-]+)"', figure.markup):
        assert rules.count(f".{panel}") == 1


def test_a_picture_keeps_its_own_form(monkeypatch):
    shown = []
    monkeypatch.setattr(Shown, "show", lambda self: shown.append(self))
    explore("Pictures", {"n": ["1"]}, lambda n: Shown("x", {}, "a circle", "<svg><circle/></svg>"))
    assert "<svg><circle/></svg>" in shown[0].markup and "a circle" in shown[0].text


def test_terminal_colours_are_left_out(monkeypatch):
    shown = []
    monkeypatch.setattr(Shown, "show", lambda self: shown.append(self))
    explore("Jaxpr", {"n": ["1"]}, lambda n: "\x1b[34;1mlet\x1b[39;22m")
    assert shown[0].data["panels"][0]["text"] == "let" and "\x1b" not in shown[0].markup


def test_what_cannot_be_explored():
    with pytest.raises(UserError, match="at least one choice"):
        explore("x", {}, lambda: "")
    with pytest.raises(UserError, match="at least one option"):
        explore("x", {"a": []}, lambda a: "")
    with pytest.raises(UserError, match="would compute 400 combinations"):
        explore("x", {"a": list("abcdefghijklmnopqrst"), "b": list("abcdefghijklmnopqrst")}, lambda a, b: "")

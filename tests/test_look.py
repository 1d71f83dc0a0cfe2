"""The style sheets of the website: one place for colours, and text that contrasts with its ground."""

import re
from pathlib import Path

STATIC = Path(__file__).resolve().parent.parent / "book" / "static"
_COLOUR = re.compile(
    r"#[0-9a-fA-F]{3,8}\b|\b(?:rgba?|hsla?|oklch|lab|lch|color)\(|:\s*(?:white|black|red|gr[ae]y)\b"
)


def test_colours_are_in_one_place():
    for sheet in STATIC.glob("*.css"):
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.DOTALL)
        if sheet.name != "colours.css":
            assert _COLOUR.findall(text) == [], sheet.name
            used = set(re.findall(r"var\((--jc-[\w-]+)", text))
            assert used <= set(_colours()), f"{sheet.name} uses a colour that colours.css does not define"


def test_text_contrasts_with_its_ground_in_both_themes():
    colours = _colours()
    grounds = ["--jc-page", "--jc-raised", "--jc-input", "--jc-error-ground", "--jc-true-ground"]
    grounds += ["--jc-false-ground", "--jc-measured-ground", "--jc-predict-ground", "--jc-old-ground"]
    pairs = [("--jc-text", ground) for ground in [*grounds, "--jc-accent-ground"]]
    pairs += [
        ("--jc-quiet", g) for g in ("--jc-page", "--jc-raised", "--jc-true-ground", "--jc-measured-ground")
    ]
    pairs += [
        ("--jc-accent", g) for g in ("--jc-page", "--jc-raised", "--jc-accent-ground", "--jc-predict-ground")
    ]
    pairs += [
        (f"--jc-{name}", f"--jc-{name}-ground") for name in ("error", "true", "false", "predict", "old")
    ]
    pairs += [(name, "--jc-page") for name in colours if name.startswith("--jc-ansi-")]
    for theme in (0, 1):
        low = [(a, b) for a, b in pairs if _contrast(colours[a][theme], colours[b][theme]) < 4.5]
        assert low == [], ("light", "dark")[theme]


def _colours() -> dict[str, tuple[str, str]]:
    text = (STATIC / "colours.css").read_text(encoding="utf-8")
    return {
        name: (a, b) for name, a, b in re.findall(r"(--jc-[\w-]+): light-dark\((#\w{6}), (#\w{6})\);", text)
    }


def _contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG defines it, from 1 to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

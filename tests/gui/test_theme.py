"""Colours by role: readable in both themes, and named nowhere but in the theme."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui import stylesheet, theme
from gui.resources import resource

GUI = Path(__file__).resolve().parents[2] / "gui"
COLOURS = st.integers(0, 0xFFFFFF).map(lambda value: f"#{value:06X}")


@pytest.mark.parametrize("palette", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), theme.TEXT_PAIRS)
def test_text_is_readable(palette: theme.Palette, ink: str, ground: str) -> None:
    assert theme.contrast(getattr(palette, ink), getattr(palette, ground)) >= 4.5


def test_contrast_is_that_of_the_standard() -> None:
    assert theme.contrast("#000000", "#FFFFFF") == pytest.approx(21.0)
    assert theme.contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


@given(COLOURS, COLOURS)
def test_contrast_does_not_depend_on_order(one: str, other: str) -> None:
    assert theme.contrast(one, other) == theme.contrast(other, one) >= 1.0


@given(COLOURS, COLOURS)
def test_blending_ends_at_both_colours(one: str, other: str) -> None:
    assert theme.blend(one, other, 1.0) == one
    assert theme.blend(one, other, 0.0) == other


@pytest.mark.parametrize("palette", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_pictures_of_the_sheet_have_the_colours_of_their_theme(palette: theme.Palette) -> None:
    for name, ink in (("check", palette.on_accent), ("open", palette.muted)):
        picture = resource("icons", f"sheet-{name}-{palette.scheme}.svg").read_text(encoding="utf-8")
        assert f'stroke="{ink}"' in picture


def test_the_sheet_uses_every_ground_and_differs_by_scheme() -> None:
    light = stylesheet.build(theme.LIGHT, Path("a.png"), Path("b.png"))
    dark = stylesheet.build(theme.DARK, Path("a.png"), Path("b.png"))
    assert light != dark
    for role in (
        "background",
        "surface",
        "sunken",
        "border",
        "hover",
        "selection",
        "text",
        "muted",
        "accent",
        "danger",
    ):
        assert getattr(theme.LIGHT, role) in light and getattr(theme.DARK, role) in dark
    assert light.count("{") == light.count("}")


def test_no_colour_is_written_outside_the_theme() -> None:
    for path in sorted(GUI.rglob("*.py")):
        if path.name not in ("theme.py",):
            found = re.findall(r"#[0-9A-Fa-f]{6}\b", path.read_text(encoding="utf-8"))
            # The template icon's black is a shape, not a colour: macOS paints it.
            assert [one for one in found if one != "#000000"] == [], path

"""The catalogues: same keys, same places, nothing missing, nothing left over."""

from __future__ import annotations

import ast
import re
import string
from pathlib import Path

import pytest

from engine.config import BY_KEY
from engine.types import LAYERS, SENSITIVITIES, STATUSES
from gui.browser.state import PERIODS, SORTS
from gui.texts import LANGUAGES, Texts, load, resolve

GUI = Path(__file__).resolve().parents[2] / "gui"


def _trees() -> list[ast.Module]:
    return [ast.parse(path.read_text(encoding="utf-8")) for path in sorted(GUI.rglob("*.py"))]


def _places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_both_languages_have_the_same_keys() -> None:
    assert set(load("zh")) == set(load("en"))


def test_both_languages_fill_the_same_places() -> None:
    for key, text in load("en").items():
        plural = load("en").get(key.removesuffix(".one"), text)
        assert _places(text) | _places(plural) >= _places(load("zh")[key]), key
        assert _places(load("zh")[key]) >= _places(text) - {"year", "n"}, key


def test_no_text_is_empty_and_chinese_is_chinese() -> None:
    for key in load("zh"):
        assert load("zh")[key].strip() and load("en")[key].strip(), key
    chinese = sum(bool(re.search(r"[\u4e00-\u9fff]", text)) for text in load("zh").values())
    assert chinese > 0.97 * len(load("zh"))


def test_every_text_that_the_windows_name_exists() -> None:
    named = set()
    for tree in _trees():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            first = node.args[0]
            if name == "texts" and isinstance(first, ast.Constant):
                named.add(str(first.value))
    assert len(named) > 60
    assert named <= set(load("en"))


def test_no_text_is_left_over() -> None:
    patterns = []
    for tree in _trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                patterns.append(re.escape(node.value))
            elif isinstance(node, ast.JoinedStr):
                parts = [re.escape(str(v.value)) if isinstance(v, ast.Constant) else r"[\w.]+" for v in node.values]
                patterns.append("".join(parts))
    # A bare placeholder would match everything and prove nothing.
    known = re.compile("|".join(f"(?:{one})" for one in set(patterns) if not one.startswith(r"[\w.]+[\w.]+")))
    left = [key for key in load("en") if not known.fullmatch(key.removesuffix(".one"))]
    assert left == []


def test_all_values_of_the_engine_have_words() -> None:
    texts = Texts("en")
    for prefix, values in (
        ("layer", LAYERS), ("status", STATUSES), ("sensitivity", SENSITIVITIES), ("sort", SORTS), ("period", PERIODS),
    ):  # fmt: skip
        for value in values:
            assert f"{prefix}.{value}" in texts
    for key in ("interface.language", "interface.theme"):
        for value in BY_KEY[key].choices:
            assert f"choice.{key}.{value}" in texts


def test_one_and_many_and_thousands() -> None:
    texts = Texts("en")
    assert texts("memories.count", n=1) == "1 memory"
    assert texts("memories.count", n=12_345) == "12,345 memories"
    assert Texts("zh")("memories.count", n=1) == "1 条"


def test_braces_in_a_value_stay_what_they_are() -> None:
    assert Texts("en")("detail.undo_this", what="{n} {0}") == "Undo: {n} {0}"


def test_an_unknown_key_is_an_error() -> None:
    with pytest.raises(KeyError):
        Texts("en")("no.such.key")


@pytest.mark.parametrize(
    ("setting", "system", "expected"),
    [
        ("zh", ["en"], "zh"), ("en", ["zh"], "en"), ("auto", ["zh-Hans-CN"], "zh"), ("auto", ["de", "zh_TW"], "zh"),
        ("auto", ["en-GB", "zh"], "en"), ("auto", ["fr"], "en"), ("auto", [], "en"),
    ],
)  # fmt: skip
def test_the_language_follows_setting_then_system(setting: str, system: list[str], expected: str) -> None:
    assert resolve(setting, system) == expected
    assert expected in LANGUAGES


def test_the_environment_is_asked_where_nobody_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert resolve("auto") == "zh"
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    assert resolve("auto") == "en"

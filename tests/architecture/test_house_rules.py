"""Sizes, docstrings, names, and what no source may hold."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

LONGEST_FILE = 400
LONGEST_FUNCTION = 60
DUMPING_GROUNDS = {"utils", "util", "misc", "helpers", "helper", "common", "tools"}
TEXT_ENDINGS = {
    ".py",
    ".toml",
    ".md",
    ".json",
    ".txt",
    ".spec",
    ".yml",
    ".yaml",
    ".cfg",
    ".ini",
    ".svg",
    ".qss",
    ".sql",
}
NOT_OURS = {
    ".git",
    ".venv",
    "dist",
    "build",
    "__pycache__",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".hypothesis",
}

# Put together here, so that this file does not hold what it looks for.
FORBIDDEN_PLACES = ["/" + name + "/" for name in ("root", "work", "opt/wheels", "opt/pypi")]
FORBIDDEN_HOSTS = [
    ".".join(parts)
    for parts in (
        ("files", "pythonhosted", "org"),
        ("pypi", "org"),
        ("registry", "npmjs", "org"),
        ("deb", "debian", "org"),
    )
]


def _length(text: str) -> int:
    return text.count("\n")


def test_no_file_is_too_long(house: Any) -> None:
    lengths = {
        path.relative_to(house.root).as_posix(): _length(path.read_text(encoding="utf-8")) for path in house.files
    }
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def test_no_function_is_too_long(house: Any) -> None:
    """The signature and the docstring do not count."""
    found = []
    for module in house.modules.values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body[1:] if ast.get_docstring(node) is not None else node.body
                length = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
                if length > LONGEST_FUNCTION:
                    found.append(f"{module.where}:{node.lineno} {node.name}: {length} lines")
    assert not found, "\n" + "\n".join(found)


def test_every_module_says_what_it_is_for(house: Any) -> None:
    without = [
        path.relative_to(house.root).as_posix()
        for path in house.files
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not without, "\n" + "\n".join(without)


def test_one_version(house: Any) -> None:
    """The program, the package and the newest entry of the changelog agree."""
    project = tomllib.loads((house.root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    program = re.search(r'^__version__ = "(.+)"$', house.modules["app"].text, re.MULTILINE)
    changelog = re.search(r"^## (\d\S*)", (house.root / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert program is not None and changelog is not None
    assert {program[1], changelog[1]} == {project}


def test_the_readme_names_tests_that_exist(house: Any) -> None:
    readme = (house.root / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(tests/[^`]+\.py)`", readme))
    assert named
    assert sorted(name for name in named if not (house.root / name).is_file()) == []


def test_no_dumping_grounds(house: Any) -> None:
    assert [module.where for module in house.modules.values() if module.name.split(".")[-1] in DUMPING_GROUNDS] == []


def test_packaging_is_no_package(house: Any) -> None:
    """It would hide the library of that name."""
    assert list((house.root / "packaging").rglob("__init__.py")) == []


def test_engine_and_gui_do_not_print(house: Any) -> None:
    found = [
        f"{module.where}:{node.lineno}"
        for module in house.modules.values()
        if module.name.split(".")[0] in ("engine", "gui")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert not found, "\n" + "\n".join(found)


def test_sql_lives_in_storage_and_index(house: Any) -> None:
    found = [
        f"{module.where}:{node.lineno}"
        for module in house.modules.values()
        if module.area not in ("engine.storage", "engine.index")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("execute", "executemany")
    ]
    assert not found, "\n" + "\n".join(found)


def test_no_error_is_swallowed(house: Any) -> None:
    """No bare ``except``, and nothing as wide as Exception whose handler does nothing."""
    found = []
    for module in house.modules.values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ExceptHandler):
                wide = node.type is None or ast.unparse(node.type) in ("Exception", "BaseException")
                if node.type is None or (wide and all(isinstance(one, ast.Pass | ast.Continue) for one in node.body)):
                    found.append(f"{module.where}:{node.lineno}")
    assert not found, "\n" + "\n".join(found)


def test_no_module_level_state(house: Any) -> None:
    """``global`` is how a singleton begins."""
    found = [
        f"{module.where}:{node.lineno}"
        for module in house.modules.values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Global)
    ]
    assert not found, "\n" + "\n".join(found)


def test_no_unfinished_business(house: Any) -> None:
    marks = re.compile("|".join(("TO" + "DO", "FIX" + "ME", "X" * 3 + r"\b")))
    assert [module.where for module in house.modules.values() if marks.search(module.text)] == []


def _texts(root: Path) -> list[Path]:
    return [
        path
        for path in sorted(root.rglob("*"))
        if path.is_file()
        and not NOT_OURS & set(path.relative_to(root).parts)
        and not any(part.endswith(".egg-info") for part in path.relative_to(root).parts)
        and (path.suffix in TEXT_ENDINGS or path.suffix == "")
    ]


@pytest.mark.parametrize("word", [*FORBIDDEN_PLACES, *FORBIDDEN_HOSTS])
def test_no_place_of_one_machine_in_the_texts(house: Any, word: str) -> None:
    found = [
        path.relative_to(house.root).as_posix()
        for path in _texts(house.root)
        if word in path.read_text(encoding="utf-8", errors="replace")
    ]
    assert not found, "\n" + "\n".join(found)

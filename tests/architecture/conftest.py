"""Reads the sources of the house once, as syntax trees.

Must not import any of them: the rules hold for broken code too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("engine", "gui", "app")


@dataclass(frozen=True)
class Import:
    """One imported module. ``top``: at load time of the importing module; ``typing``: for the type checker only."""

    target: str
    line: int
    top: bool
    typing: bool


@dataclass
class Module:
    """One source file: dotted name, path, text, tree, imports."""

    name: str
    path: Path
    text: str
    tree: ast.Module
    is_package: bool
    imports: list[Import] = field(default_factory=list)

    @property
    def where(self) -> str:
        """Path below the checkout, for messages."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def area(self) -> str:
        """First two parts of the name: ``engine.text`` for ``engine.text.terms``."""
        return ".".join(self.name.split(".")[:2])


class House:
    """All product modules by name, and every Python file of the checkout."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self.modules: dict[str, Module] = {}
        for package in PRODUCT:
            for path in sorted((root / package).rglob("*.py")):
                self._add(path)
        for module in self.modules.values():
            module.imports = list(self._imports(module))
        folders = (*PRODUCT, "packaging", "tests")
        self.files = [path for folder in folders for path in sorted((root / folder).rglob("*.py"))]

    def _add(self, path: Path) -> None:
        parts = list(path.relative_to(self.root).with_suffix("").parts)
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        text = path.read_text(encoding="utf-8")
        self.modules[name] = Module(name, path, text, ast.parse(text, filename=str(path)), is_package)

    def _imports(self, module: Module) -> Iterator[Import]:
        for node, top, typing in _walk(module.tree, top=True, typing=False):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield Import(alias.name, node.lineno, top, typing)
            else:
                base = self._absolute(module, node)
                for alias in node.names:
                    deeper = f"{base}.{alias.name}"
                    yield Import(deeper if deeper in self.modules else base, node.lineno, top, typing)

    @staticmethod
    def _absolute(module: Module, node: ast.ImportFrom) -> str:
        if node.level == 0:
            return node.module or ""
        parts = module.name.split(".")
        parts = parts[: len(parts) - node.level + (1 if module.is_package else 0)]
        return ".".join([*parts, node.module] if node.module else parts)


def _walk(node: ast.AST, *, top: bool, typing: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, top, typing
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for inner in child.body:
                yield from _walk(ast.Module([inner], []), top=top, typing=True)
            for inner in child.orelse:
                yield from _walk(ast.Module([inner], []), top=top, typing=typing)
        else:
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _walk(child, top=top and not inside, typing=typing)


@pytest.fixture(scope="session")
def house() -> House:
    """The sources as they are now."""
    return House()

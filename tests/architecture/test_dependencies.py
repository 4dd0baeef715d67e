"""Who may import whom: the direction app → gui → engine, the order of the engine's packages, homes of libraries."""

from __future__ import annotations

import sys
import tomllib
from importlib.metadata import packages_distributions
from typing import Any

import pytest

# The engine's packages in order: each may import those above it, and on its own line.
ENGINE_ORDER = (
    ("errors", "types", "clock"),
    ("policy", "schedule", "llm", "metrics"),
    ("config",),
    ("text",),
    ("embedding",),
    ("storage",),
    ("index",),
    ("forgetting",),
    ("ingest",),
    ("access",),
    ("retrieval",),
    ("digest",),
    ("searches",),
    ("surfacing",),
    ("conversation",),
    ("safekeeping",),
    ("graph", "summaries", "health", "undoing"),
    ("review",),
    ("engine",),
    ("graph_service", "forgetting_service", "filling", "rebuilding", "memorizing"),
    ("noticing",),
    ("upkeep",),
    ("background",),
    ("service",),
)

# What gui and app may import of the engine; the composition root also chooses the parts it builds from.
ENGINE_PUBLIC = ("engine", "engine.types", "engine.errors", "engine.config", "engine.clock")
COMPOSITION_ROOT = {"app.main": ("engine.embedding",)}

# Library -> the only places that may import it. () = nowhere in the product.
HOMES: dict[str, tuple[str, ...]] = {
    "PySide6": ("gui", "app"),
    "apsw": ("engine.storage", "engine.index"),
    "httpx": ("engine.embedding", "engine.llm"),
    "jieba": ("engine.text.segmentation",),
    "mcp": ("app.mcp", "app.http"),
    "mcp_types": ("app.mcp", "app.http"),
    "onnxruntime": ("engine.embedding",),
    "pickle": (),
    "platformdirs": ("app.paths",),
    "sentencepiece": ("engine.embedding",),
    "rjieba": ("engine.text.segmentation",),
    "sqlite3": (),  # a second SQLite in the process drops the locks of the first
    "tomlkit": ("engine.config", "app.clients"),
    "usearch": ("engine.index.vector",),
}

# Distributions that come with a declared one and may be imported without being declared themselves.
COME_ALONG = {"anyio": "mcp", "mcp-types": "mcp", "pydantic": "mcp", "shiboken6": "PySide6-Essentials"}

# Declared although no module imports it yet: the set of packages that Hupo's design names.
NAMED_BY_DESIGN = {"platformdirs"}


def _within(name: str, places: tuple[str, ...]) -> bool:
    return any(name == place or name.startswith(place + ".") for place in places)


def _engine_row(name: str) -> int | None:
    part = name.split(".")[1]
    return next((row for row, names in enumerate(ENGINE_ORDER) if part in names), None)


def _lines(house: Any, wrong: Any) -> list[str]:
    return [
        f"{module.where}:{one.line} imports {one.target}"
        for module in house.modules.values()
        for one in module.imports
        if wrong(module, one)
    ]


def test_the_direction_is_app_gui_engine(house: Any) -> None:
    allowed = {"engine": {"engine"}, "gui": {"engine", "gui"}, "app": {"engine", "gui", "app"}}

    def wrong(module: Any, one: Any) -> bool:
        target = one.target.split(".")[0]
        return target in allowed and target not in allowed[module.name.split(".")[0]]

    found = _lines(house, wrong)
    assert not found, "\n" + "\n".join(found)


def test_engine_packages_import_only_those_above(house: Any) -> None:
    def wrong(module: Any, one: Any) -> bool:
        if not module.name.startswith("engine.") or one.target.split(".")[0] != "engine":
            return False
        if "." not in one.target:
            return True  # the package's public face is for gui and app
        own, other = _engine_row(module.name), _engine_row(one.target)
        if module.area == one.target[: len(module.area)]:
            return False
        return own is None or other is None or other > own

    found = _lines(house, wrong)
    assert not found, "\n" + "\n".join(found)


def test_every_engine_package_has_its_place(house: Any) -> None:
    names = {module.name for module in house.modules.values() if module.name.startswith("engine.")}
    assert sorted(name for name in names if _engine_row(name) is None) == []


def test_gui_and_app_use_the_public_engine(house: Any) -> None:
    def wrong(module: Any, one: Any) -> bool:
        if module.name.split(".")[0] == "engine" or one.target.split(".")[0] != "engine":
            return False
        more = COMPOSITION_ROOT.get(module.name, ())
        return one.target not in ENGINE_PUBLIC and not _within(one.target, (*more, "engine.config"))

    found = _lines(house, wrong)
    assert not found, "\n" + "\n".join(found)


def test_pages_of_the_window_do_not_know_each_other(house: Any) -> None:
    pages = {
        module.area for module in house.modules.values() if module.is_package and module.name.startswith("gui.")
    } - {"gui.widgets"}

    def wrong(module: Any, one: Any) -> bool:
        target = ".".join(one.target.split(".")[:2])
        return module.area in {*pages, "gui.widgets"} and target in pages and target != module.area

    found = _lines(house, wrong)
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("library", sorted(HOMES))
def test_a_library_has_one_home(house: Any, library: str) -> None:
    def wrong(module: Any, one: Any) -> bool:
        at_runtime = one.target.split(".")[0] == library and not one.typing
        return at_runtime and not _within(module.name, HOMES[library])

    found = _lines(house, wrong)
    assert not found, "\n" + "\n".join(found)


def test_the_shim_is_standard_library_only(house: Any) -> None:
    """Its own package apart; and what it imports of it must keep to the same rule."""
    todo, seen, found = ["app.ipc.shim"], set(), []
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        for one in house.modules[name].imports:
            top = one.target.split(".")[0]
            if one.typing or not one.top or top in sys.stdlib_module_names:
                continue
            if one.target in house.modules and top == "app":
                todo.append(one.target)
            else:
                found.append(f"{name}:{one.line} imports {one.target}")
    assert not found, "\n" + "\n".join(found)


def test_no_import_cycle(house: Any) -> None:
    """Over the imports that run when a module is loaded."""
    edges = {
        name: sorted({one.target for one in module.imports if one.top and not one.typing} & house.modules.keys())
        for name, module in house.modules.items()
    }
    assert _cycle(edges) is None


def _cycle(edges: dict[str, list[str]]) -> list[str] | None:
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> list[str] | None:
        if name in path:
            return [*path[path.index(name) :], name]
        if name in done:
            return None
        found = next((cycle for other in edges[name] if (cycle := visit(other, [*path, name]))), None)
        done.add(name)
        return found

    return next((cycle for name in edges if (cycle := visit(name, []))), None)


def test_a_cycle_would_be_seen() -> None:
    assert _cycle({"a": ["b"], "b": ["c"], "c": ["b"]}) == ["b", "c", "b"]
    assert _cycle({"a": ["b", "c"], "b": ["c"], "c": []}) is None


def test_declared_dependencies_are_the_imported_ones(house: Any) -> None:
    declared_text = tomllib.loads((house.root / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "dependencies"
    ]
    declared = {_distribution(line) for line in declared_text}
    owners = packages_distributions()
    imported: set[str] = set()
    for module in house.modules.values():
        for one in module.imports:
            top = one.target.split(".")[0]
            if top not in sys.stdlib_module_names and top not in ("app", "gui", "engine"):
                imported |= {_distribution(owner) for owner in owners.get(top, [top])}
    come_along = {_distribution(name): _distribution(owner) for name, owner in COME_ALONG.items()}
    undeclared = {name for name in imported if name not in declared and come_along.get(name) not in declared}
    assert (sorted(undeclared), sorted(declared - imported - NAMED_BY_DESIGN)) == ([], [])


def _distribution(requirement: str) -> str:
    name = requirement
    for stop in "<>=!~;[ ":
        name = name.split(stop)[0]
    return name.lower().replace("_", "-")

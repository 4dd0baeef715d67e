"""What really happens on import: each package alone, the engine without Qt, the shim's budget.

Each case runs in a process of its own, so that nothing another test has loaded can hide a fault.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = sorted(
    ".".join(path.parent.relative_to(ROOT).parts)
    for top in ("engine", "gui", "app")
    for path in (ROOT / top).rglob("__init__.py")
)

# All that may be loaded when the shim has been imported and nothing has been asked of it. Every start of every
# client pays for each name here, so a new one needs a reason.
SHIM_MAY_LOAD = {
    "__future__",
    "app",
    "array",
    "binascii",
    "collections",
    "copyreg",
    "encodings",
    "enum",
    "errno",
    "functools",
    "genericpath",
    "hashlib",
    "hmac",
    "itertools",
    "json",
    "keyword",
    "linecache",
    "math",
    "operator",
    "os",
    "posixpath",
    "queue",
    "re",
    "reprlib",
    "secrets",
    "select",
    "selectors",
    "signal",
    "socket",
    "stat",
    "struct",
    "sys",
    "threading",
    "time",
    "types",
    "warnings",
}

BLOCK = """
import importlib, importlib.abc, pkgutil, sys
class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"PySide6", "shiboken6", "mcp", "mcp_types", "app", "gui"}:
            raise ModuleNotFoundError(f"{name} is not here", name=name)
sys.meta_path.insert(0, Absent())
import engine
for found in pkgutil.walk_packages(engine.__path__, "engine."):
    importlib.import_module(found.name)
print(sum(name.startswith("engine.") for name in sys.modules))
"""


def _python(code: str, *options: str) -> str:
    done = subprocess.run(
        [sys.executable, *options, "-c", code],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_can_be_imported_alone(package: str) -> None:
    """And is silent about it. Every module of it, in the order of the alphabet, the package itself first."""
    code = (
        "import importlib, pkgutil\n"
        f"package = importlib.import_module({package!r})\n"
        "for found in pkgutil.iter_modules(package.__path__, package.__name__ + '.'):\n"
        "    if not found.name.endswith('__main__'):\n"
        "        importlib.import_module(found.name)\n"
    )
    assert _python(code, "-W", "error::ImportWarning") == ""


def test_the_engine_needs_neither_qt_nor_mcp() -> None:
    assert int(_python(BLOCK)) > 20


def test_the_shim_loads_little() -> None:
    """Compared with a bare interpreter; platform names (``_socket``, ``posix``) and built-ins aside."""
    show = "import json, sys; print(json.dumps(sorted(set(sys.modules) - before)))"
    loaded = json.loads(_python(f"import sys; before = set(sys.modules); import app.ipc.shim; {show}"))
    tops = {name.split(".")[0] for name in loaded if not name.startswith("_") or name.startswith("__")}
    assert sorted(tops - SHIM_MAY_LOAD) == []


def test_the_way_to_the_shim_is_as_short() -> None:
    """``hupo mcp`` goes through ``app.__main__``, which imports only what the word needs."""
    heavy = ("asyncio", "PySide6", "mcp", "numpy", "apsw", "engine", "gui", "argparse", "subprocess", "logging")
    loaded = _python("import sys, app.__main__; print(*sys.modules)").split()
    assert sorted(set(heavy) & set(loaded)) == []

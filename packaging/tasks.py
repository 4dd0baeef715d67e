#!/usr/bin/env python3
"""All developer tasks in one list: ``python3 packaging/tasks.py TASK``.

Standard library only, from a clean clone, with any Python from 3.11 on. Each task first makes the environment
that it needs (``environment.py``). Must not hold product logic: a task starts programs and reports.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import environment
import running

ROOT = environment.ROOT


def call(*command: str | Path, **variables: str) -> int:
    """Run one program of the environment in the checkout; its exit code."""
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=ROOT, env=environment.child_environment(**variables), check=False).returncode


def test(arguments: Sequence[str]) -> int:
    """the whole suite, offscreen (more arguments go to pytest)"""
    environment.prepare(["dev"], qt=True)
    # A file stays in one process: its tests may share a host. More processes than cores only make timings worse.
    spread = [] if {"-n", "--numprocesses"} & {word.split("=")[0] for word in arguments} else ["-n", _processes()]
    environment.say("tests")
    return call(
        environment.python(), "-m", "pytest", *spread, "--dist", "loadfile", *arguments, QT_QPA_PLATFORM="offscreen"
    )


def _processes() -> str:
    return str(max(1, min(4, os.cpu_count() or 1)))


def check(arguments: Sequence[str]) -> int:
    """format, lint, types, architecture rules"""
    if arguments:
        return _no_arguments("check")
    environment.prepare(["dev"], qt=True)
    python = environment.python()
    folders = sorted({path.parent.relative_to(ROOT) for path in (ROOT / "packaging").rglob("*.py")})
    steps: list[tuple[str, list[str]]] = [
        ("format", ["-m", "ruff", "format", "--check", "."]),
        ("lint", ["-m", "ruff", "check", "."]),
        ("types", ["-m", "mypy"]),
        *((f"types of {folder}", ["-m", "mypy", *_scripts(folder)]) for folder in folders),
        ("architecture", ["-m", "pytest", "-q", "tests/architecture"]),
    ]
    failed = []
    for name, words in steps:
        environment.say(name)
        if call(python, *words, QT_QPA_PLATFORM="offscreen") != 0:
            failed.append(name)
    environment.say(f"check failed: {', '.join(failed)}" if failed else "check: all good")
    return 1 if failed else 0


def _scripts(folder: Path) -> list[str]:
    """The programs of a folder; each folder is checked by itself, as it runs."""
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / folder).glob("*.py"))


def bench(arguments: Sequence[str]) -> int:
    """NAME: measure (recall, latency, start, floor; --json FILE)"""
    environment.prepare(["dev"])
    return call(environment.python(), "packaging/bench/run.py", *arguments)


def model(arguments: Sequence[str]) -> int:
    """build the embedding model's files anew and prove them equal (--check)"""
    environment.prepare(["dev", "build"])
    return call(environment.python(), "packaging/model/build.py", *arguments)


def shots(arguments: Sequence[str]) -> int:
    """[DIR]: a picture of every page"""
    environment.prepare(["dev"], qt=True, cjk_font=True)
    return call(environment.python(), "packaging/shots.py", *arguments, QT_QPA_PLATFORM="offscreen")


def bundle(arguments: Sequence[str]) -> int:
    """the program with everything inside, in dist/hupo/"""
    if arguments:
        return _no_arguments("bundle")
    environment.prepare(["build"], qt=True)
    environment.say("bundle")
    words = ["-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "WARN", "build.spec"]
    code = call(environment.python(), *words)
    if code == 0:
        size = sum(path.stat().st_size for path in (ROOT / "dist/hupo").rglob("*") if not path.is_symlink())
        environment.say(f"dist/hupo: {size / 1e6:.0f} MB")
    return code


def _no_arguments(task: str) -> int:
    print(f"tasks.py {task} takes no arguments", file=sys.stderr)
    return 2


TASKS: dict[str, Callable[[Sequence[str]], int]] = {
    "run": running.run,
    "test": test,
    "check": check,
    "bench": bench,
    "model": model,
    "shots": shots,
    "bundle": bundle,
}


def usage() -> str:
    lines = [f"  {name:8}{(task.__doc__ or '').splitlines()[0]}" for name, task in TASKS.items()]
    return "usage: python3 packaging/tasks.py TASK [ARGUMENT …]\n\n" + "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Exit code: that of the task; 1 when the environment could not be made, 2 for wrong usage."""
    if sys.version_info < (3, 11):  # noqa: UP036  (an older Python can get this far, and is told so in words)
        sys.exit(f"Hupo needs Python 3.11 or newer; this is {sys.version.split()[0]}")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    if list(arguments[:1]) in (["-h"], ["--help"], ["help"]):
        print(usage())
        return 0
    if not arguments or arguments[0] not in TASKS:
        print(usage(), file=sys.stderr)
        return 2
    try:
        return TASKS[arguments[0]](arguments[1:])
    except environment.SetupFailed as trouble:
        print(trouble, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""``packaging/tasks.py``: its words and exit codes, and when the environment is (not) made anew."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
TASKS = ["run", "test", "check", "bench", "model", "shots", "bundle"]


def _tasks(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "packaging" / "tasks.py"), *words]
    return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60, check=False)


@pytest.mark.parametrize("words", [(), ("unknown",), ("kill",), ("check", "surplus"), ("run", "--surplus")])
def test_wrong_usage_ends_with_two(words: tuple[str, ...]) -> None:
    done = _tasks(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "tasks.py" in done.stderr


def test_help_lists_every_task_once() -> None:
    done = _tasks("--help")
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")] == TASKS


def test_the_programs_of_the_tasks_are_there() -> None:
    for program in ("bench/run.py", "model/build.py", "shots.py"):
        assert (ROOT / "packaging" / program).is_file()


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module over a small checkout whose ``.venv`` is the one that runs this test, pip apart."""
    spec = importlib.util.spec_from_file_location("environment_under_test", ROOT / "packaging" / "environment.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / ".venv").mkdir()
    (tmp_path / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "_STAMP", tmp_path / ".venv" / "stamp.json")
    monkeypatch.setattr(module, "python", lambda: Path(sys.executable))
    calls: list[list[str]] = []
    monkeypatch.setattr(module, "_pip_install", lambda extras: calls.append(list(extras)))
    monkeypatch.setattr(module, "calls", calls, raising=False)
    return module


def _prepare(environment: ModuleType, *extras: Sequence[str]) -> list[list[str]]:
    environment.calls.clear()
    for each in extras:
        environment.prepare(each)
    return list(environment.calls)


def test_a_fitting_stamp_means_no_work(environment: ModuleType) -> None:
    assert _prepare(environment, ["dev"], ["dev"], []) == [["dev"]]


def test_extras_add_up(environment: ModuleType) -> None:
    assert _prepare(environment, [], ["dev"], ["build"], ["dev", "build"]) == [[], ["dev"], ["build", "dev"]]


def test_other_requirements_mean_another_installation(environment: ModuleType) -> None:
    assert _prepare(environment, ["dev"]) == [["dev"]]
    (environment.ROOT / "pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    assert _prepare(environment, []) == [["dev"]]


@pytest.mark.parametrize("text", ["", "[]", '{"extras": ["dev"]}', "garbage"])
def test_a_spoilt_stamp_is_no_stamp(environment: ModuleType, text: str) -> None:
    environment._STAMP.write_text(text, encoding="utf-8")
    assert _prepare(environment, ["dev"]) == [["dev"]]


def test_a_failed_installation_leaves_no_stamp(environment: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(extras: Sequence[str]) -> None:
        raise environment.SetupFailed("no network")

    assert _prepare(environment, []) == [[]]
    monkeypatch.setattr(environment, "_pip_install", fail)
    with pytest.raises(environment.SetupFailed):
        environment.prepare(["dev"])
    assert not environment._STAMP.exists()


def test_nothing_of_another_python_is_inherited(environment: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    variables = environment.child_environment(QT_QPA_PLATFORM="offscreen")
    assert "PYTHONPATH" not in variables
    assert (variables["PYTHONUTF8"], variables["QT_QPA_PLATFORM"]) == ("1", "offscreen")


def test_the_connection_that_run_prints_is_json(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "packaging"))
    running = importlib.import_module("running")
    running._explain({"data": "琥珀"}, ["--data", "琥珀"])
    printed = capsys.readouterr().out
    entry = json.loads(printed[printed.index("{") : printed.rindex("}") + 1])["mcpServers"]["hupo"]
    assert entry["args"] == ["mcp", "--data", "琥珀"]
    assert Path(entry["command"]).is_absolute()
    assert "Data: 琥珀" in printed

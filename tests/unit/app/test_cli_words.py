"""Words to commands, without a host."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import pytest

from app import __main__ as entry
from app import cli, log
from app.ipc import starter
from engine.errors import NotFound


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ([], None),
        (["mcp"], 0),
        (["--data", "mcp", "status"], 2),
        (["--data=mcp", "mcp"], 1),
        (["--json", "mcp", "--profile", "core"], 1),
        (["--background"], None),
    ],
)
def test_where_the_command_stands(words: list[str], place: int | None) -> None:
    assert entry._command_at(words) == place


def test_data_and_json_may_stand_on_either_side() -> None:
    parser = cli._parser()
    for words in (["--data", "d", "--json", "status"], ["status", "--data", "d", "--json"]):
        options = parser.parse_args(words)
        assert (options.command, options.data, options.json) == ("status", "d", True)
    assert parser.parse_args(["status"]).json is False
    assert parser.parse_args([]).command is None


def test_every_command_has_its_module() -> None:
    for name in set(cli._MODULES.values()):
        assert (Path(cli.__file__).parent / "commands" / f"{name}.py").exists()


def test_the_app_is_started_by_the_same_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HUPO_APP_COMMAND", raising=False)
    command = starter.app_command("/d", "serve")
    assert command[0] == sys.executable and command[-3:] == ["serve", "--data", "/d"]
    monkeypatch.setenv("HUPO_APP_COMMAND", '["other", "-x"]')
    assert starter.app_command("/d", "serve") == ["other", "-x", "serve", "--data", "/d"]


def test_the_log_keeps_places_and_kinds_not_foreign_words(tmp_path: Path) -> None:
    private = "".join(reversed("terces"))  # not as it is in this file: tracebacks show source lines
    before = logging.getLogger().handlers[:], logging.getLogger().level
    try:
        file = log.set_up(str(tmp_path), foreground=False)
        assert file is not None
        try:
            try:
                raise ValueError(f"the user's {private}")
            except ValueError as error:
                raise NotFound(kind="memory", id=7) from error
        except NotFound:
            logging.getLogger("x").exception("went wrong")
        text = Path(file).read_text(encoding="utf-8")
        assert private not in text
        assert "ValueError" in text and "not_found(kind='memory', id=7)" in text and "test_cli_words.py" in text
    finally:
        for handler in logging.getLogger().handlers[:]:
            logging.getLogger().removeHandler(handler)
            handler.close()
        for handler in before[0]:
            logging.getLogger().addHandler(handler)
        logging.getLogger().setLevel(before[1])
        logging.captureWarnings(False)

"""Parameters: the table itself, checking, and the TOML store that keeps what it does not know."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.config import GROUPS, TABLE, Settings
from engine.errors import DiskError, InvalidArgument


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.key)
def test_each_row_is_whole(row: object) -> None:
    assert row.check(row.default) == row.default  # type: ignore[attr-defined]
    assert row.group in GROUPS  # type: ignore[attr-defined]
    for words in (row.label, row.help, GROUPS[row.group]):  # type: ignore[attr-defined]
        assert words["zh"].strip() and words["en"].strip()


def test_values_survive_and_strangers_too(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("# mine\n[future]\nkey = 1 # keep\n\n[recall]\nrrf_k = 70\nunknown = 'x'\n", encoding="utf-8")
    settings = Settings(path)
    assert settings["recall.rrf_k"] == 70
    settings.set("recall.lexical_share", "0.25")
    text = path.read_text(encoding="utf-8")
    assert "# mine" in text and "key = 1 # keep" in text and "unknown = 'x'" in text
    again = Settings(path)
    assert again["recall.lexical_share"] == 0.25
    again.reset("recall.rrf_k")
    assert "rrf_k" not in path.read_text(encoding="utf-8")
    assert Settings(path).changed() == {"recall.lexical_share": 0.25}


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("nothing.here", 1, "unknown_parameter"),
        ("recall.rrf_k", 0, "out_of_range"),
        ("recall.rrf_k", 1.5, "not_whole"),
        ("recall.rrf_k", True, "not_a_number"),
        ("recall.lexical_share", "nan", "not_a_number"),
        ("recall.fusion", "magic", "not_a_choice"),
        ("memory.paused", "perhaps", "not_a_switch"),
    ],
)
def test_bad_values_change_nothing(tmp_path: Path, key: str, value: object, reason: str) -> None:
    settings = Settings(tmp_path / "settings.toml")
    with pytest.raises(InvalidArgument) as caught:
        settings.update({"recall.rrf_k": 61, key: value} if key != "recall.rrf_k" else {key: value})
    assert caught.value.fields["reason"] == reason
    assert settings.changed() == {}
    assert not (tmp_path / "settings.toml").exists()


def test_a_bad_value_in_the_file_falls_back_and_is_told(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("[recall]\nrrf_k = -3\n", encoding="utf-8")
    settings = Settings(path)
    assert settings["recall.rrf_k"] == 60
    assert [error.fields["field"] for error in settings.rejected] == ["recall.rrf_k"]


def test_a_file_that_is_no_toml_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(b"[broken\n\xff")
    with pytest.raises(InvalidArgument):
        Settings(path)
    assert path.read_bytes() == b"[broken\n\xff"


def test_listeners_hear_of_changes_until_they_leave(tmp_path: Path) -> None:
    settings = Settings()
    heard: list[object] = []
    leave = settings.subscribe(lambda values: heard.append(values["recall.rrf_k"]))
    settings.set("recall.rrf_k", 61)
    leave()
    settings.set("recall.rrf_k", 62)
    assert heard == [61]


def test_a_listener_that_fails_keeps_neither_the_setter_nor_the_others(caplog: pytest.LogCaptureFixture) -> None:
    settings = Settings()
    heard: list[object] = []

    def broken(_: object) -> None:
        raise RuntimeError("no")

    settings.subscribe(broken)
    settings.subscribe(lambda values: heard.append(values["recall.rrf_k"]))
    assert settings.set("recall.rrf_k", 61) == 61
    assert heard == [61] and "a listener failed" in caplog.text


@pytest.mark.parametrize("value", [10**400, "\ud800", "1e999"])
def test_values_that_no_file_can_hold_are_refused(value: object) -> None:
    for key in ("recall.recency_days", "embedding.remote_url"):
        if key == "embedding.remote_url" and value == "1e999":
            continue
        with pytest.raises(InvalidArgument):
            Settings().set(key, value)


def test_a_number_beyond_all_bounds_in_the_file_is_rejected_and_not_fatal(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(f"[recall]\nrecency_days = 1{'0' * 400}\n", encoding="utf-8")
    settings = Settings(path)
    assert settings["recall.recency_days"] == 30.0 and len(settings.rejected) == 1


def test_a_file_that_can_not_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(DiskError) as caught:
        Settings(tmp_path)  # a directory
    assert caught.value.fields["path"] == str(tmp_path)

"""What a breath asks each time is answered from indexes alone: at 100,000 memories the wide rows take too long."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.storage import surfacing
from engine.storage.database import Connection, Database
from engine.types import SENSITIVITIES, Filters

NOW = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def cx(data_dir: Path) -> Iterator[Connection]:
    database = Database.open(data_dir)
    with database.reader() as connection:
        yield connection
    database.close()


def _plans(cx: Connection, ask: object) -> str:
    """How SQLite answers what ``ask`` asks."""
    told: list[tuple[str, object]] = []

    def trace(_: object, sql: str, bindings: object) -> bool:
        told.append((sql, bindings))
        return True

    cx.exec_trace = trace
    ask()  # type: ignore[operator]
    cx.exec_trace = None
    return "\n".join(str(row[3]) for sql, given in told for row in cx.execute(f"EXPLAIN QUERY PLAN {sql}", given))


@pytest.mark.parametrize("scope", [None, "talk-1", "all"])
def test_the_profile_and_what_moves_are_read_from_indexes(cx: Connection, scope: str | None) -> None:
    filters = Filters(scope=scope, persona_id="p", statuses=("active",))
    assert "COVERING INDEX memories_standing" in _plans(cx, lambda: surfacing.standing(cx, filters, NOW))
    shown = Filters(scope=scope, statuses=("active",), sensitivities=SENSITIVITIES[:2])
    assert "COVERING INDEX memories_moving" in _plans(cx, lambda: surfacing.feelings(cx, shown, 6.0))

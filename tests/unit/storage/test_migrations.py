"""Steps run once each, whole or not at all; what is newer or foreign is refused."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from engine.errors import CorruptDatabase, NewerSchema
from engine.storage import migrations, schema
from engine.storage.migrations import STEPS, Step
from engine.text.terms import FTS_TOKENIZE

HERE = Path("somewhere/hupo.db")


def _tables(cx: apsw.Connection) -> set[str]:
    return {row[0] for row in cx.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


def test_an_empty_database_becomes_the_present_schema_and_a_second_run_does_nothing() -> None:
    cx = apsw.Connection(":memory:")
    assert migrations.migrate(cx, HERE) == tuple(step.version for step in STEPS)
    assert {"memories", "vitality", "memory_tags", "passages", "vectors", "identities", "journal", "history",
            "settings", "lexical"} <= _tables(cx)  # fmt: skip
    assert migrations.version_of(cx) == migrations.LATEST
    assert migrations.migrate(cx, HERE) == ()


def test_steps_are_numbered_without_gaps() -> None:
    assert [step.version for step in STEPS] == list(range(1, migrations.LATEST + 1))


def test_a_step_that_fails_leaves_the_one_before_in_force() -> None:
    def fail(cx: apsw.Connection) -> None:
        cx.execute("CREATE TABLE half_done (x)")
        raise LookupError

    two = Step(migrations.LATEST + 1, "adds a table", lambda cx: cx.execute("CREATE TABLE two (x)") and None)
    three = Step(migrations.LATEST + 2, "fails", fail)
    cx = apsw.Connection(":memory:")
    with pytest.raises(LookupError):
        migrations.migrate(cx, HERE, (*STEPS, two, three))
    assert migrations.version_of(cx) == two.version
    assert "two" in _tables(cx)
    assert "half_done" not in _tables(cx)
    assert not cx.in_transaction
    mended = Step(three.version, "works", lambda cx: cx.execute("CREATE TABLE three (x)") and None)
    assert migrations.migrate(cx, HERE, (*STEPS, two, mended)) == (three.version,)
    with pytest.raises(NewerSchema):
        migrations.migrate(cx, HERE)


def test_another_programs_database_is_refused() -> None:
    cx = apsw.Connection(":memory:")
    cx.pragma("application_id", 7)
    with pytest.raises(CorruptDatabase) as caught:
        migrations.migrate(cx, HERE)
    assert caught.value.fields == {"path": str(HERE), "detail": "foreign"}
    assert not _tables(cx)


def test_the_word_table_cuts_as_the_prepared_terms_are_made() -> None:
    assert any(FTS_TOKENIZE in text for text in schema.VERSION_1)

"""Numbered steps from an empty file to the present schema, each in one transaction with its version number.

A shipped step never changes. Must not import the modules that read and write the tables: they know only the
newest form. A database from a newer Hupo, or of another program, is refused before anything is written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import apsw

from engine.errors import CorruptDatabase, NewerSchema
from engine.storage import schema


@dataclass(frozen=True, slots=True)
class Step:
    """Brings a database from ``version - 1`` to ``version``; ``apply`` runs inside the step's transaction."""

    version: int
    name: str
    apply: Callable[[apsw.Connection], None]


def _first_schema(cx: apsw.Connection) -> None:
    # One statement at a time: APSW stops a batch at the first statement that returns a row.
    for statement in schema.VERSION_1:
        cx.execute(statement)
    cx.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")


def _atoms_and_graph(cx: apsw.Connection) -> None:
    """The tables only: what they hold of the memories that are there already, the background makes."""
    for statement in schema.VERSION_2:
        cx.execute(statement)


def _digests_topics_review(cx: apsw.Connection) -> None:
    for statement in schema.VERSION_3:
        cx.execute(statement)


STEPS: tuple[Step, ...] = (
    Step(1, "memories, words, vectors, journal, history", _first_schema),
    Step(2, "atoms, graph, validity and the rarer fields", _atoms_and_graph),
    Step(3, "digests, topics, candidates, traits, suggestions", _digests_topics_review),
)
LATEST = STEPS[-1].version


def version_of(cx: apsw.Connection) -> int:
    """The schema version of an open database; 0 = empty."""
    return int(cx.pragma("user_version"))


def check(cx: apsw.Connection, path: Path, supported: int = LATEST) -> int:
    """The version of the database, when it is one that may be opened and changed; reads only.

    Errors: ``NewerSchema``; ``CorruptDatabase`` with detail "foreign" for another program's database.
    """
    version = version_of(cx)
    mark = int(cx.pragma("application_id"))
    tables = cx.execute("SELECT count(*) FROM sqlite_schema").get
    # A file that was never written (crash before the first step) is all zero and may be filled.
    if mark != schema.APPLICATION_ID and (mark or version or tables):
        raise CorruptDatabase(path=str(path), detail="foreign")
    if version > supported:
        raise NewerSchema(path=str(path), found=version, supported=supported)
    return version


def migrate(cx: apsw.Connection, path: Path, steps: tuple[Step, ...] = STEPS) -> tuple[int, ...]:
    """Apply the steps that are missing; returns their versions. A step that fails leaves the one before in force."""
    done: list[int] = []
    version = check(cx, path, steps[-1].version)
    for step in steps:
        if step.version <= version:
            continue
        cx.execute("BEGIN IMMEDIATE")
        try:
            step.apply(cx)
            cx.execute(f"PRAGMA user_version = {step.version:d}")
            cx.execute("COMMIT")
        except BaseException:
            if cx.in_transaction:
                cx.execute("ROLLBACK")
            raise
        done.append(step.version)
    return tuple(done)

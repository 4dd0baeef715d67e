"""Rows of atoms: kept and given back whole, found by memory, by words and by what is due, counted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import apsw
import pytest

from engine.errors import NotFound
from engine.storage import atoms, graph, memories
from engine.storage.database import Database
from engine.text import terms
from engine.types import ALL_SCOPES, Filters

START = datetime(2026, 3, 1, 8, 30, tzinfo=UTC)
Values = Callable[..., dict[str, Any]]


def _row(**given: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "type": "factual", "status": "active", "status_at": START, "conversation_id": None, "persona_id": None,
        "importance": 0.5, "confidence": 0.78, "event_time": None, "created_at": START, "last_accessed_at": None,
        "last_reinforced_at": None, "reinforcement_count": 0, "ttl_days": 180.0,
        "expires_at": START + timedelta(days=180),
    }  # fmt: skip
    return row | given


def _say(cx: Any, values: Values, facts: dict[str, int | None], **given: Any) -> int:
    """A memory that says ``facts``: text → atom."""
    memory_id = memories.insert(cx, values(**given))
    graph.put(cx, memory_id, [graph.Mentioned("fact", text, text, True, atom_id) for text, atom_id in facts.items()])
    return memory_id


def _ask(text: str) -> str:
    return terms.fts_query(terms.query_terms(text))


def test_an_atom_comes_back_as_it_was_stored_with_its_text_and_memories(db: Database, values: Values) -> None:
    given = _row(
        type="planned", conversation_id="c1", persona_id="p", importance=0.25, event_time=START + timedelta(days=3),
        last_accessed_at=START + timedelta(hours=1), last_reinforced_at=START + timedelta(hours=2),
        reinforcement_count=4, ttl_days=2.5,
    )  # fmt: skip
    with db.transaction() as cx:
        atom_id = atoms.insert(cx, given)
        later = _say(cx, values, {"小明明天去杭州": atom_id, "小明去杭州": atom_id})
        last = _say(cx, values, {"小明明日去杭州": atom_id})
    with db.reader() as cx:
        atom = atoms.get_many(cx, [atom_id, atom_id, 99])[atom_id]
        texts = atoms.texts_of(cx, atom_id)
    assert {name: getattr(atom, name) for name in given} == given
    assert (atom.id, atom.text, atom.memory_ids) == (atom_id, "小明明天去杭州", (later, last))
    assert texts == ("小明明天去杭州", "小明去杭州", "小明明日去杭州")


def test_an_atom_that_nothing_mentions_has_no_text(db: Database) -> None:
    with db.transaction() as cx:
        atom_id = atoms.insert(cx, _row())
        atom = atoms.get_many(cx, [atom_id])[atom_id]
        assert (atom.text, atom.memory_ids) == ("", ())
        assert atoms.get_many(cx, []) == {} and atoms.get_many(cx, [1 << 70]) == {}


def test_filters_decide_whose_words_an_atom_shows(db: Database, values: Values) -> None:
    with db.transaction() as cx:
        atom_id = atoms.insert(cx, _row())
        _say(cx, values, {"the secret wording": atom_id}, status="trashed")
        shown = _say(cx, values, {"the open wording": atom_id})
        hidden = atoms.insert(cx, _row())
        _say(cx, values, {"only in a conversation": hidden}, conversation_id="c1")
        found = atoms.get_many(cx, [atom_id, hidden], Filters())
        everywhere = atoms.get_many(cx, [atom_id, hidden], Filters(scope=ALL_SCOPES))
    assert set(found) == {atom_id} and set(everywhere) == {atom_id, hidden}
    assert (found[atom_id].text, found[atom_id].memory_ids) == ("the open wording", (shown,))


def test_what_a_memory_says_is_found_by_the_memory(db: Database, values: Values) -> None:
    with db.transaction() as cx:
        first, second = atoms.insert(cx, _row()), atoms.insert(cx, _row())
        one = _say(cx, values, {"b": second, "a": first, "none": None})
        graph.put(cx, one, [*graph.mentions_of(cx, one), graph.Mentioned("topic", "tea", "tea")])
        two = _say(cx, values, {"c": first})
        assert [atom.id for atom in atoms.of_memory(cx, one)] == [first, second]
        assert atoms.ids_of(cx, [one, two, 99]) == [first, second] and atoms.ids_of(cx, []) == []
        assert atoms.told_by(cx, one) == {"b": second, "a": first, "none": None}
        assert len(atoms.entries_of(cx, [first])) == 2 and atoms.entries_of(cx, []) == []


def test_update_sets_fields_and_refuses_what_is_none(db: Database) -> None:
    with db.transaction() as cx:
        atom_id = atoms.insert(cx, _row())
        atoms.update(cx, atom_id, {"confidence": 0.5, "expires_at": START})
        atoms.update(cx, atom_id, {})
        atom = atoms.get_many(cx, [atom_id])[atom_id]
        assert (atom.confidence, atom.expires_at, atom.importance) == (0.5, START, 0.5)
        with pytest.raises(NotFound):
            atoms.update(cx, 99, {"confidence": 0.5})
        with pytest.raises(ValueError, match="text"):
            atoms.update(cx, atom_id, {"text": "x"})


def test_touch_only_moves_forward_and_leaves_the_forgotten(db: Database) -> None:
    later = START + timedelta(days=1)
    with db.transaction() as cx:
        ids = [atoms.insert(cx, _row(status=status)) for status in ("active", "expired", "forgotten", "purged")]
        atoms.touch(cx, ids, later)
        atoms.touch(cx, ids, START)
        atoms.touch(cx, [], later)
        assert [atom.last_accessed_at for atom in atoms.get_many(cx, ids).values()] == [later, later, None, None]


def test_an_atom_in_use_can_not_be_deleted(db: Database, values: Values) -> None:
    with db.transaction() as cx:
        used, unused = atoms.insert(cx, _row()), atoms.insert(cx, _row())
        _say(cx, values, {"a": used})
        atoms.delete(cx, [unused])
        atoms.delete(cx, [])
        assert set(atoms.get_many(cx, [used, unused])) == {used}
        with pytest.raises(apsw.ConstraintError), cx:
            atoms.delete(cx, [used])


def test_due_are_those_whose_state_has_run_out_and_no_more_than_asked(db: Database) -> None:
    day = timedelta(days=1)
    with db.transaction() as cx:
        alive = atoms.insert(cx, _row(expires_at=START))
        asleep = atoms.insert(cx, _row(status="dormant", expires_at=START - day))
        atoms.insert(cx, _row(expires_at=START + day))
        atoms.insert(cx, _row(status="superseded", expires_at=START - day))
        atoms.insert(cx, _row(status="needs_repair", expires_at=START - day))
        expired = atoms.insert(cx, _row(status="expired", status_at=START - 7 * day))
        atoms.insert(cx, _row(status="expired", status_at=START - 6 * day))
        atoms.insert(cx, _row(status="forgotten", status_at=START - 10 * day))
        forgotten = atoms.insert(cx, _row(status="forgotten", status_at=START - 30 * day))
        atoms.insert(cx, _row(status="purged", status_at=START - 90 * day))
        due = atoms.due(cx, START, START - 7 * day, START - 30 * day, 10)
        assert [one.id for one in due] == [asleep, alive, forgotten, expired]
        assert [one.id for one in atoms.due(cx, START, START - 7 * day, START - 30 * day, 3)] == [
            asleep, alive, forgotten,
        ]  # fmt: skip
        plans = [
            str(cx.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall())
            for sql in (
                "SELECT id FROM atoms WHERE status IN ('active', 'dormant') AND expires_at <= '2026'",
                "SELECT id FROM atoms WHERE status IN ('expired', 'forgotten') AND status_at <= '2026'",
            )
        ]
    assert "atoms_expiry" in plans[0] and "atoms_ended" in plans[1]


def test_the_statuses_behind_an_atom_are_those_of_all_its_memories(db: Database, values: Values) -> None:
    with db.transaction() as cx:
        shared, single = atoms.insert(cx, _row()), atoms.insert(cx, _row())
        one = _say(cx, values, {"a": shared, "b": single})
        _say(cx, values, {"c": shared}, status="trashed")
        assert atoms.statuses_behind(cx, [one]) == {shared: {"active", "trashed"}, single: {"active"}}
        assert atoms.statuses_behind(cx, []) == {}


def test_candidates_are_active_atoms_of_exactly_the_scope(db: Database, values: Values) -> None:
    with db.transaction() as cx:
        wide = atoms.insert(cx, _row())
        mine = atoms.insert(cx, _row(conversation_id="c1", persona_id="p"))
        over = atoms.insert(cx, _row(status="expired"))
        for atom_id, text in ((wide, "green tea at noon"), (mine, "绿茶 green tea"), (over, "green tea, cold")):
            _say(cx, values, {text: atom_id})
        _say(cx, values, {"green tea at noon": wide})
        entries = atoms.entries_with(cx, _ask("green tea"), 10)
        assert len(entries) == 3 and entries == sorted(entries, reverse=True)
        assert atoms.entries_with(cx, _ask("green tea"), 2) == entries[:2] and atoms.entries_with(cx, "", 5) == []
        assert atoms.active_among(cx, entries, None, None) == [atoms.Candidate(wide, "green tea at noon")]
        assert [one.atom_id for one in atoms.active_among(cx, entries, "c1", "p")] == [mine]
        assert atoms.active_among(cx, entries, "c1", None) == [] and atoms.active_among(cx, [], None, None) == []


def test_matches_are_live_filtered_and_once_each(db: Database, values: Values) -> None:
    with db.transaction() as cx:
        ids = [
            atoms.insert(cx, _row(**given))
            for given in ({}, {"type": "preference"}, {"expires_at": START}, {"status": "dormant"}, {})
        ]
        for atom_id in ids[:4]:
            _say(cx, values, {f"tea {atom_id}": atom_id})
        _say(cx, values, {"more about tea": ids[0]})
        _say(cx, values, {"tea of a conversation": ids[4]}, conversation_id="c1")
        found = atoms.matches(cx, _ask("tea"), Filters(), (), START)
        assert [atom_id for atom_id, _ in found] == ids[:2] and found[0][1] == found[1][1] > 0
        assert [one for one, _ in atoms.matches(cx, _ask("tea"), Filters(), ("preference",), START)] == [ids[1]]
        assert ids[4] in dict(atoms.matches(cx, _ask("tea"), Filters(scope="c1"), (), START))
        assert atoms.matches(cx, "", Filters(), (), START) == []


def test_counts_and_broken_ones(db: Database) -> None:
    with db.transaction() as cx:
        later = atoms.insert(cx, _row(status="needs_repair", type="unknown", status_at=START + timedelta(days=1)))
        first = atoms.insert(cx, _row(status="needs_repair", type="unknown"))
        atoms.insert(cx, _row())
        atoms.insert(cx, _row(type="planned", status="expired"))
        assert atoms.broken(cx, 5) == [first, later] and atoms.broken(cx, 1) == [first]
        assert atoms.facets(cx) == {
            "types": {"factual": 1}, "statuses": {"active": 1, "expired": 1, "needs_repair": 2},
        }  # fmt: skip
        assert atoms.count_by_status(cx) == {"active": 1, "expired": 1, "needs_repair": 2}

"""What the pane says of a memory, without a window: fields, facts, names, changes."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.types import ATOM_TYPES, EDITABLE, Actor, Draft, Entity, HistoryEntry, Memory
from gui.browser import field_table, history_lines, readable
from gui.browser.around import MOST_LINKS, Around, links, names, plain, told_facts
from gui.browser.facts_view import caption, holds
from gui.browser.succession import validity
from gui.look import Look
from gui.texts import LANGUAGES, Texts

MOMENT = datetime(2026, 3, 12, 12, 0, tzinfo=UTC)
# Every action that a history row can carry.
ACTIONS = (
    "created", "reinforced", "merged", "superseded", "brought_back", "edited", "trashed", "restored", "undone",
    "erased", "rescued", "relinked", "decayed", "entities_merged", "entity_renamed", "entity_split", "alias_set",
    "alias_dropped", "topic_renamed", "topics_merged", "topic_moved", "topic_alias_added", "topic_alias_dropped",
    "topic_summarised", "topic_removed",
)  # fmt: skip
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


def _rows(memory: Memory, look: Look, around: Around | None = None) -> dict[str, field_table.Row]:
    return {row.name: row for row in field_table.rows(memory, around or Around(memory.id), look)}


def _entry(action: str, before: Any = None, after: Any = None, actor: Actor | None = None) -> HistoryEntry:
    return HistoryEntry(1, MOMENT, actor or Actor("client", "Cursor"), action, 7, before, after)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_field_and_kind_and_state_has_words(language: str) -> None:
    texts = Texts(language)  # type: ignore[arg-type]
    fields = EDITABLE | set(Draft.__dataclass_fields__) | {"superseded_by", "surprise", "strength"}
    wanted = [f"field.{name}" for name in fields]
    wanted += [f"fact.type.{kind}" for kind in ATOM_TYPES]
    wanted += [f"digest.{level}" for level in (1, 2, 3, 4)]
    wanted += [f"history.{action}" for action in ACTIONS]
    assert [key for key in wanted if key not in texts] == []


def test_rare_fields_are_told_where_they_are_there(look: Look, memory: Any) -> None:
    assert "Why" not in _rows(memory(1), look)
    one = memory(
        1, why="Asked about often", effective_methods=("First this", "then that"), context="At dinner",
        persona_summary="She is a friend", entities=("Lena", "Baltic"), topic_path=("Life", "Family"),
        digest_level=2, digest_period="2026-W08", trigger="x > 1", trigger_name="ask", trigger_text="When asked",
        surprise=0.42, modalities=({"kind": "image", "uri": "a.png"},), related=(3, 9), sources=(4,),
        tone={"temp": "warm", "detail": {"pace": "slow", "laughs": True}}, residual={"unsaid": ["rent", 2], "x": None},
    )  # fmt: skip
    rows = _rows(one, look)
    assert rows["What works"].text == "First this\nthen that"
    assert rows["Digest"].text == "Weekly · 2026-W08"
    assert rows["Topic path"].text == "Life › Family" and rows["New at the time"].text == "42%"
    assert rows["Tone"].text == "temp: warm\ndetail:\n    pace: slow\n    laughs: yes"
    assert rows["Other details"].text == "unsaid: rent, 2\nx: none"
    assert rows["Attachments"].text == "kind: image, uri: a.png"
    assert rows["Related"].memories == (3, 9) and rows["Made from"].memories == (4,)
    assert {"Context", "In the persona's words", "Names", "Trigger", "Trigger text", "Trigger script"} <= rows.keys()
    look.set("zh", "light")
    rows = _rows(one, look)
    assert rows["小结"].text == "每周 · 2026-W08" and rows["语气"].text.endswith("laughs：是")
    assert rows["提到的名称"].text == "Lena、Baltic"


def test_what_has_a_place_of_its_own_is_not_told_twice(look: Look, memory: Any, atom: Any) -> None:
    one = memory(1, key_facts=("Likes tea.", "Has a dog"), participants=("Lena",), topics=("pets",))
    rows = _rows(one, look, Around(1, facts=(atom(1, "likes tea"), atom(2, "Lives here"))))
    assert rows["Key facts"].text == "Has a dog"
    assert "People" not in rows and "Topics" not in rows
    assert _rows(memory(1, entities=("Lena", "Baltic"), participants=("lena",)), look)["Names"].text == "Baltic"
    assert _rows(one, look)["Key facts"].text == "Likes tea.\nHas a dog"


@given(value=st.dictionaries(st.text(min_size=1), _JSON, min_size=1, max_size=4))
def test_any_object_can_be_read_and_nothing_of_it_is_lost(value: dict[str, Any]) -> None:
    shown = readable.lines(value, Texts("en"))
    for key, part in value.items():
        assert key in shown
        if isinstance(part, str):
            assert part in shown
    assert readable.blocks([value], Texts("zh"))


def test_deep_objects_end_somewhere() -> None:
    deep: Any = "bottom"
    for _ in range(200):
        deep = {"a": deep}
    assert "bottom" in readable.lines({"top": deep}, Texts("en"))


def test_names_come_from_the_graph_and_from_the_memory_where_it_knows_fewer(memory: Any) -> None:
    one = memory(1, participants=("Ｌena", "Ben"), topics=("maps",))
    assert names(one, Around(1)) == [("person", "Ｌena"), ("person", "Ben"), ("topic", "maps")]
    lena = Entity(1, "person:lena", "person", "Lena", 3, ("Lena", "Ｌena"))
    maps = Entity(2, "topic:maps", "topic", "Old maps", 2)
    tea = Entity(3, "fact:tea", "fact", "likes tea", 2)
    assert names(one, Around(1, entities=(lena, maps, tea))) == [
        ("person", "Lena"), ("person", "Ben"), ("topic", "Old maps"),
    ]  # fmt: skip


def test_the_text_itself_is_no_fact_of_its_own(memory: Any, atom: Any) -> None:
    one = memory(1, content="Likes  green tea.")
    same, other = atom(1, "likes green tea"), atom(2, "Has a dog")
    assert told_facts(one, Around(1, facts=(same,))) == ()
    assert told_facts(one, Around(1, facts=(same, other))) == (same, other)
    assert told_facts(one, Around(1, facts=(other,))) == (other,)
    assert plain("我喜欢茶。") == plain(" 我喜欢茶 ")


def test_links_are_what_replaced_it_and_what_it_is_tied_to(memory: Any) -> None:
    many = tuple(range(100, 200))
    assert links(memory(1, superseded_by=5, related=(5, 6), sources=(6, 7))) == (5, 6, 7)
    assert len(links(memory(1, sources=many))) == MOST_LINKS


def test_a_fact_says_kind_lifetime_and_tellings(look: Look, atom: Any) -> None:
    end = datetime(2999, 5, 21, tzinfo=look.now().astimezone(look.zone).tzinfo)
    plan = atom(1, "comes on Monday", type="planned", expires_at=end, reinforcement_count=2)
    assert caption(plan, look) == "Plan · until 20 May 2999 · told 3 times"
    assert caption(atom(2, "x", memory_ids=(1, 2), expires_at=end), look).endswith("told 2 times")
    assert holds(plan, look)
    past = datetime(2020, 5, 20, 12, tzinfo=UTC)
    # Not swept yet, and yet its time is over.
    over = atom(3, "x", type="preference", expires_at=past)
    assert caption(over, look) == "Preference · expired 20 May 2020" and not holds(over, look)
    assert caption(atom(4, "x", status="forgotten"), look) == "Fact · faded"
    assert caption(atom(5, "x", status="dormant", expires_at=end), look) == "Fact · dormant · until 20 May 2999"
    look.set("zh", "light")
    assert caption(plan, look) == "计划 · 有效至 2999年5月20日 · 说过 3 次"
    for kind in ATOM_TYPES:
        for status in ("active", "dormant", "superseded", "expired", "forgotten", "purged", "needs_repair"):
            assert caption(atom(6, "x", type=kind, status=status), look)


def test_validity_in_dates(look: Look, memory: Any) -> None:
    one, two = datetime(2020, 3, 1, 12, tzinfo=UTC), datetime(2020, 5, 20, 12, tzinfo=UTC)
    assert validity(memory(1), look) == ""
    assert validity(memory(1, valid_from=one), look) == "Valid since 1 March 2020"
    assert validity(memory(1, valid_to=two), look) == "Valid until 20 May 2020"
    assert validity(memory(1, valid_from=one, valid_to=two), look) == "Valid 1 March 2020 – 20 May 2020"
    assert validity(memory(1, valid_from=one, valid_to=one), look) == "Valid on 1 March 2020"
    look.set("zh", "light")
    assert validity(memory(1, valid_from=one, valid_to=two), look) == "有效期：2020年3月1日 – 2020年5月20日"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("action", ACTIONS)
def test_every_action_has_a_sentence(look: Look, language: str, action: str) -> None:
    look.set(language, "light")
    said = history_lines.line(_entry(action), look)
    assert said.what != action and said.when


def test_a_rule_is_named_by_what_it_does(look: Look) -> None:
    rule = Actor("rule", "change")
    said = history_lines.line(_entry("superseded", {"status": "active"}, {"status": "superseded"}, rule), look)
    assert said.what == "Replaced by a newer memory" and said.can_undo
    assert said.when.endswith("by rule: newer replaces older")
    back = history_lines.line(_entry("brought_back", {"status": "superseded"}, {"status": "active"}, rule), look)
    assert back.what == "Holds again, for what replaced it is gone"
    look.set("zh", "light")
    assert history_lines.who(rule, look) == "规则：新的替换旧的"
    assert history_lines.who(Actor("gui", "window"), look) == "你"
    assert history_lines.who(Actor("rule", "unheard of"), look) == "unheard of"


def test_bringing_back_by_hand_is_called_so(look: Look) -> None:
    said = history_lines.line(_entry("edited", {"status": "superseded"}, {"status": "active"}), look)
    assert said.what == "Brought back; it holds again"


def test_a_merge_shows_what_was_told(look: Look) -> None:
    told = json.dumps({"content": "她搬到了\n杭州 <b>", "tags": []}, ensure_ascii=False)
    said = history_lines.line(_entry("merged", {}, {"told": told}), look)
    assert said.told == "她搬到了 杭州 <b>" and said.can_undo
    for broken in ("", "{", "[]", '{"content": 3}', 7, None):
        said = history_lines.line(_entry("merged", {}, {"told": broken}), look)
        assert said.told == "" and not said.can_undo


def test_only_what_changed_something_can_be_undone(look: Look) -> None:
    assert not history_lines.line(_entry("created", None, {}), look).can_undo
    assert not history_lines.line(_entry("reinforced", {}, {}), look).can_undo
    assert not history_lines.line(_entry("erased"), look).can_undo
    grown = history_lines.line(_entry("reinforced", {"tags": ()}, {"tags": ("x",)}), look)
    assert grown.can_undo and grown.what == "Remembered again, with more: Tags"


def test_a_night_tells_how_far_it_went_and_whom_it_put_to_rest(look: Look) -> None:
    rule = Actor("rule", "forgetting")
    night = _entry("decayed", {}, {"day": "2026-03-12", "days": 1, "changed": 9, "dormant": 0, "archived": 0}, rule)
    said = history_lines.line(night, look)
    assert said.what == "Faded by a day" and not said.can_undo and said.when.endswith("by rule: fades with time")
    long = _entry("decayed", {}, {"days": 60, "dormant": 1_200, "archived": 1}, rule)
    assert history_lines.line(long, look).what == "Faded by 60 days · 1,200 fell asleep · 1 archived"
    look.set("zh", "light")
    assert history_lines.line(long, look).what == "淡忘了 60 天 · 1,200 条休眠 · 1 条归档"
    assert history_lines.line(night, look).when.endswith("规则：随时间淡忘")
    for broken in (None, {}, {"days": "x", "dormant": None}):
        assert history_lines.line(_entry("decayed", {}, broken), look).what

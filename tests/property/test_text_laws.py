"""Laws of the text functions, for any text."""

from __future__ import annotations

import unicodedata

import apsw
from hypothesis import assume, example, given
from hypothesis import strategies as st

from engine.text.normalise import content_key, fold, normalise, script_of
from engine.text.passages import LONGEST, MOST, split
from engine.text.terms import FTS_TOKENIZE, bag, fts_query, fts_row, index_terms, query_terms
from engine.text.tokens import cut, estimate

ANY = st.text(st.characters(), max_size=60)
WORDS = st.sampled_from(
    ["琥珀", "成语接龙", "的", "C盘", "API配置", "cdm-xxc", "don't", "20.04", "1,000", "しりとり", "끝말잇기", "★",
     "👍🏽", "running", "C++", "me@x.org", "繁體", "a_b", "×", "ﬁ", "²", "ไทย", "हिन्दी", "\n", "，", "Name: ", "。",
     '"', "\x00", "Ⅷ", "İ"]
)  # fmt: skip
MIXED = st.lists(st.one_of(WORDS, st.text(max_size=6)), max_size=20).flatmap(
    lambda parts: st.sampled_from(["", " ", "\n"]).map(lambda glue: glue.join(parts))
)
TEXTS = st.one_of(ANY, MIXED)


def table(tokenize: str) -> apsw.Connection:
    cx = apsw.Connection(":memory:")
    cx.execute(f'CREATE VIRTUAL TABLE t USING fts5(terms, content="", contentless_delete=1, tokenize="{tokenize}")')
    cx.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, 'row')")
    return cx


@given(TEXTS)
def test_fts5_splits_a_row_exactly_at_its_spaces(text: str) -> None:
    cx = table(FTS_TOKENIZE.removeprefix("porter "))  # as it is, but unstemmed
    cx.execute("INSERT INTO t (rowid, terms) VALUES (1, ?)", (fts_row(text),))
    assert {row[0] for row in cx.execute("SELECT term FROM v")} == set(index_terms(text))


@given(TEXTS)
def test_every_term_of_a_text_finds_it(text: str) -> None:
    cx = table(FTS_TOKENIZE)
    cx.execute("INSERT INTO t (rowid, terms) VALUES (1, ?)", (fts_row(text),))
    for term in query_terms(text):
        assert cx.execute("SELECT count(*) FROM t WHERE t MATCH ?", (fts_query([term]),)).get == 1, term


@given(TEXTS, WORDS, TEXTS)
def test_a_word_between_spaces_is_found(before: str, word: str, after: str) -> None:
    terms = set(query_terms(word))
    assert terms <= set(index_terms(f"{before}. {word} .{after}"))


@given(TEXTS)
def test_terms_hold_nothing_that_fts5_or_sqlite_can_not_take(text: str) -> None:
    for term in index_terms(text):
        assert term and not set(term) & set(" \x00\"'") and term.encode("utf-8")


@given(TEXTS)
def test_query_terms_and_bag_come_from_the_text(text: str) -> None:
    every = index_terms(text)
    assert set(query_terms(text)) <= set(every) and len(set(query_terms(text))) == len(query_terms(text))
    assert bool(query_terms(text)) == bool(every)
    assert bag(text) <= set(every) and bool(bag(text)) == bool(every)


@given(TEXTS)
@example("か\u200b\u3099")
@example("ᄀ\u0301ᅡ")
@example("ǰ\u0345Å")
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert normalise(normalise(text)) == normalise(text)


@given(TEXTS)
def test_canonical_forms_are_the_same_text(text: str) -> None:
    assert content_key(unicodedata.normalize("NFD", text)) == content_key(unicodedata.normalize("NFC", text))
    assert script_of(text) in ("han", "latin", "other")


@given(st.integers(), st.integers())
def test_different_numbers_are_different_texts(one: int, other: int) -> None:
    assume(one != other)
    assert content_key(f"{one} 元") != content_key(f"{other} 元")


LONG = st.tuples(TEXTS, st.integers(1, 400)).map(lambda pair: pair[0] * pair[1])


@given(st.one_of(TEXTS, LONG, st.lists(TEXTS, min_size=3).map(lambda lines: "\n".join(f"A: {line}" for line in lines))))
def test_passages_cover_everything_in_order(content: str) -> None:
    passages = split(content)
    position = 0
    for passage in passages:
        assert position <= passage.start < passage.end <= len(content)
        assert content[position : passage.start].strip() == ""
        assert passage.text == content[passage.start : passage.end] and passage.text.strip()
        position = passage.end
    assert content[position:].strip() == ""
    assert len(passages) <= MOST
    if len(passages) < MOST // 2:
        assert all(estimate(passage.text) <= LONGEST for passage in passages)


@given(st.one_of(TEXTS, LONG), st.integers(-2, 80))
def test_a_cut_is_never_over_the_budget(text: str, tokens: int) -> None:
    short = cut(text, tokens)
    assert estimate(short) <= max(tokens, 0)
    assert short == text or short == "" or (short.endswith("…") and text.startswith(short[:-1]))
    if estimate(text) <= tokens:
        assert short == text

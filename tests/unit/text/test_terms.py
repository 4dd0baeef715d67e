"""Terms, seen by a real FTS5 table: what people look for is found, and nothing raises."""

from __future__ import annotations

from collections.abc import Iterator

import apsw
import pytest

from engine.text.terms import FTS_TOKENIZE, MOST_QUERY_TERMS, bag, fts_query, fts_row, index_terms, query_terms


class Table:
    """A contentless FTS5 table as the store has it."""

    def __init__(self) -> None:
        self.cx = apsw.Connection(":memory:")
        self.cx.execute(
            f'CREATE VIRTUAL TABLE t USING fts5(terms, content="", contentless_delete=1, tokenize="{FTS_TOKENIZE}")'
        )

    def put(self, *texts: str) -> None:
        first = self.cx.execute("SELECT coalesce(max(id), 0) FROM t_docsize").get + 1
        for number, text in enumerate(texts, first):
            self.cx.execute("INSERT INTO t (rowid, terms) VALUES (?, ?)", (number, fts_row(text)))

    def find(self, question: str) -> list[int]:
        expression = fts_query(query_terms(question))
        if not expression:
            return []
        rows = self.cx.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank", (expression,)).fetchall()
        return [row[0] for row in rows]


@pytest.fixture
def table() -> Iterator[Table]:
    made = Table()
    yield made
    made.cx.close()


NOISE = (
    "天气不错",
    "the weather was fine",
    "날씨가 좋다",
    "明日は雨",
    "他的书是我的了在这里",
    "a list of things: 1, 2, 3",
)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("今天玩成语接龙游戏", "成语接龙"),
        ("今日は成語しりとりをした", "しりとり"),
        ("오늘 끝말잇기 게임을 했다", "끝말잇기"),
        ("设备清单(devices) 里有 NAS 和 cdm-xxc", "设备"),
        ("设备清单(devices) 里有 NAS 和 cdm-xxc", "设备清单"),
        ("设备清单(devices) 里有 NAS 和 cdm-xxc", "nas"),
        ("设备清单(devices) 里有 NAS 和 cdm-xxc", "cdm-xxc"),
        ("设备清单(devices) 里有 NAS 和 cdm-xxc", "devices"),
        ("早报 你好", "早报"),
        ("早报 你好", "你好"),
        ("清理了 C 盘", "C盘"),
        ("清理了C盘", "C 盘"),
        ("API配置", "API 配置"),
        ("API 配置", "配置"),
        ("中文优先", "中文"),
        ("琥珀", "珀"),
        ("繁體中文", "繁体"),
        ("简体", "簡體"),
        ("ＧＰＵ", "gpu"),
        ("don't use agents", "don’t use agents"),
        ("Caroline's dog", "Caroline"),
        ("saved in ~/Downloads/transcripts/x", "Downloads/transcripts"),
        ("30 GB/s measured", "GB/s"),
        ("ubuntu 20.04", "ubuntu 20.04"),
        ("run the skill-audits", "skill-audit,"),
        ("a.b.c and user_name", "a.b.c"),
        ("a.b.c and user_name", "user_name"),
        ("a.b.c and user_name", "name"),
        ("written in C++ and C#", "c++"),
        ("written in C++ and C#", "C#"),
        ("mail me@example.org", "ME@example.org"),
        ("see https://example.org/a?b=1", "example.org"),
        ("C:\\Users\\me", "users"),
        ("1,234,567 people", "1234567"),
        ("a crème brûlée", "creme brulee"),
        ("party 🎉🎉", "🎉"),
        ("family 👨‍👩‍👧", "👧"),
        ("trip 🇨🇳🇯🇵", "🇯🇵"),
        ("hook.fire×3|stale→reconnect|JH:重要更动先确认★★★", "★"),
        ("hook.fire×3|stale→reconnect|JH:重要更动先确认★★★", "×"),
        ("hook.fire×3|stale→reconnect|JH:重要更动先确认★★★", "更动"),
        ("ภาษาไทย", "ไทย"),
        ("हिन्दी भाषा", "हिन्दी"),
        ("שָׁלוֹם", "שָׁלוֹם"),
        ("running late", "runs"),
    ],
)
def test_found_by_words_alone(table: Table, text: str, question: str) -> None:
    table.put(*NOISE, text)
    assert table.find(question)[:1] == [len(NOISE) + 1]


def test_whole_identifier_beats_its_parts(table: Table) -> None:
    table.put("cdm and xxc, xxc, cdm", "the cdm-xxc", "C++", "vitamin C", "盘子 C", "C盘", *NOISE)
    assert table.find("cdm-xxc")[0] == 2
    assert table.find("C++")[0] == 3
    assert table.find("C盘")[0] == 6


def test_stop_characters_do_not_flood(table: Table) -> None:
    table.put(*["他的书是我的了在这里"] * 5, "成语接龙")
    assert table.find("什么是成语接龙的规则") == [6]
    assert table.find("我们在哪里玩的成语接龙？") == [6]
    table.put("where is the key", "who was there, what did they do")
    assert table.find("where is my key") == [7]


def test_stop_terms_alone_are_kept() -> None:
    assert query_terms("的") == ["的"]
    assert query_terms("the") == ["the"]
    assert query_terms("什么") == ["什", "么", "什么"]
    assert query_terms("To be or not to be") == ["to", "be", "or", "not"]


def test_pairs_with_content_stay() -> None:
    assert {"目的", "是成"} <= set(query_terms("目的是成语"))


@pytest.mark.parametrize(
    "text", ["", " \n", "?!…", "。，、《》", '"', '""', "*", "()", "-", "_", "\x00", "\ud800", "\u200b"]
)
def test_nothing_to_look_for(table: Table, text: str) -> None:
    table.put("x")
    assert query_terms(text) == [] and index_terms(text) == [] and bag(text) == frozenset()
    assert table.find(text) == []


@pytest.mark.parametrize(
    "question",
    ['"', 'a "b', "AND", "a AND", "NOT x", "NEAR(a b)", "a*", "t:a", "{a b}:c", "^a", "a+b", "(", "\x00a\x00",
     "\ud800a", "\u202e\u05d0\u05d1", "' OR 1=1 --", "a" * 100_000, "-" * 10_000 + "x"],
)  # fmt: skip
def test_any_input_is_a_question(table: Table, question: str) -> None:
    table.put("a near x and אב")
    table.find(question)


def test_a_question_of_thousands_of_terms(table: Table) -> None:
    table.put("w7")
    question = " ".join(f"w{number}" for number in range(30_000))
    assert len(query_terms(question)) == MOST_QUERY_TERMS
    assert table.find(question) == [1]
    assert fts_query([f"w{number}" for number in range(20_000)]).count(" OR ") == 19_999


def test_quotes_and_nul_in_given_terms(table: Table) -> None:
    expression = fts_query(['a"b', "c\x00d", "\ud800", "", "  "])
    assert expression == '"a""b" OR "c d"'
    assert table.cx.execute("SELECT count(*) FROM t WHERE t MATCH ?", (expression,)).get == 0
    assert fts_query([]) == ""


def test_order_and_repeats() -> None:
    assert index_terms("b a b") == ["b", "a", "b"]
    assert query_terms("猫. dog. 猫") == ["猫", "dog"]
    assert index_terms("Caroline's don't we'll've o'neil") == ["caroline", "dont", "we", "oneil", "neil"]
    assert index_terms("C盘") == ["c", "c盘", "盘"]


def test_bag_is_pairs_and_words() -> None:
    assert bag("他喜欢猫 and the Dogs 🎉") == {"他喜", "喜欢", "欢猫", "dogs", "🎉"}
    assert bag("猫") == {"猫"}
    assert bag("the") == {"the"}

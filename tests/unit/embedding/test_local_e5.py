"""The model in the box: shape, determinism, meaning, threads, memory."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from engine.embedding import LocalE5
from engine.embedding.local import MAX_CHARACTERS, MAX_WINDOWS
from engine.errors import EmbedderUnavailable

TEXTS = [
    "用户的猫叫豆豆，三岁",
    "The user works at a bank in Shenzhen",
    "한국어 문장",
    "Привет, мир",
    "😀🎉",
    "",
    "  \n\t",
]

GOLDEN = [0.0817, -0.0081, -0.0121, -0.0317, 0.0957, -0.0548, 0.0066, 0.0653]

ZH = [
    "用户的猫叫豆豆，今年三岁",
    "用户对花生过敏，吃了会起疹子",
    "用户在深圳的一家银行做软件工程师",
    "用户每周三晚上去打羽毛球",
    "用户的妹妹下个月在杭州结婚",
    "用户把备份放在书房的群晖NAS上",
]
EN = [
    "The user's cat is called Doudou and is three years old",
    "The user is allergic to peanuts and gets a rash from them",
    "The user works as a software engineer at a bank in Shenzhen",
    "The user plays badminton every Wednesday evening",
    "The user's sister is getting married in Hangzhou next month",
    "The user keeps backups on a Synology NAS in the study",
]
ZH_QUESTIONS = [
    "我家宠物叫什么名字",
    "我有什么东西不能吃",
    "我是哪家单位的工程师",
    "我平时做什么运动",
    "家里谁要办婚礼",
    "数据备份在哪里",
]
EN_QUESTIONS = [
    "what is my pet called",
    "which food must I avoid",
    "what is my job",
    "which sport do I do",
    "who in my family has a wedding",
    "where are my backups stored",
]


def test_vectors_have_the_stated_shape_and_unit_length(model: LocalE5) -> None:
    vectors = model.embed_passages(TEXTS)
    assert vectors.shape == (len(TEXTS), model.dimension) == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    assert np.isfinite(vectors).all()
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert model.embed_query("猫").shape == (384,)
    assert model.embed_passages([]).shape == (0, 384)


def test_a_vector_does_not_depend_on_its_neighbours_or_on_time(model: LocalE5, models_dir: Path) -> None:
    together = model.embed_passages(TEXTS)
    alone = np.stack([model.embed_passages([text])[0] for text in reversed(TEXTS)])[::-1]
    np.testing.assert_array_equal(together, alone)
    another = LocalE5(models_dir)
    np.testing.assert_array_equal(another.embed_passages(TEXTS), together)
    another.close()


def test_questions_and_passages_are_told_apart(model: LocalE5) -> None:
    assert float(model.embed_query(TEXTS[0]) @ model.embed_passages([TEXTS[0]])[0]) < 0.999


def test_vectors_are_those_of_the_revision(model: LocalE5) -> None:
    """Guards against a graph or a table that loads but computes something else."""
    vector = model.embed_query("我的猫叫什么名字")
    assert model.identity.startswith("multilingual-e5-small/int8-rr/")
    np.testing.assert_allclose(vector[:8], GOLDEN, atol=0.01)


@pytest.mark.parametrize(("questions", "facts"), [(ZH_QUESTIONS, ZH), (EN_QUESTIONS, EN)], ids=["chinese", "english"])
def test_a_question_finds_its_fact(model: LocalE5, questions: list[str], facts: list[str]) -> None:
    matrix = model.embed_passages(facts)
    found = [int(np.argmax(matrix @ model.embed_query(question))) for question in questions]
    assert found == list(range(len(facts)))


def test_a_fact_finds_its_translation(model: LocalE5) -> None:
    chinese, english = model.embed_passages(ZH), model.embed_passages(EN)
    assert np.argmax(chinese @ english.T, axis=1).tolist() == list(range(len(ZH)))
    assert np.argmax(english @ chinese.T, axis=1).tolist() == list(range(len(ZH)))


def test_a_long_text_is_read_to_its_end_within_the_bound(model: LocalE5) -> None:
    start = "今天天气不错，我们去公园散步。" * 60
    plain, other = model.embed_passages([start, start + "The invoice of the dentist is due on Friday. " * 60])
    assert float(plain @ other) < 0.99
    past_the_bound, blank = model.embed_passages([" " * MAX_CHARACTERS + "猫" * 1_000_000, ""])
    np.testing.assert_array_equal(past_the_bound, blank)


def test_windows_cover_a_long_text_in_order(model: LocalE5) -> None:
    model.embed_query("load")
    loaded = model._model
    assert loaded is not None
    text = "我们去公园散步。" * 300
    prefix = [7, 8]
    windows = loaded._windows(text, prefix)
    ids = loaded._tokenizer.encode(text)
    assert [token for window in windows for token in window[3:-1]] == ids
    assert all(window[0] == 0 and window[-1] == 2 and window[1:3] == prefix for window in windows)
    assert max(map(len, windows)) == 512
    assert len(loaded._windows("a b " * 9_000, prefix)) == MAX_WINDOWS


def test_many_threads_get_the_same_vectors_while_it_is_unloaded_again_and_again(models_dir: Path) -> None:
    embedder = LocalE5(models_dir)
    expected = embedder.embed_passages(ZH)
    start = threading.Barrier(5)

    def work(seed: int) -> bool:
        start.wait(timeout=30)
        equal = True
        for turn in range(6):
            equal &= bool((embedder.embed_passages(ZH) == expected).all())
            if (turn + seed) % 3 == 0:
                embedder.unload()
        return equal

    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(work, seed) for seed in range(4)]
        start.wait(timeout=30)
        assert all(future.result(timeout=120) for future in futures)
    embedder.close()


def test_it_loads_once_for_threads_that_come_together(models_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.embedding import local

    loads: list[int] = []
    real = local._load

    def counted(*arguments: object) -> object:
        loads.append(1)
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(local, "_load", counted)
    embedder = LocalE5(models_dir)
    assert not embedder.loaded
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(embedder.embed_query, ["a", "b", "c", "d"]))
    assert embedder.loaded
    assert len(loads) == 1
    embedder.close()


def test_unload_frees_the_model_and_the_next_call_loads_it_again(models_dir: Path) -> None:
    embedder = LocalE5(models_dir)
    before = embedder.embed_query("猫")
    held = weakref.ref(embedder._model)
    embedder.unload()
    gc.collect()
    assert held() is None
    assert not embedder.loaded
    embedder.unload()
    np.testing.assert_array_equal(embedder.embed_query("猫"), before)
    assert embedder.loaded
    embedder.close()
    with pytest.raises(EmbedderUnavailable) as caught:
        embedder.embed_query("猫")
    assert caught.value.fields["reason"] == "closed"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_unload_gives_memory_back_to_the_system(models_dir: Path) -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096

    embedder = LocalE5(models_dir)
    embedder.embed_passages(ZH)
    full = resident()
    embedder.unload()
    assert full - resident() > 40_000_000
    embedder.close()


def test_half_a_surrogate_pair_is_no_reason_to_fail(model: LocalE5) -> None:
    assert np.isfinite(model.embed_query("猫\ud83d")).all()

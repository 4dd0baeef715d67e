"""The user model through the real service: evidence counts once, traits are ranked, every decision can be undone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from engine import Service, Settings
from engine.clock import MovableClock
from engine.errors import Conflict, HupoError, InvalidArgument, NotFound
from engine.types import Actor, Changes, Draft, Trait

WAIT = 20.0
CLIENT = Actor("client", "assistant")
WINDOW = Actor("gui", "window")
Opener = Callable[..., Service]


@pytest.fixture
def service(open_service: Opener) -> Service:
    settings = Settings()
    settings.set("embedding.provider", "none")
    made = open_service(settings=settings)
    made.idle().result(WAIT)
    return made


def tell(service: Service, trait: str, *evidence: str, **more: Any) -> int:
    for one in evidence:
        done = service.user_model.update(trait, one, CLIENT, **more).result(WAIT)
        assert done.counted
    return done.traits[0].id


def ranking(service: Service, **more: Any) -> list[tuple[str, float]]:
    return [(one.trait, one.weight) for one in service.user_model.top(**more).result(WAIT).items]


def undos(service: Service) -> list[int]:
    """The undos there were, the latest first."""
    return [one.id for one in service.history(0).result(WAIT) if one.action == "undone"]


def shown(service: Service, trait_id: int) -> Trait:
    return next(one for one in service.user_model.top(100).result(WAIT).items if one.id == trait_id)


def test_each_piece_of_evidence_is_worth_one(service: Service, clock: MovableClock) -> None:
    tell(service, "喜欢喝茶", "每天早上泡一壶")
    clock.advance(timedelta(minutes=1))
    tell(service, "Night owl", "writes at 2 am", "sleeps until noon")
    clock.advance(timedelta(minutes=1))
    tell(service, "Runs", "a marathon in May")
    assert ranking(service) == [("Night owl", 2), ("Runs", 1), ("喜欢喝茶", 1)]  # weight, then what is newer
    assert ranking(service, limit=1) == [("Night owl", 2)]
    page = service.user_model.top(1).result(WAIT)
    assert (page.total, page.hidden) == (3, 0)
    clock.advance(timedelta(minutes=1))
    tell(service, "喜欢喝茶", "去了杭州看茶园")
    top = service.user_model.top().result(WAIT).items[0]
    assert (top.trait, top.weight, [one.text for one in top.evidence]) == (
        "喜欢喝茶", 2, ["去了杭州看茶园", "每天早上泡一壶"],
    )  # fmt: skip
    assert top.strengthened_at == clock.now() > top.created_at


def test_ten_are_shown_unless_more_are_asked_for(service: Service) -> None:
    for at in range(12):
        tell(service, f"trait {at}", "seen")
    assert len(service.user_model.top().result(WAIT).items) == 10
    assert len(service.user_model.top(12).result(WAIT).items) == 12
    for bad in (0, 201, True, "3"):
        with pytest.raises(InvalidArgument):
            service.user_model.top(bad).result(WAIT)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other"), [("喜歡喝茶", "喜欢喝茶。"), ("Night Owl", "night  owl"), ("ＤＩＹ 爱好者", "DIY爱好者")]
)
def test_one_trait_in_many_spellings(service: Service, one: str, other: str) -> None:
    first = tell(service, one, "first")
    assert tell(service, other, "second") == first
    assert ranking(service) == [(one, 2)]


def test_the_same_evidence_counts_once(service: Service) -> None:
    tell(service, "Night owl", "Writes at 2 am")
    again = service.user_model.update("night owl", "writes  at 2 AM", CLIENT).result(WAIT)
    assert (again.counted, again.history_id, again.traits[0].weight) == (False, None, 1)
    tell(service, "Novelist", "writes at 2 am")  # of another trait it is evidence, too


def test_what_is_not_given_well_is_refused(service: Service) -> None:
    for trait, evidence, field, reason in (
        ("", "x", "trait", "empty"), ("x", " \n", "evidence", "empty"), ("x" * 201, "y", "trait", "too_long"),
        ("x", "\ud800", "evidence", "not_unicode"), (3, "x", "trait", "not_text"),
    ):  # fmt: skip
        with pytest.raises(InvalidArgument) as refused:
            service.user_model.update(trait, evidence, CLIENT).result(WAIT)  # type: ignore[arg-type]
        assert (refused.value.fields["field"], refused.value.fields["reason"]) == (field, reason)
    with pytest.raises(NotFound):
        service.user_model.update("x", "y", CLIENT, memory_id=99).result(WAIT)
    with pytest.raises(InvalidArgument):
        service.user_model.update("x", "y", CLIENT, sensitivity="secret").result(WAIT)  # type: ignore[arg-type]
    assert ranking(service) == []


def test_rename_keeps_the_old_names_and_can_be_undone(service: Service) -> None:
    one = tell(service, "夜貓子", "凌晨两点还在写")
    tell(service, "早起", "六点跑步")
    done = service.user_model.rename(one, "习惯熬夜", WINDOW).result(WAIT)
    assert [trait.trait for trait in done.traits] == ["习惯熬夜"]
    assert tell(service, "夜猫子", "中午才起") == one and tell(service, "习惯熬夜", "半夜回消息") == one
    with pytest.raises(InvalidArgument) as refused:
        service.user_model.rename(one, "早 起", WINDOW).result(WAIT)
    assert refused.value.fields == {"field": "trait", "reason": "taken"}
    back = service.undo(done.history_id or 0, WINDOW).result(WAIT)
    assert back.action == "undone" and ranking(service)[0] == ("夜貓子", 3)  # what came since stays
    with pytest.raises(Conflict) as again:
        service.undo(done.history_id or 0, WINDOW).result(WAIT)
    assert again.value.fields["reason"] == "already_undone"
    service.undo(back.history_ids[0], WINDOW).result(WAIT)
    assert ranking(service)[0] == ("习惯熬夜", 3)


def test_merge_counts_the_same_evidence_once_and_can_be_undone(service: Service) -> None:
    tea = tell(service, "Likes tea", "orders oolong", "owns six pots")
    other = tell(service, "Tea lover", "Owns six pots", "grows tea", sensitivity="medium")
    before = service.user_model.top().result(WAIT)
    done = service.user_model.merge([other, tea], tea, WINDOW).result(WAIT)
    assert ranking(service) == [("Likes tea", 3)] and done.traits[0].sensitivity == "medium"
    assert tell(service, "TEA LOVER", "asks for sencha") == tea
    service.undo(done.history_id or 0, WINDOW).result(WAIT)
    assert ranking(service) == [("Likes tea", 3), ("Tea lover", 2)]  # the newest stays where it was put
    assert shown(service, other) == next(one for one in before.items if one.id == other)
    assert tell(service, "tea lover", "again its own") == other
    with pytest.raises(InvalidArgument):
        service.user_model.merge([tea], tea, WINDOW).result(WAIT)


def test_forget_is_undone_unless_it_is_there_again(service: Service) -> None:
    one = tell(service, "爱吃辣", "点了水煮鱼", "随身带辣酱")
    done = service.user_model.forget([one], WINDOW).result(WAIT)
    assert done.traits == () and ranking(service) == []
    back = service.undo(done.history_id or 0, WINDOW).result(WAIT)
    assert ranking(service) == [("爱吃辣", 2)] and len(shown(service, one).evidence) == 2
    service.undo(back.history_ids[0], WINDOW).result(WAIT)
    assert tell(service, "爱吃辣", "又点了一次") != one
    with pytest.raises(Conflict) as refused:
        service.undo(undos(service)[0], WINDOW).result(WAIT)
    assert refused.value.fields["reason"] == "changed_since"
    with pytest.raises(NotFound):
        service.user_model.forget([one], WINDOW).result(WAIT)


def test_evidence_is_taken_back_and_with_the_last_of_it_the_trait(service: Service) -> None:
    first = service.user_model.update("Runs", "a marathon", CLIENT).result(WAIT)
    second = service.user_model.update("Runs", "new shoes", CLIENT).result(WAIT)
    with pytest.raises(Conflict):  # the trait can not go while something speaks for it
        service.undo(first.history_id or 0, WINDOW).result(WAIT)
    service.undo(second.history_id or 0, WINDOW).result(WAIT)
    assert ranking(service) == [("Runs", 1)]
    service.undo(first.history_id or 0, WINDOW).result(WAIT)
    assert ranking(service) == []
    with pytest.raises(Conflict):  # the second's trait is gone meanwhile
        service.undo(undos(service)[1], WINDOW).result(WAIT)
    tell(service, "Swims", "every Monday")
    twice = service.user_model.update("Swims", "a new cap", CLIENT).result(WAIT)
    service.undo(twice.history_id or 0, WINDOW).result(WAIT)
    tell(service, "Swims", "a new cap")
    with pytest.raises(Conflict):  # it is there again
        service.undo(undos(service)[0], WINDOW).result(WAIT)


def test_evidence_of_an_erased_memory_leaves_no_word(service: Service, data_dir: Path) -> None:
    def memory(text: str) -> int:
        return service.memorize(Draft(text), CLIENT).result(WAIT).memory.id

    diary, note = memory("Diary: quux-frobnicate at the clinic"), memory("Note: bought a bicycle")
    clinic = tell(service, "Sees a quux-frobnicate doctor", "quux-frobnicate on Monday", memory_id=diary)
    bike = tell(service, "Cycles", "bought a bicycle", memory_id=note)
    first = service.user_model.update("Cycles", "rides past quux-frobnicate", CLIENT).result(WAIT)
    assert first.counted
    # Which memory says it came to be known later.
    service.user_model.update("Cycles", "rides past quux-frobnicate", CLIENT, memory_id=diary).result(WAIT)
    kept = service.user_model.rename(bike, "Goes by bicycle", WINDOW).result(WAIT)
    service.user_model.rename(clinic, "Sees doctor quux-frobnicate", WINDOW).result(WAIT)
    service.user_model.forget([clinic], WINDOW).result(WAIT)
    again = tell(service, "Sees a quux-frobnicate doctor", "again: quux-frobnicate", memory_id=diary)
    service.user_model.rename(again, "Dr quux-frobnicate", WINDOW).result(WAIT)
    service.erase([diary], WINDOW).result(WAIT)
    assert ranking(service) == [("Goes by bicycle", 1)]
    assert [one.text for one in shown(service, bike).evidence] == ["bought a bicycle"]
    with pytest.raises(Conflict) as refused:
        service.undo(first.history_id or 0, WINDOW).result(WAIT)
    assert refused.value.fields["reason"] == "erased"
    service.undo(kept.history_id or 0, WINDOW).result(WAIT)
    assert ranking(service) == [("Cycles", 1)]
    service.close()
    assert not [path for path in data_dir.rglob("*") if path.is_file() and b"quux" in path.read_bytes()]


def test_what_is_sensitive_is_hidden_and_counted(service: Service) -> None:
    secret = service.memorize(Draft("Takes pills", sensitivity="high"), CLIENT).result(WAIT).memory.id
    tell(service, "Is ill", "takes pills", memory_id=secret)
    tell(service, "In therapy", "every Friday", sensitivity="high")
    tell(service, "Cooks", "soup on Sunday")
    told = service.user_model.update("Cooks", "soup with pills", CLIENT, memory_id=secret).result(WAIT)
    assert told.traits[0].evidence == ()
    page = service.user_model.top().result(WAIT)
    assert ([(one.trait, one.weight) for one in page.items], page.total, page.hidden) == ([("Cooks", 2)], 1, 2)
    assert ([one.text for one in page.items[0].evidence], page.items[0].evidence_total) == (["soup on Sunday"], 1)
    every = service.user_model.top(include_sensitive=True).result(WAIT)
    assert (len(every.items), every.hidden, len(every.items[0].evidence)) == (3, 0, 2)
    tell(service, "In therapy", "and on Monday")
    assert service.user_model.top().result(WAIT).hidden == 2  # once sensitive, it stays so


def test_a_secret_in_evidence_is_masked_or_hides_the_trait(service: Service) -> None:
    key = "ghp_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO2oPvrp"[:36]
    service.settings.set("privacy.secrets", "mask")
    one = tell(service, "Deploys by hand", f"pasted {key}")
    assert key not in shown(service, one).evidence[0].text
    service.settings.set("privacy.secrets", "mark")
    service.user_model.rename(one, f"Uses {key}", WINDOW).result(WAIT)
    tell(service, "Careless", f"posted {key}")
    assert (ranking(service), service.user_model.top().result(WAIT).hidden) == ([], 2)


def test_views_hear_of_it_and_paused_clients_do_not_write(service: Service) -> None:
    heard: list[Changes] = []
    service.subscribe(heard.append)
    one = tell(service, "one", "x")
    two = tell(service, "two", "x")
    service.user_model.rename(one, "uno", WINDOW).result(WAIT)
    service.user_model.merge([two], one, WINDOW).result(WAIT)
    service.user_model.forget([one], WINDOW).result(WAIT)
    service.settings.set("memory.paused", True)
    with pytest.raises(HupoError):
        service.user_model.update("three", "x", CLIENT).result(WAIT)
    service.close()
    assert [change.action for change in heard] == [
        "trait_updated", "trait_updated", "trait_renamed", "traits_merged", "traits_forgotten",
    ]  # fmt: skip
    assert all(len(change.history_ids) == 1 for change in heard)

"""A candidate and its memory through faults: whatever ends an approval, both are there or neither is."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from engine import Service, Settings
from engine.types import Actor, Draft, Filters, Listing

WAIT = 20.0
WINDOW = Actor("gui", "window")


@pytest.fixture
def opened(open_service: Callable[..., Service]) -> Callable[[], Service]:
    def make() -> Service:
        settings = Settings()
        settings.set("embedding.provider", "none")
        service = open_service(settings=settings)
        service.idle().result(WAIT)
        return service

    return make


def memories(service: Service) -> dict[int, str]:
    return {one.id: one.content for one in service.list(Listing(limit=200)).result(WAIT).memories}


def test_a_memory_and_its_candidate_change_together_or_not_at_all(opened: Callable[[], Service]) -> None:
    service = opened()
    (one,) = service.candidates.offer([Draft("all or nothing", importance=0.8)], WINDOW).result(WAIT).pending
    with service._database.transaction() as cx:
        cx.execute(
            "CREATE TRIGGER broken BEFORE UPDATE ON candidates BEGIN SELECT RAISE(ABORT, 'the power is gone'); END"
        )
    with pytest.raises(apsw.ConstraintError):
        service.candidates.approve([one.id], WINDOW).result(WAIT)
    assert memories(service) == {} and service.candidates.list().result(WAIT).items == (one,)
    with service._database.transaction() as cx:
        cx.execute("DROP TRIGGER broken")
    (done,) = service.candidates.approve([one.id], WINDOW).result(WAIT)
    assert done.outcome == "stored"


_CHILD = """
import sys
from pathlib import Path
from engine import Service, Settings
from engine.embedding import NoEmbedder
from engine.types import Actor, Draft
me = Actor("gui", "window")
settings = Settings()
settings.set("embedding.provider", "none")
service = Service.open(Path(sys.argv[1]), settings, embedder_factory=lambda _: NoEmbedder())
drafts = [Draft(f"number {at} of the crash", importance=0.8) for at in range(60)]
ids = [one.id for one in service.candidates.offer(drafts, me).result(20).pending]
waiting = [service.candidates.approve([one], me) for one in ids]
for one in waiting:
    one.result(20)
    print("done", flush=True)
"""


def test_killed_amid_approvals_each_is_whole(opened: Callable[[], Service], data_dir: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", _CHILD, str(data_dir)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    for _ in range(5):
        assert child.stdout.readline() == b"done\n"
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=WAIT)
    service = opened()
    approved = service.candidates.list("approved", 100).result(WAIT)
    pending = service.candidates.list("pending", 100).result(WAIT)
    assert approved.total >= 5 and approved.total + pending.total == 60
    assert {one.memory_id: one.draft.content for one in approved.items} == memories(service)
    everyone = [one.id for one in (*approved.items, *pending.items)]
    again = service.candidates.approve(everyone, WINDOW).result(WAIT)
    assert len({done.memory.id for done in again}) == 60
    assert service.count(Filters()).result(WAIT) == 60

"""Calm, busy or in trouble: what counts as which."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine import Service, Settings
from engine.types import StoreStatus, VectorStatus
from gui.bridge import Bridge, Courier
from gui.health import PATIENCE_SECONDS, Condition, Health
from gui.texts import Texts

STATUS = StoreStatus(
    data_directory="", schema=1, counts={"active": 3, "archived": 1, "trashed": 2}, by_layer={}, lexical_rows=4,
    vectors=VectorStatus("e5", 384, "ready", 4, 4, True), journal_open=0, journal_failed=0, database_bytes=1,
    paused=False,
)  # fmt: skip


class Watch:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def health(service: Service, settings: Settings, ports: Any, courier: Courier, watch: Watch) -> Any:
    bridge = Bridge(courier, service, settings, ports)
    yield Health(service, settings, ports, courier, bridge, now=watch)
    bridge.close()


def test_calm(health: Health) -> None:
    health._arrived(STATUS)
    assert health.condition.state == "calm" and health.condition.alive == 4 and health.condition.trashed == 2
    assert health.condition.sentence(Texts("en")) == "All is well"


def test_missing_vectors_are_work(health: Health) -> None:
    health._arrived(replace(STATUS, vectors=replace(STATUS.vectors, state="filling", wanted=10)))
    assert health.condition.state == "busy"
    assert health.condition.sentence(Texts("en")) == "Learning the meaning of 6 passages"


def test_what_passes_is_work_until_it_stays(health: Health, watch: Watch) -> None:
    away = replace(STATUS, trouble=("embedder_unavailable",), vectors=replace(STATUS.vectors, state="unavailable"))
    health._arrived(away)
    assert health.condition.state == "busy"
    watch.seconds = PATIENCE_SECONDS + 1
    health._arrived(away)
    assert health.condition.state == "trouble"
    assert health.condition.sentence(Texts("en")) == "Searching by words only"
    health._arrived(STATUS)
    assert health.condition.state == "calm"
    health._arrived(away)
    assert health.condition.state == "busy"


def test_what_failed_is_trouble_at_once(health: Health) -> None:
    health._arrived(replace(STATUS, trouble=("journal_failed",), journal_failed=1))
    assert health.condition.state == "trouble"
    assert health.condition.sentence(Texts("zh")) == Texts("zh")("condition.journal_failed")


def test_paused_is_told(health: Health, settings: Settings) -> None:
    settings.set("memory.paused", True)
    health._arrived(STATUS)
    assert health.condition.paused and health.condition.sentence(Texts("en")) == "Remembering is paused"


def test_the_real_service_is_asked(health: Health, remember: Any, until: Any, data_dir: Path) -> None:
    remember("green tea")
    until(lambda: health.condition.alive == 1)
    assert health.condition.state == "calm"
    assert Condition().state == "calm"

"""A disk that fills up under the real host: each write says so, nothing is half stored, and room makes it well."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="needs to be root on POSIX")
WAIT = 60.0
DISK = 6 * 1024 * 1024
WORDS_ONLY = '[embedding]\nprovider = "none"\n'


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data directory that is a file system of a few megabytes."""
    where = tmp_path / "磁盘"
    where.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(where)], check=False).returncode:
        pytest.skip("no right to mount")
    (where / "settings.toml").write_text(WORDS_ONLY, encoding="utf-8")
    yield where
    # A host that the test left is ended after this fixture's users: the mount goes once nobody uses it.
    subprocess.run(["umount", "--lazy", str(where)], check=True)


@pytest.fixture
def ballast(data: Path) -> Callable[[int], None]:
    """``ballast(room)`` takes all of the disk but about ``room`` bytes; called again it changes what is taken."""

    def take(room: int) -> None:
        path = data / "ballast"
        path.unlink(missing_ok=True)
        free = os.statvfs(data)
        with path.open("wb", buffering=0) as file:
            for _ in range(max(0, free.f_bavail * free.f_bsize - room) // 4096):
                file.write(b"0" * 4096)

    return take


def texts(seed: int) -> Iterator[str]:
    """Endless long memories of which no two share a word but the marker's parts."""
    dice = random.Random(seed)
    number = 0
    while True:
        yield f"marker{seed}x{number} " + " ".join(f"{dice.getrandbits(48):x}" for _ in range(1500))
        number += 1


def call(client: Any, tool: str, **arguments: Any) -> dict[str, Any]:
    """The result as it is; what is no answer of the tool fails."""
    answer = client.call(tool, arguments, seconds=WAIT)
    assert "error" not in answer, answer
    result: dict[str, Any] = answer["result"]
    return result


def fill(client: Any, seed: int) -> tuple[list[str], dict[str, Any]]:
    """Remember until it fails: what was acknowledged, and the failure."""
    kept: list[str] = []
    for text in texts(seed):
        result = call(client, "memorize", content=text)
        if result["isError"]:
            return kept, result
        kept.append(text)
        assert len(kept) * 20_000 < 3 * DISK, "the disk never filled up"
    raise AssertionError


def found(client: Any, text: str) -> list[str]:
    result = call(client, "recall", query=text.split()[0], k=1, budget=20_000)
    assert not result["isError"], result
    return [one["text"] for one in result["structuredContent"]["memories"]]


def total(client: Any) -> int:
    count: int = call(client, "list_memories", limit=1)["structuredContent"]["total"]
    return count


def test_writes_say_that_the_disk_is_full_and_work_again_when_there_is_room(
    host: Callable[..., Any], shim: Callable[..., Any], ballast: Callable[[int], None], data: Path
) -> None:
    running, client = host(), shim("--wait", "60")
    client.handshake()
    ballast(3 * 1024 * 1024)
    kept, failure = fill(client, 1)
    assert len(kept) > 5
    assert failure["structuredContent"]["code"] == "disk_full"
    (block,) = failure["content"]
    assert "disk is full" in block["text"] and "free some space" in block["text"]
    refused = next(text for number, text in enumerate(texts(1)) if number == len(kept))
    for number in range(5):
        again = call(client, "memorize", content=f"{refused} {number}")
        assert again["structuredContent"]["code"] == "disk_full", "it goes on saying so"
    assert total(client) == len(kept)
    assert found(client, kept[0]) == [kept[0]] and found(client, kept[-1]) == [kept[-1]]
    assert refused not in found(client, refused), "nothing of it is there"
    assert call(client, "memory_status")["isError"] is False

    ballast(2 * 1024 * 1024)
    more = [text for text, _ in zip(texts(2), range(3), strict=False)]
    for text in (refused, *more):
        assert call(client, "memorize", content=text)["structuredContent"]["outcome"] == "stored"
    edited = call(client, "edit_memory", id=1, title="after the flood")
    assert not edited["isError"], edited
    assert total(client) == len(kept) + 4
    (data / "ballast").unlink()
    assert running.terminate() == 0

    host()
    again = shim()
    again.handshake()
    assert call(again, "memory_status")["structuredContent"]["counts"] == {"active": len(kept) + 4}
    assert found(again, refused) == [refused] and found(again, kept[0]) == [kept[0]]


def test_trash_and_undo_on_a_full_disk_change_nothing_or_all(
    host: Callable[..., Any], shim: Callable[..., Any], ballast: Callable[[int], None]
) -> None:
    host()
    client = shim()
    client.handshake()
    ballast(2 * 1024 * 1024)
    kept, _ = fill(client, 3)
    ballast(0)
    expected = len(kept)
    for number in range(1, 6):
        result = call(client, "forget_memory", id=number)
        if result["isError"]:
            assert result["structuredContent"]["code"] == "disk_full"
            continue
        expected -= 1
    assert total(client) == expected


@pytest.mark.parametrize("first", [True, False], ids=["nothing there yet", "memories there"])
def test_a_start_on_a_full_disk_says_so_in_one_line(
    hupo: Callable[..., Any], ballast: Callable[[int], None], data: Path, first: bool
) -> None:
    if not first:
        assert hupo("remember", "记在磁盘满之前").returncode == 0
    ballast(0)
    for command in (("serve",), ("recall", "地方")):
        done = hupo(*command)
        assert done.returncode == 1 and done.stdout == ""
        said = done.stderr.strip().splitlines()
        assert "room" in said[-1] and "Free some space" in said[-1]
        assert len(said) == len(command), "a command that starts a host says so in a line before"
    (data / "ballast").unlink()
    assert hupo("remember", "现在有地方了").returncode == 0
    assert "现在有地方了" in hupo("recall", "地方").stdout
    if not first:
        assert "记在磁盘满之前" in hupo("recall", "之前").stdout

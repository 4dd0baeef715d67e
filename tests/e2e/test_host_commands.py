"""The command line against real hosts: results, exit codes, words, UTF-8."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TEXT = "SESSION:2026-04-16|hook.fire×3|stale→reconnect|JH:重要更动先确认★★★"
BARE = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}


def test_status_without_a_host(hupo: Any, data: Path) -> None:
    plain = hupo("status")
    assert plain.returncode == 1 and plain.stdout == "" and len(plain.stderr.strip().splitlines()) == 1
    found = hupo("status", "--json")
    assert found.returncode == 1
    assert json.loads(found.stdout)["running"] is False


def test_status_of_a_running_host(host: Any, hupo: Any, transport: str) -> None:
    running = host(transport=transport)
    found = json.loads(hupo("status", "--json").stdout)
    assert (found["running"], found["pid"], found["transport"]) == (True, running.process.pid, transport)
    plain = hupo("status")
    assert plain.returncode == 0 and transport in plain.stdout


def test_remember_recall_forget_on_a_running_host(host: Any, hupo: Any) -> None:
    host()
    stored = json.loads(hupo("remember", TEXT, "--tag", "试验", "--json").stdout)
    again = json.loads(hupo("--json", "remember", TEXT).stdout)
    assert (stored["outcome"], again["outcome"], again["id"]) == ("stored", "reinforced", stored["id"])
    assert TEXT in hupo("recall", "重要更动").stdout
    gone = hupo("forget", str(stored["id"]))
    assert gone.returncode == 0 and gone.stdout.strip() == f"trashed {stored['id']}"
    assert hupo("recall", "重要更动").stdout.strip() == "-"
    missing = hupo("forget", "999")
    assert missing.returncode == 1 and "999" in missing.stderr and missing.stdout == ""


def test_without_a_host_one_is_started_and_stopped(hupo: Any, data: Path) -> None:
    stored = hupo("remember", "-", "--json", text=TEXT, **BARE)
    assert stored.returncode == 0, stored.stderr
    assert hupo("status").returncode == 1, "it is stopped again"
    found = hupo("recall", "重要更动", **BARE)
    assert found.returncode == 0 and TEXT in found.stdout


def test_settings_with_and_without_a_host(host: Any, hupo: Any, data: Path) -> None:
    assert hupo("settings", "recall.fusion").stdout == "recall.fusion = convex\n"
    assert hupo("settings", "recall.fusion", "rrf").returncode == 0
    assert "rrf" in (data / "settings.toml").read_text(encoding="utf-8")
    running = host()
    assert json.loads(hupo("settings", "recall.fusion", "--json").stdout) == {"key": "recall.fusion", "value": "rrf"}
    assert hupo("settings", "memory.paused", "on").returncode == 0
    assert running.control("status")["store"]["paused"] is True
    refused = hupo("remember", "x")
    assert refused.returncode == 1 and len(refused.stderr.strip().splitlines()) == 1
    assert hupo("settings", "memory.paused", "--reset").returncode == 0
    assert running.control("settings.get", {"key": "memory.paused"})["value"] is False
    for words in (("recall.mmr_lambda", "7"), ("no.such", "1"), ("no.such",)):
        wrong = hupo("settings", *words)
        assert wrong.returncode == 1 and wrong.stdout == "" and len(wrong.stderr.strip().splitlines()) == 1
    everything = json.loads(hupo("settings", "--json").stdout)
    assert everything["recall.fusion"] == "rrf" and len(everything) > 10


def test_reindex(host: Any, hupo: Any) -> None:
    host()
    hupo("remember", TEXT)
    done = hupo("reindex", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["lexical"] == 1


def test_doctor_starts_and_stops_a_host(hupo: Any, data: Path) -> None:
    (data / "settings.toml").unlink()  # with the model in the box, as a user has it
    done = hupo("doctor", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 0, (found, done.stderr)
    names = [step["name"] for step in found["steps"]]
    assert names == ["host", "shim", "handshake", "tools", "memorize", "recall", "forget", "exit", "store"]
    assert found["ok"] and found["started_host"] and all(step["ok"] and step["ms"] >= 0 for step in found["steps"])
    assert hupo("status").returncode == 1


def test_doctor_uses_and_leaves_the_running_host(host: Any, hupo: Any) -> None:
    running = host()
    done = hupo("doctor")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("ok  ") == 9
    assert running.control("status")["store"]["counts"].get("active", 0) == 0, "the probe is gone"


def test_doctor_names_what_is_wrong(hupo: Any, data: Path) -> None:
    (data / "hupo.db").write_bytes(b"no database " * 999)
    done = hupo("doctor", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 1 and not found["ok"]
    assert found["steps"][0]["name"] == "host" and not found["steps"][0]["ok"]


def test_doctor_tells_that_remembering_is_paused(host: Any, hupo: Any) -> None:
    running = host()
    running.control("settings.set", {"key": "memory.paused", "value": True})
    found = json.loads(hupo("doctor", "--json").stdout)
    failed = [step for step in found["steps"] if not step["ok"]]
    assert [(step["name"], step["code"]) for step in failed] == [("memorize", "paused")]


def test_usage_errors_exit_2(hupo: Any) -> None:
    for words in (("nonsense",), ("forget",), ("forget", "x"), ("recall",), ("--nonsense",)):
        done = hupo(*words)
        assert done.returncode == 2 and done.stdout == "" and done.stderr
    assert hupo("--help").returncode == 0

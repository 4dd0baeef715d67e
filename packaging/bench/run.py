"""bench NAME: measures and prints a table, JSON beside it where asked. ``tasks.py bench`` runs it.

Names: recall (quality per set), latency (recall time at N memories), floor (the same as a ratio to bare parts), write
(memorize a second through the shim), start (shim and app start). What they must reach is in the README.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).resolve().parent)]

import recall  # noqa: E402
import speed  # noqa: E402
import writing  # noqa: E402

from engine import Settings  # noqa: E402
from engine.embedding import Embedder, create  # noqa: E402

METRICS = ("R@1", "R@5", "R@10", "MRR@10", "nDCG@10")


def main(argv: list[str]) -> int:
    """Run one benchmark; exit code 0, or 2 for wrong words."""
    parser = argparse.ArgumentParser(prog="tasks.py bench")
    parser.add_argument("name", choices=("recall", "latency", "floor", "write", "start"))
    parser.add_argument("--n", type=int, default=10_000, help="memories (latency, floor, write)")
    parser.add_argument("--sets", type=Path, help="folder of sets (recall)")
    parser.add_argument("--compare", default="", help="comma separated: bm25, rrf, dense (recall)")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a parameter (recall)")
    parser.add_argument("--aged", type=int, default=0, metavar="DAYS", help="days that pass before asking (recall)")
    parser.add_argument("--through", choices=("engine", "shim"), default="engine", help="the way in (recall)")
    parser.add_argument("--scope", default="", help="only this scope of a set (recall --through shim)")
    parser.add_argument("--json", type=Path, help="write the result here")
    options = parser.parse_args(argv)
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}", file=sys.stderr)
    result: dict[str, Any]
    if options.name == "recall":
        if options.sets is None or not options.sets.is_dir():
            parser.error("recall needs --sets DIR, a folder of sets")
        compare = [name for name in options.compare.split(",") if name]
        if unknown := set(compare) - set(recall.COMPARE):
            parser.error(f"--compare knows {', '.join(recall.COMPARE)}, not {', '.join(sorted(unknown))}")
        if options.through == "shim":
            result = _through_shim(options.sets, options.scope)
        else:
            values = dict(pair.split("=", 1) for pair in options.set)
            result = _recall(options.sets, compare, values, options.aged)
    elif options.name == "write":
        result = writing.measure(options.n)
        _print_rows(result)
    elif options.name == "start":
        result = speed.start()
        _print_rows(result)
    else:
        result = speed.latency(options.n, _embedder)
        _print_rows(result)
    if options.json:
        options.json.write_text(json.dumps(result, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    return 0


def _recall(folder: Path, compare: list[str], values: dict[str, str], aged: int) -> dict[str, Any]:
    embedder = _embedder(Settings())
    result: dict[str, Any] = {}
    print(f"{'set':18} {'n':>5} " + " ".join(f"{name:>8}" for name in METRICS))
    for place in recall.sets(folder):
        result[place.name] = found = recall.measure(place, embedder, compare, values, aged)
        _print_set(place.name, found)
        for name, row in found.get("compare", {}).items():
            _print_set(f"  {name}", row)
    embedder.close()
    return result


def _through_shim(folder: Path, scope: str) -> dict[str, Any]:
    import through_shim  # the MCP SDK takes a while to load

    result: dict[str, Any] = {}
    for place in recall.sets(folder):
        result[place.name] = found = through_shim.measure(place, scope)
        _print_set(place.name, found)
        print(f"  {found['memories']} memories, {found['memorize/s']} memorize/s, {found['recall/s']} recall/s")
    return result


def _print_set(name: str, row: dict[str, Any]) -> None:
    print(f"{name:18} {row['n']:5} " + " ".join(f"{row[metric]:8.1f}" for metric in METRICS), flush=True)


def _print_rows(rows: dict[str, Any]) -> None:
    for name, row in rows.items():
        text = "  ".join(f"{key} {value:g}" for key, value in row.items()) if isinstance(row, dict) else f"{row:g}"
        print(f"{name:28} {text}")


def _embedder(settings: Settings) -> Embedder:
    return create(settings, ROOT / "resources" / "models", lambda _: None)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

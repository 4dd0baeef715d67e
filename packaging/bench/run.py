"""bench NAME: measures and prints a table, JSON beside it where asked. ``tasks.py bench`` runs it.

Names: recall (quality per set), latency (recall time at N memories), floor (the same as a ratio to bare parts), write
(memorize a second through the shim), start (shim and app start), confidence (how well recall knows whether its first
hit answers), tune (which parameters of recall are worth what). What they must reach is in the README.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
OWN = ROOT / "tests" / "data" / "recall"
sys.path[:0] = [str(ROOT), str(Path(__file__).resolve().parent)]

import calibrate  # noqa: E402
import metrics  # noqa: E402
import own  # noqa: E402
import recall  # noqa: E402
import speed  # noqa: E402
import tune  # noqa: E402
import writing  # noqa: E402

from engine import Settings  # noqa: E402
from engine.embedding import Embedder, create  # noqa: E402

METRICS = ("R@1", "R@5", "R@10", "MRR@10", "nDCG@10")


def main(argv: list[str]) -> int:
    """Run one benchmark; exit code 0, or 2 for wrong words."""
    parser = argparse.ArgumentParser(prog="tasks.py bench")
    parser.add_argument("name", choices=("recall", "latency", "floor", "write", "start", "confidence", "tune"))
    parser.add_argument("--n", type=int, default=10_000, help="memories (latency, floor, write)")
    parser.add_argument("--sets", type=Path, help="folder of sets (recall, tune)")
    parser.add_argument("--own", action="store_true", help="the project's own set, by kind (recall)")
    parser.add_argument(
        "--part", choices=("dev", "held"), default="dev", help="of the own set (recall --own, confidence)"
    )
    parser.add_argument("--train", action="store_true", help="fit it first, on the part dev (confidence)")
    parser.add_argument("--compare", default="", help="comma separated: bm25, rrf, dense, aokun (recall)")
    parser.add_argument("--ablate", action="store_true", help="leave out each part of recall in turn (recall)")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a parameter (recall)")
    parser.add_argument("--aged", type=int, default=0, metavar="DAYS", help="days that pass before asking (recall)")
    parser.add_argument("--through", choices=("engine", "shim"), default="engine", help="the way in (recall)")
    parser.add_argument("--scope", default="", help="only this scope of a set (recall --through shim)")
    parser.add_argument("--json", type=Path, help="write the result here")
    options = parser.parse_args(argv)
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}", file=sys.stderr)
    result: dict[str, Any]
    if options.name == "recall" and options.own:
        ways = recall.ABLATE if options.ablate else {}
        result = _own(options.part, dict(pair.split("=", 1) for pair in options.set), ways)
    elif options.name == "recall":
        if options.sets is None or not options.sets.is_dir():
            parser.error("recall needs --sets DIR, a folder of sets, or --own")
        compare = [name for name in options.compare.split(",") if name]
        if unknown := set(compare) - set(recall.COMPARE):
            parser.error(f"--compare knows {', '.join(recall.COMPARE)}, not {', '.join(sorted(unknown))}")
        compare += recall.ABLATE if options.ablate else ()
        if options.through == "shim":
            result = _through_shim(options.sets, options.scope)
        else:
            values = dict(pair.split("=", 1) for pair in options.set)
            result = _recall(options.sets, compare, values, options.aged)
    elif options.name == "confidence":
        result = _confidence(options.part, train=options.train)
    elif options.name == "tune":
        result = _tune(options.sets)
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
    _print_head()
    for place in recall.sets(folder):
        result[place.name] = found = recall.measure(place, embedder, compare, values, aged)
        _print_set(place.name, found)
        _print_intervals(found)
        for name, row in found.get("compare", {}).items():
            _print_set(f"  {name}", row)
            _print_intervals(row)
    embedder.close()
    return result


def _own(part: str, values: dict[str, str], ways: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    embedder = _embedder(Settings())
    result: dict[str, Any] = {}
    _print_head()
    for language in own.LANGUAGES:
        result[language] = found = _own_language(language, embedder, part, values, ways)
        _print_set(language, found)
        for kind, row in found["by_kind"].items():
            _print_set(f"  {kind}", row)
        print(f"  old below new {found['old below new']:.1f}; confidence {found['confidence']}")
        for name, row in found.get("compare", {}).items():
            _print_set(f"  {name}", row)
            _print_intervals(row)
    embedder.close()
    return result


def _own_language(
    language: str, embedder: Embedder, part: str, values: dict[str, str], ways: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    every = {**own.AS_IT_IS, **ways}
    asked = own.measure(OWN / language, embedder, (part,), values, every)
    by_way = {way: [row for row in asked if row.way == way] for way in every}
    base = own.judged(by_way[""])
    compare = {
        way: own.summary(rows) | {"against": metrics.against(own.judged(rows), base)}
        for way, rows in by_way.items()
        if way
    }
    return own.summary(by_way[""]) | ({"compare": compare} if compare else {})


def _tune(folder: Path | None) -> dict[str, Any]:
    embedder = _embedder(Settings())
    asked = tune.gather(list(recall.sets(folder)) if folder else [], OWN, embedder)
    embedder.close()
    result = tune.search(asked)
    for name, table in result.items():
        for row in table["values"]:
            mark = "*" if row["value"] == table["chosen"] else "=" if row["value"] == table["now"] else " "
            low, high = row["interval"]
            print(
                f"{mark} {name:30} {row['value']!s:>8} {row['mean']:7.2f}  {row['against']:+6.2f} "
                f"[{low:+.2f}, {high:+.2f}]  " + "  ".join(f"{key} {value:.1f}" for key, value in row["sets"].items())
            )
    return result


def _confidence(part: str, *, train: bool) -> dict[str, Any]:
    embedder = _embedder(Settings())
    rows = calibrate.gather(OWN, embedder, ("dev",) if train else (part,))
    if train:
        calibrate.train(rows, embedder.identity)
        print(f"{calibrate.MODEL.name} is written; run again without --train to judge it")
        return {"rows": len(rows)}
    embedder.close()
    result = calibrate.report(rows, float(Settings()["recall.abstain_below"]))
    for name, row in result.items():
        _print_rows({name: {key: value for key, value in row.items() if key != "reliability"}})
        for said, right, count in row.get("reliability", ()):
            print(f"  said {said:.2f}, right {right:.2f}, n {count}")
    return result


def _through_shim(folder: Path, scope: str) -> dict[str, Any]:
    import through_shim  # the MCP SDK takes a while to load

    result: dict[str, Any] = {}
    for place in recall.sets(folder):
        result[place.name] = found = through_shim.measure(place, scope)
        _print_set(place.name, found)
        print(f"  {found['memories']} memories, {found['memorize/s']} memorize/s, {found['recall/s']} recall/s")
    return result


def _print_head() -> None:
    print(f"{'set':18} {'n':>5} " + " ".join(f"{name:>8}" for name in METRICS))


def _print_set(name: str, row: dict[str, Any]) -> None:
    print(f"{name:18} {row['n']:5} " + " ".join(f"{row[metric]:8.1f}" for metric in METRICS), flush=True)


def _print_intervals(row: dict[str, Any]) -> None:
    """The 95 % intervals, and how far it is from the defaults where it was compared with them."""
    for name, (low, high) in row["intervals"].items():
        apart = (
            "  against the defaults {:+.2f} [{:+.2f}, {:+.2f}]".format(*row["against"][name])
            if "against" in row
            else ""
        )
        print(f"    {name:8} [{low:.1f}, {high:.1f}]{apart}", flush=True)


def _print_rows(rows: dict[str, Any]) -> None:
    for name, row in rows.items():
        text = "  ".join(f"{key} {value:g}" for key, value in row.items()) if isinstance(row, dict) else f"{row:g}"
        print(f"{name:28} {text}")


def _embedder(settings: Settings) -> Embedder:
    return create(settings, ROOT / "resources" / "models", lambda _: None)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

"""The command line: words to a command, errors to one clear line and an exit code (0 done, 1 failed, 2 usage).

Results go to stdout (with ``--json`` one JSON object and nothing else), progress and errors to stderr, all UTF-8
whatever the locale. The commands themselves are in ``app/commands/``, imported one at a time.
"""

from __future__ import annotations

import argparse
import importlib
import io
import sys
from collections.abc import Sequence

from app import __version__, paths
from app.ipc.client import CallFailed, HostNotStarted, HostUnreachable
from app.terminal import Terminal
from engine.errors import HupoError

# Command → module of app/commands that has ``run(options, terminal) -> int``.
_MODULES = {
    "tray": "start",
    "serve": "start",
    "status": "status",
    "doctor": "doctor",
    "remember": "memories",
    "recall": "memories",
    "forget": "memories",
    "settings": "settings",
    "reindex": "reindex",
}


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    _speak_utf8()
    parser = _parser()
    try:
        options = parser.parse_args(list(sys.argv[1:] if words is None else words))
    except SystemExit as end:
        return int(end.code or 0)
    options.command = options.command or "tray"
    options.data = paths.data_directory(options.data)
    terminal = Terminal(options.data, as_json=options.json)
    module = importlib.import_module(f"app.commands.{_MODULES[options.command]}")
    try:
        return int(module.run(options, terminal))
    except HostNotStarted as error:
        terminal.progress(f"hupo: {error.said}")
        return 1
    except (HostUnreachable, CallFailed) as error:
        return terminal.fail(error.code, error.fields)
    except HupoError as error:
        return terminal.fail(error.code, error.fields)
    except TimeoutError:
        return terminal.fail("timed_out", {})
    except KeyboardInterrupt:
        return terminal.fail("cancelled", {})
    except BrokenPipeError:
        return 1


def _speak_utf8() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hupo",
        description="Hupo 琥珀: long-term memory for AI assistants. Without a command: the tray app.",
    )
    parser.add_argument("--version", action="version", version=f"hupo {__version__}")
    parser.add_argument("--background", action="store_true", help="start without opening a window")
    _common(parser, defaults=True)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    def command(name: str, words: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=words, description=words)
        _common(made, defaults=False)
        return made

    command("serve", "run without windows")
    command("mcp", "the stdio server that an MCP client starts")
    command("status", "what runs, how many memories, what is wrong (exit 1 when no host runs)")
    command("doctor", "prove the whole way from a client to the store and back, with times")
    remember = command("remember", "store a memory")
    remember.add_argument("text", nargs="+", help="what to remember; - reads it from stdin")
    remember.add_argument("--layer", choices=("fact", "state", "event", "decision"))
    remember.add_argument("--importance", type=float, metavar="0..1")
    remember.add_argument("--tag", action="append", default=[], metavar="TAG")
    remember.add_argument("--scope", metavar="CONVERSATION")
    remember.add_argument("--pin", action="store_true", help="never let it fade")
    recall = command("recall", "find memories")
    recall.add_argument("query", nargs="+")
    recall.add_argument("-k", type=int, default=5, metavar="N", help="how many (default 5)")
    recall.add_argument("--scope", metavar="CONVERSATION|all")
    forget = command("forget", "move a memory to the trash")
    forget.add_argument("id", type=int)
    forget.add_argument("--erase", action="store_true", help="remove it for good; can not be undone")
    settings = command("settings", "show or change parameters")
    settings.add_argument("key", nargs="?")
    settings.add_argument("value", nargs="?")
    settings.add_argument("--reset", action="store_true", help="back to the default")
    command("reindex", "make the search indexes anew")
    return parser


def _common(parser: argparse.ArgumentParser, *, defaults: bool) -> None:
    """``--data`` and ``--json``, before or after the command's name."""
    absent = None if defaults else argparse.SUPPRESS
    parser.add_argument("--data", metavar="DIR", default=absent, help="data directory (or HUPO_DATA)")
    parser.add_argument(
        "--json",
        action="store_true",
        default=False if defaults else argparse.SUPPRESS,
        help="one JSON object on stdout",
    )

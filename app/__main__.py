"""``python -m app`` and the console script ``hupo``: picks the part that the first word names, and only that.

Nothing is imported before the word is known: the shim must answer within milliseconds.
"""

from __future__ import annotations

import sys


def main(words: list[str] | None = None) -> int:
    """Run the command in ``words`` (default: the process's arguments); returns the exit code."""
    given = sys.argv[1:] if words is None else words
    place = _command_at(given)
    if place is not None and given[place] == "mcp":
        from app.ipc.shim import main as shim

        return shim([*given[:place], *given[place + 1 :]])
    from app.cli import main as cli

    return cli(given)


def _command_at(words: list[str]) -> int | None:
    """Where the first word that is neither an option nor the value of ``--data`` stands."""
    position = 0
    while position < len(words):
        if words[position] == "--data":
            position += 2
            continue
        if not words[position].startswith("-"):
            return position
        position += 1
    return None


if __name__ == "__main__":
    sys.exit(main())

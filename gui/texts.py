"""Every word a person reads, in Chinese and in English, from two catalogues with the same keys.

Chinese and English are equals: neither is the key of the other. Imports no Qt, so that the command line can use
the same words; must not hold any text itself.
"""

from __future__ import annotations

import json
import locale
import os
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Literal

from gui.resources import resource

Language = Literal["zh", "en"]
LANGUAGES: tuple[Language, ...] = ("zh", "en")


class Texts:
    """The words of one language: ``texts("toast.trashed", n=3)``.

    A key may have a form for exactly one, ``<key>.one``, taken when ``n`` is 1. Numbers are grouped by thousands.
    """

    def __init__(self, language: Language) -> None:
        self.language = language
        self._catalogue = load(language)

    def __call__(self, key: str, **values: object) -> str:
        """The text of ``key`` with ``values`` filled in. Errors: ``KeyError`` for a key that no catalogue has."""
        if values.get("n") == 1 and f"{key}.one" in self._catalogue:
            key = f"{key}.one"
        text = self._catalogue[key]
        return text.format_map({name: _shown(value) for name, value in values.items()}) if values else text

    def __contains__(self, key: str) -> bool:
        return key in self._catalogue


def _shown(value: object) -> object:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value


@cache
def load(language: Language) -> Mapping[str, str]:
    """The catalogue of ``language`` as it lies in the resources."""
    catalogue: dict[str, str] = json.loads(resource("translations", f"{language}.json").read_text(encoding="utf-8"))
    return catalogue


def resolve(setting: str, system: Iterable[str] | None = None) -> Language:
    """The language for the value of ``interface.language``; "auto" takes the first of ``system`` that we speak.

    ``system``: BCP 47 or POSIX names, best first; None asks the environment.
    """
    if setting == "zh":
        return "zh"
    if setting == "en":
        return "en"
    for name in _environment_languages() if system is None else system:
        short = name.lower().replace("_", "-").split("-", 1)[0]
        if short == "zh":
            return "zh"
        if short == "en":
            return "en"
    return "en"


def _environment_languages() -> list[str]:
    found = [os.environ.get(name, "").split(".", 1)[0] for name in ("LC_ALL", "LC_MESSAGES", "LANG")]
    found.append(locale.getlocale()[0] or "")
    # Windows names its languages in full: "Chinese (Simplified)_China".
    return ["zh" if name.startswith("Chinese") else name for name in found if name and name not in ("C", "POSIX")]

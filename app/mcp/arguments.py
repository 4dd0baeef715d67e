"""What a tool accepts: one table row an argument, from which the JSON schema and the reading are both made.

Reading is lenient where the intent is clear (a JSON string where a list is due, "5" for 5) and otherwise refuses
with the field, a reason and what is allowed. Knows no tool and no storage; a value that was given is never dropped.
"""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Any, Literal

from engine.errors import InvalidArgument

Kind = Literal[
    "text", "number", "integer", "switch", "words", "lines", "integers",
    "choice", "choices", "moment", "object", "objects",
]  # fmt: skip
Edge = Literal["start", "end"]

_JSON_TYPES: Mapping[Kind, dict[str, Any]] = {
    "text": {"type": "string"},
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "switch": {"type": "boolean"},
    "words": {"type": "array", "items": {"type": "string"}},
    "lines": {"type": "array", "items": {"type": "string"}},
    "integers": {"type": "array", "items": {"type": "integer"}},
    "choice": {"type": "string"},
    "choices": {"type": "string"},
    "moment": {"type": "string"},
    "object": {"type": "object"},
    "objects": {"type": "array", "items": {"type": "object"}},
}
_SWITCH_WORDS = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}
_WORD_BORDERS = re.compile(r"[,，、;；\n]")


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool.

    ``words`` is a list that a comma string may stand for, ``lines`` one whose items may hold commas, ``choices``
    one value or several of ``allowed``. ``edge`` says which end of the user's day a plain date means.
    ``listed`` False: accepted, but not worth a model's tokens in tools/list. ``loose``: nobody was told its shape, so
    an open-ended tool keeps a value of another shape among the unknown keys instead of refusing the call.
    ``inner``: the table of an object's keys, read as a tool's arguments are. ``named``: words for whole numbers.
    """

    name: str
    kind: Kind
    about: str = ""
    required: bool = False
    default: Any = None
    minimum: float | None = None
    maximum: float | None = None
    allowed: tuple[str, ...] = ()
    edge: Edge = "start"
    listed: bool = True
    loose: bool = False
    inner: tuple[Argument, ...] = ()
    named: Mapping[str, int] = field(default_factory=dict)

    def schema(self) -> dict[str, Any]:
        """The JSON schema of this argument as it should be given."""
        found = dict(_JSON_TYPES[self.kind])
        if any(one.listed for one in self.inner):
            found |= input_schema(self.inner)
        if self.about:
            found["description"] = self.about
        if self.allowed:
            found["enum"] = list(self.allowed)
        if self.minimum is not None:
            found["minimum"] = self.minimum
        if self.maximum is not None:
            found["maximum"] = self.maximum
        if self.default is not None and self.default is not False:
            found["default"] = self.default
        return found

    def read(self, value: Any, zone: tzinfo) -> Any:
        """``value`` in this argument's type (lists as tuples, moments aware). Errors: ``InvalidArgument``."""
        if self.kind == "moment":
            return _moment(self, value, zone)
        if self.inner:
            return _inner(self, _object(self, value), zone)
        return _READERS[self.kind](self, value)


def input_schema(table: Sequence[Argument], *, open_ended: bool = False) -> dict[str, Any]:
    """The JSON schema of a tool's arguments; ``open_ended``: keys that are not in the table are kept."""
    schema: dict[str, Any] = {"type": "object", "properties": {one.name: one.schema() for one in table if one.listed}}
    required = [one.name for one in table if one.required]
    if required:
        schema["required"] = required
    if open_ended:
        schema["additionalProperties"] = True
    return schema


def read(
    given: Mapping[str, Any] | None, table: Sequence[Argument], zone: tzinfo, *, open_ended: bool = False
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the values by name (defaults filled in; None = not given) and the unknown keys (``open_ended`` only).

    ``null`` counts as not given, for many clients send it for everything they leave out.
    Errors: ``InvalidArgument`` (field, reason, allowed …).
    """
    known = {one.name: one for one in table}
    values: dict[str, Any] = {one.name: one.default for one in table}
    unknown: dict[str, Any] = {}
    for name, value in (given or {}).items():
        if name not in known:
            unknown[name] = value
        elif not _absent(known[name], value):
            try:
                values[name] = known[name].read(value, zone)
            except InvalidArgument:
                if not (open_ended and known[name].loose):
                    raise
                unknown[name] = value
    if unknown and not open_ended:
        raise _unknown(next(iter(unknown)), [one.name for one in table if one.listed])
    for one in table:
        if one.required and values[one.name] is None:
            raise InvalidArgument(field=one.name, reason="missing")
    return values, unknown


def _absent(argument: Argument, value: Any) -> bool:
    if value is None:
        return True
    # Clients that fill in every argument write "" for a number or a choice that they leave out.
    return argument.kind != "text" and isinstance(value, str) and not value.strip()


def _inner(argument: Argument, given: Mapping[str, Any], zone: tzinfo) -> dict[str, Any]:
    try:
        return read(given, argument.inner, zone)[0]
    except InvalidArgument as error:
        raise InvalidArgument(**{**error.fields, "field": f"{argument.name}.{error.fields['field']}"}) from None


def _unknown(name: str, names: Sequence[str]) -> InvalidArgument:
    near = difflib.get_close_matches(name.lower(), names, n=1)
    fields: dict[str, Any] = {"field": name, "reason": "unknown_argument", "allowed": list(names)}
    if near:
        fields["nearest"] = near[0]
    return InvalidArgument(**fields)


def _text(argument: Argument, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise InvalidArgument(field=argument.name, reason="not_text")


def _number(argument: Argument, value: Any) -> float:
    number = value
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            raise InvalidArgument(field=argument.name, reason="not_a_number") from None
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        raise InvalidArgument(field=argument.name, reason="not_a_number")
    low, high = argument.minimum, argument.maximum
    if (low is not None and number < low) or (high is not None and number > high):
        raise InvalidArgument(field=argument.name, reason="out_of_range", allowed=[low, high])
    return float(number)


def _integer(argument: Argument, value: Any) -> int:
    if isinstance(value, str):
        value = argument.named.get(value.strip().lower(), value)
    # Whole numbers are read exactly: a float would bend large ids.
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d{1,18}\s*", value):
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63:
        _number(argument, value)
        return value
    number = _number(argument, value)
    if number != int(number) or abs(number) >= 2**53:
        raise InvalidArgument(field=argument.name, reason="not_whole")
    return int(number)


def _switch(argument: Argument, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower() if isinstance(value, str | int) else ""
    if word not in _SWITCH_WORDS:
        raise InvalidArgument(field=argument.name, reason="not_a_switch", allowed=["true", "false"])
    return _SWITCH_WORDS[word]


def _items(argument: Argument, value: Any, split: bool) -> list[Any]:
    """The items of a list, of a JSON string of one, of a comma string (``split``), or of a single value."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = [value]
    if isinstance(value, str):
        return _WORD_BORDERS.split(value) if split else [value]
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [value]
    raise InvalidArgument(field=argument.name, reason="not_a_list")


def _texts(argument: Argument, value: Any, split: bool) -> tuple[str, ...]:
    texts: list[str] = []
    for at, item in enumerate(_items(argument, value, split)):
        if item is None:
            continue
        if isinstance(item, bool) or not isinstance(item, str | int | float):
            raise InvalidArgument(field=f"{argument.name}[{at}]", reason="not_text")
        if text := str(item).strip():
            texts.append(text)
    return tuple(texts)


def _integers(argument: Argument, value: Any) -> tuple[int, ...]:
    numbers: list[int] = []
    for at, item in enumerate(_items(argument, value, True)):
        if item is not None and str(item).strip():
            numbers.append(_integer(Argument(f"{argument.name}[{at}]", "integer"), item))
    return tuple(dict.fromkeys(numbers))


def _choice(argument: Argument, value: Any) -> str:
    word = value.strip().lower() if isinstance(value, str) else ""
    if word not in argument.allowed:
        raise InvalidArgument(field=argument.name, reason="not_a_choice", allowed=list(argument.allowed))
    return word


def _choices(argument: Argument, value: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_choice(argument, item) for item in _texts(argument, value, True)))


def _object(argument: Argument, value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise InvalidArgument(field=argument.name, reason="not_an_object") from None
    if not isinstance(value, dict):
        raise InvalidArgument(field=argument.name, reason="not_an_object")
    return dict(value)


def _objects(argument: Argument, value: Any) -> tuple[dict[str, Any], ...]:
    """A list of objects, a JSON string of one, or a single object."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise InvalidArgument(field=argument.name, reason="not_a_list") from None
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list | tuple):
        raise InvalidArgument(field=argument.name, reason="not_a_list")
    return tuple(
        _object(Argument(f"{argument.name}[{at}]", "object"), item) for at, item in enumerate(value) if item is not None
    )


def _moment(argument: Argument, value: Any, zone: tzinfo) -> datetime:
    """ISO 8601 with an offset, without one (the user's zone), or a plain date: the ``edge`` of the user's day.

    The end of a day is the first moment of the next, so that [since, until) holds the whole day.
    """
    text = value.strip() if isinstance(value, str) else ""
    try:
        if len(text) <= 10 and "T" not in text and ":" not in text:
            day = date.fromisoformat(text) + timedelta(days=1 if argument.edge == "end" else 0)
            moment = datetime.combine(day, time(), zone)
        else:
            moment = datetime.fromisoformat(text)
            moment = moment if moment.tzinfo else moment.replace(tzinfo=zone)
        if not 1 < moment.year < 9999:
            # At the rims of the calendar the same moment has no UTC form.
            raise ValueError(text)
        return moment
    except (ValueError, OverflowError):
        raise InvalidArgument(field=argument.name, reason="not_a_moment") from None


_READERS: Mapping[Kind, Callable[[Argument, Any], Any]] = {
    "text": _text,
    "number": _number,
    "integer": _integer,
    "switch": _switch,
    "words": lambda argument, value: _texts(argument, value, True),
    "lines": lambda argument, value: _texts(argument, value, False),
    "integers": _integers,
    "choice": _choice,
    "choices": _choices,
    "object": _object,
    "objects": _objects,
}

"""Which of the six types of atom a sentence is, and when what it tells takes place (S0's types; rules of our own).

Rules over words in Chinese and English, no model: each language finds cues, ``_type_of`` weighs them together
with the dates. Must not touch storage or a clock; must never raise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta, tzinfo
from typing import Final

from engine.ingest.classify import called_off, chinese, english
from engine.ingest.classify.cues import Cue, Cues
from engine.text.dates import DateMention, even, mentions
from engine.text.normalise import CJK
from engine.types import AtomType

__all__ = ["CONFIDENCE", "Classified", "classify", "says_nothing"]


CONFIDENCE: Final[dict[AtomType, float]] = {
    "planned": 0.85, "preference": 0.82, "relational": 0.80, "factual": 0.78, "episodic": 0.75, "unknown": 0.60,
}  # fmt: skip
_WEAK: Final = 0.08
_LATIN_WORD: Final = re.compile(r"[a-z]{2,}")
_PLANS: Final = frozenset({Cue.INTENT, Cue.WANT, Cue.SOON})
# Half a year: a date further away than that is rather the one behind.
_RECENT: Final = timedelta(days=62)
_INSTANT: Final = timedelta(microseconds=1)
_FAR: Final = timedelta(days=183)
_FIRM: Final = re.compile(
    r"[明昨今去]|[大后前]天|后年|(?<![晚早])[上下][上下]?个?[周月星礼半季]|这|本[周月年]|[前后内过]|tomorrow|tmr|"
    r"tonight|today|yesterday|next|last|this|coming|past|in |ago|from|within|hence"
)
_DAY_WORD: Final = re.compile(
    _FIRM.pattern
    + r"|[周月日号天]|星期|礼拜|day|\d{4}|(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|"
    r"nov|dec)"
)
# No sentence worth an atom is longer.
_LONGEST: Final = 800
# Who says it: not a heading such as "Plan:" or "地址：".
_SPEAKER: Final = re.compile(
    r"\s*(?:(?i:user|assistant|human|ai|bot|me|customer)|用户|助手|客户|我|对方|[老小阿][\u4e00-\u9fff]"
    r"|(?!(?:Note|Notes|Todo|Plan|Goal|Reminder|Deadline|Address|Budget|Idea|Fact|Rule|Name|Phone|Email|Task|Next|Tip)\b)"
    r"[A-Z][a-z]{1,14})\s?[:：]\s*(?=\S)"
)
_SAYS_SOMETHING: Final = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Gone:
    """A plan that will not be: its day [``since``, ``until``) in UTC and the ``words`` that name it."""

    since: datetime
    until: datetime
    words: str


@dataclass(frozen=True, slots=True)
class Classified:
    """``event_time`` (UTC): the start of the day, or the time, of a planned or past event whose day is named;
    ``until``: the last moment of what a plan names, also where that is a month or a week. ``gone``: the plan that is
    said to be off, or moved to ``event_time``.
    """

    type: AtomType
    confidence: float
    event_time: datetime | None
    until: datetime | None = None
    gone: Gone | None = None

    @property
    def due(self) -> datetime | None:
        """The time that a fact's life depends on."""
        return self.event_time or self.until


def classify(text: str, moment: datetime, zone: tzinfo) -> Classified:
    """The type of a sentence said at ``moment`` (aware) by somebody whose days are those of ``zone``."""
    text = text[:_LONGEST]
    flat = even(text)
    cues = cues_of(flat, text)
    moved = _moved(text, flat, moment, zone)
    if moved is not None and Cue.QUESTION not in cues:
        return moved
    off = called_off.off(flat)
    gone = _gone(text[:off], moment, zone) if off is not None else None
    dates = _of_plan(text, moment, zone) if gone is not None else _dates(text, flat, moment, zone, cues)
    kind, sure = _type_of(cues, _Seen.of(dates, flat, moment), flat)
    confidence = round(CONFIDENCE[kind] - (0 if sure else _WEAK), 2)
    return Classified(kind, confidence, _event_time(kind, dates, zone), _until(kind, dates), gone)


def _moved(text: str, flat: str, moment: datetime, zone: tzinfo) -> Classified | None:
    """A plan that was put on another day: the new day counts, the old one is gone. None for what is no such plan."""
    at = called_off.moved(flat)
    if at is None:
        return None
    rest = " " * at + text[at:]
    dates = tuple(
        date
        for date in mentions(rest, moment, zone, "future")
        if date.grain in ("day", "time") and _DAY_WORD.search(flat, date.start, date.end) and date.since - moment < _FAR
    )
    if not dates or dates[0].direction == "past":
        return None
    gone = _gone(text[:at], moment, zone)
    kind: AtomType = "planned"
    return Classified(kind, CONFIDENCE[kind], _event_time(kind, dates, zone), _until(kind, dates), gone)


def _gone(words: str, moment: datetime, zone: tzinfo) -> Gone | None:
    """The plan of the first day that ``words`` name."""
    for date in _of_plan(words, moment, zone):
        if date.grain in ("day", "time"):
            day = datetime.combine(date.since.astimezone(zone).date(), time(), zone)
            since, until = (one.astimezone(date.since.tzinfo) for one in (day, day + timedelta(days=1)))
            return Gone(since, until, words)
    return None


def says_nothing(text: str) -> bool:
    """Whether ``text`` is a question, a greeting or an order to the assistant: nothing to keep."""
    text = text[:_LONGEST]
    cues = cues_of(even(text), text)
    return not _SAYS_SOMETHING.search(text) or bool(cues & {Cue.QUESTION, Cue.FILLER}) or cues == {Cue.COMMAND}


def cues_of(flat: str, original: str) -> Cues:
    """What the words tell, by the language they are in; both languages where it holds both."""
    speaker = _SPEAKER.match(original)
    if speaker is not None:
        flat, original = flat[speaker.end() :], original[speaker.end() :]
    han = len(CJK.findall(flat))
    words = len(_LATIN_WORD.findall(flat))
    if not han:
        return english.cues(flat, original)
    found = chinese.cues(flat)
    if words >= 3 and words * 2 > han:
        found = found | english.cues(flat, original)
    return found


def _dates(text: str, flat: str, moment: datetime, zone: tzinfo, cues: Cues) -> tuple[DateMention, ...]:
    """The dates on the side that the sentence's tense points to."""
    if cues & {Cue.PAST, Cue.CANCELLED, Cue.ORIGIN} and Cue.INTENT not in cues:
        dates = mentions(text, moment, zone, "told")
        if Cue.CANCELLED in cues and any(
            moment - d.since > _FAR and not _FIRM.search(flat, d.start, d.end) for d in dates
        ):
            return mentions(text, moment, zone, "nearest")  # a plan of these months
        return dates
    dates = mentions(text, moment, zone, "future")
    if (
        cues & _PLANS
        or Cue.VERB in cues
        or not any(d.since - moment > _FAR and not _FIRM.search(flat, d.start, d.end) for d in dates)
    ):
        return dates
    # Without a word of intent "2 February" in May is the one just gone.
    return mentions(text, moment, zone, "nearest")


def _of_plan(text: str, moment: datetime, zone: tzinfo) -> tuple[DateMention, ...]:
    """The dates of what was planned: today's, or ahead, but not so far that the one behind is nearer."""
    today = {date.start: date for date in mentions(text, moment, zone, "told") if date.direction == "present"}
    near = {date.start: date for date in mentions(text, moment, zone, "nearest")}
    return tuple(
        today.get(date.start) or (near.get(date.start, date) if date.since - moment > _FAR else date)
        for date in mentions(text, moment, zone, "future")
    )


@dataclass(frozen=True, slots=True)
class _Seen:
    """Which way the dates point; ``firm`` ones name their side themselves ("next"). Bare clock times do not count."""

    ahead: bool
    behind: bool
    firm: bool
    today: bool
    current: bool
    clock: bool
    recent: bool

    @classmethod
    def of(cls, dates: tuple[DateMention, ...], flat: str, moment: datetime) -> _Seen:
        days = [date for date in dates if date.grain != "time" or _DAY_WORD.search(flat, date.start, date.end)]
        ahead = [date for date in days if date.direction == "future"]
        return cls(
            bool(ahead),
            any(date.direction == "past" for date in days),
            any(_FIRM.search(flat, date.start, date.end) for date in ahead),
            any(date.direction == "present" and date.grain in ("day", "time") for date in days),
            any(date.direction == "present" and date.grain != "year" for date in days),
            len(days) < len(dates),
            any(date.direction == "past" and moment - date.since < _RECENT for date in days),
        )


def _type_of(cues: Cues, seen: _Seen, flat: str) -> tuple[AtomType, bool]:
    """The type, and whether the evidence for it is plain. First match wins."""
    if Cue.QUESTION in cues or Cue.FILLER in cues or not _SAYS_SOMETHING.search(flat):
        return "unknown", True
    if Cue.STYLE in cues and not seen.ahead:
        return "preference", True
    if cues == {Cue.COMMAND}:
        return "unknown", True
    if Cue.COMMAND in cues and not seen.ahead and not cues & {Cue.INTENT, Cue.HABIT, Cue.RELATION}:
        return "unknown", True
    if Cue.CANCELLED in cues and Cue.RELATION not in cues:
        return "episodic", True
    if Cue.RELATION in cues and not seen.ahead and not (seen.behind and Cue.PAST in cues):
        return "relational", True
    if Cue.ORIGIN in cues and not (seen.ahead or seen.recent):
        return "factual", True
    if seen.ahead or cues & _PLANS:
        kind = _ahead(cues, seen)
        if kind is not None:
            return kind
    return _behind(cues, seen) or _lasting(cues, seen, flat)


def _ahead(cues: Cues, seen: _Seen) -> tuple[AtomType, bool] | None:
    """Planned, unless what lies ahead is only a habit's day, a birthday or an opening hour."""
    if Cue.INTENT in cues and (seen.ahead or not seen.behind):
        return "planned", True
    if seen.firm:
        return "planned", True
    if Cue.DATED in cues and Cue.WANT not in cues:
        return "factual", True
    if seen.ahead:
        return None if Cue.HABIT in cues else ("planned", True)
    if seen.behind or Cue.PAST in cues or Cue.INTENT in cues:
        return None
    if Cue.WANT in cues and seen.current:
        return "planned", True
    if cues & {Cue.TASTE, Cue.HABIT, Cue.SYSTEM}:
        return None
    return "planned", False


def _behind(cues: Cues, seen: _Seen) -> tuple[AtomType, bool] | None:
    if Cue.ONCE in cues and Cue.TASTE in cues:
        return "preference", True
    if Cue.DECISION in cues and not seen.behind and not cues & {Cue.TASTE, Cue.HABIT}:
        return "factual", True
    if Cue.PAST in cues and (seen.behind or Cue.DONE in cues or not cues & {Cue.TASTE, Cue.HABIT}):
        return "episodic", True
    if seen.behind and not cues & {Cue.STATIVE, Cue.HABIT, Cue.TASTE}:
        return "episodic", False
    return None


def _lasting(cues: Cues, seen: _Seen, flat: str) -> tuple[AtomType, bool]:
    if Cue.TASTE in cues:
        return "preference", True
    if {Cue.PROGRESS, Cue.FEELING} <= cues:
        return "episodic", True
    if Cue.HABIT in cues:
        return ("factual", False) if Cue.SYSTEM in cues else ("preference", True)
    if Cue.PROGRESS in cues or (Cue.FEELING in cues and Cue.SYSTEM not in cues) or seen.today:
        return "episodic", True
    if seen.clock and Cue.MEETING in cues and Cue.SYSTEM not in cues:
        return "planned", False
    if not cues and len(flat) < 4:
        return "unknown", False
    return "factual", Cue.STATIVE in cues


def _until(kind: AtomType, dates: tuple[DateMention, ...]) -> datetime | None:
    """The last moment of what a plan names: "next month" is not over before its end."""
    ends = [date.until for date in dates if date.direction != "past"] if kind == "planned" else []
    return max(ends) - _INSTANT if ends else None


def _event_time(kind: AtomType, dates: tuple[DateMention, ...], zone: tzinfo) -> datetime | None:
    """The first date of the fitting direction that is a day or a time."""
    if kind not in ("planned", "episodic"):
        return None
    wanted = ("future", "present") if kind == "planned" else ("past", "present")
    single = [date for date in dates if date.grain in ("day", "time")]
    date = next((date for date in single if date.direction in wanted), single[0] if single else None)
    if date is None:
        return None
    if date.grain == "time" and date.until - date.since <= timedelta(hours=1):
        return date.since
    local = date.since.astimezone(zone)
    return datetime.combine(local.date(), time(), zone).astimezone(date.since.tzinfo)

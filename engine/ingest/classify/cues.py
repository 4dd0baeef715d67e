"""The kinds of evidence that the words of a sentence give about its type. Only names; the languages find them."""

from __future__ import annotations

from enum import Enum, auto


class Cue(Enum):
    """One kind of evidence each; several may be in one sentence."""

    QUESTION = auto()
    FILLER = auto()  # greetings, assent, broken-off fragments
    COMMAND = auto()  # an order to the assistant
    STYLE = auto()  # how things are to be done or said
    CANCELLED = auto()  # a plan that is off
    INTENT = auto()  # an act meant, owed or arranged
    WANT = auto()  # the same, less surely
    MEETING = auto()  # a word for what one keeps an hour for
    SOON = auto()  # words of the near future that are no dates
    PAST = auto()  # finished acts and changes
    DONE = auto()  # one finished act, whatever it was about
    ONCE = auto()  # "used to"
    DECISION = auto()
    ORIGIN = auto()  # born, founded: past, yet lasting
    DATED = auto()  # a date as an attribute: birthday, expiry
    TASTE = auto()
    HABIT = auto()
    SYSTEM = auto()  # the subject is a thing, a service or a firm
    RELATION = auto()
    FEELING = auto()
    PROGRESS = auto()  # words of the present
    VERB = auto()  # a verb in the present tense
    STATIVE = auto()  # lasting states: lives, owns, is


Cues = set[Cue]

"""Moments as people say them: today, yesterday, Tuesday, 12 March; days begin and end where the user lives.

Must not know where the words come from (``texts.py``) nor what time it is (the caller says so). Imports no Qt.
"""

from __future__ import annotations

from datetime import datetime, tzinfo

from gui.texts import Texts


def day(moment: datetime, now: datetime, texts: Texts, zone: tzinfo | None = None) -> str:
    """Short, for a list: "today 14:32", "yesterday", "Tuesday", "12 March", "12 March 2025".

    ``moment`` and ``now`` are aware; ``zone`` None is the machine's zone.
    """
    local, present = moment.astimezone(zone), now.astimezone(zone)
    days = (present.date() - local.date()).days
    if days == 0:
        return texts("date.today_at", time=f"{local:%H:%M}")
    if days == 1:
        return texts("date.yesterday")
    if days == -1:
        return texts("date.tomorrow")
    if 2 <= days <= 6:
        return texts(f"date.weekday.{local.isoweekday()}")
    return _date(local, texts, year=local.year != present.year)


def date(moment: datetime, now: datetime, texts: Texts, zone: tzinfo | None = None) -> str:
    """The day alone: "20 May", with its year where that is not the present one: "20 May 2027"."""
    local = moment.astimezone(zone)
    return _date(local, texts, year=local.year != now.astimezone(zone).year)


def full(moment: datetime, texts: Texts, zone: tzinfo | None = None) -> str:
    """Complete, for a detail: "12 March 2025, 14:32"."""
    local = moment.astimezone(zone)
    return texts("date.full", date=_date(local, texts, year=True), time=f"{local:%H:%M}")


def _date(local: datetime, texts: Texts, *, year: bool) -> str:
    month = texts(f"date.month.{local.month}")
    key = "date.day_month_year" if year else "date.day_month"
    return texts(key, day=str(local.day), month=month, year=str(local.year))

"""Moments as people say them, on the days of the user's own zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from gui import dates
from gui.texts import Texts

SHANGHAI = timezone(timedelta(hours=8))
NOW = datetime(2026, 3, 12, 15, 0, tzinfo=SHANGHAI)


@pytest.mark.parametrize(
    ("moment", "english", "chinese"),
    [
        (datetime(2026, 3, 12, 9, 5, tzinfo=SHANGHAI), "today 09:05", "今天 09:05"),
        # 23:30 on the eleventh in UTC is the morning of the twelfth there.
        (datetime(2026, 3, 11, 23, 30, tzinfo=UTC), "today 07:30", "今天 07:30"),
        (datetime(2026, 3, 11, 1, 0, tzinfo=SHANGHAI), "yesterday", "昨天"),
        (datetime(2026, 3, 13, 1, 0, tzinfo=SHANGHAI), "tomorrow", "明天"),
        (datetime(2026, 3, 8, 12, 0, tzinfo=SHANGHAI), "Sunday", "周日"),
        (datetime(2026, 3, 5, 12, 0, tzinfo=SHANGHAI), "5 March", "3月5日"),
        (datetime(2025, 12, 31, 12, 0, tzinfo=SHANGHAI), "31 December 2025", "2025年12月31日"),
        (datetime(2026, 5, 30, 12, 0, tzinfo=SHANGHAI), "30 May", "5月30日"),
    ],
)
def test_days(moment: datetime, english: str, chinese: str) -> None:
    assert dates.day(moment, NOW, Texts("en"), SHANGHAI) == english
    assert dates.day(moment, NOW, Texts("zh"), SHANGHAI) == chinese


def test_in_full() -> None:
    moment = datetime(2025, 3, 12, 6, 32, tzinfo=UTC)
    assert dates.full(moment, Texts("en"), SHANGHAI) == "12 March 2025, 14:32"
    assert dates.full(moment, Texts("zh"), SHANGHAI) == "2025年3月12日 14:32"

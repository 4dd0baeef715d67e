"""The chips above the list: layer, status, tag, client, conversation, time, and the order.

Shows a ``BrowserState`` and says what a person made of it; must not fetch anything (facets are handed in).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QSizePolicy, QVBoxLayout, QWidget

from engine.types import ALL_SCOPES, LAYERS
from gui.browser.state import CHOOSABLE, PERIODS, SORTS, BrowserState
from gui.look import Look
from gui.theme import SPACE_2
from gui.widgets.flow_layout import FlowLayout
from gui.widgets.picker import Choice, Picker

Facets = Mapping[str, Mapping[str, int]]
# The chip of each filter: field of the state, the facet that counts it (or None), whether several may be chosen.
_CHIPS: tuple[tuple[str, str | None, bool], ...] = (
    ("layers", "layers", True),
    ("statuses", None, True),
    ("tags", "tags", True),
    ("clients", "clients", True),
    ("scope", "conversations", False),
    ("period", None, False),
)
_MOST_OFFERED = 500


@dataclass(frozen=True, slots=True)
class _Fixed:
    """Choices that are always the same: values in order, and the prefix of their texts."""

    values: Sequence[str]
    prefix: str


_FIXED: Mapping[str, _Fixed] = {
    "layers": _Fixed(LAYERS, "layer"),
    "statuses": _Fixed(CHOOSABLE, "status"),
    "period": _Fixed(PERIODS, "period"),
}


class FilterBar(QWidget):
    """Emits ``changed`` with the state that is wanted."""

    changed = Signal(object)  # BrowserState

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._state = BrowserState()
        self._facets: Facets = {}
        self._flow = FlowLayout(spacing=SPACE_2)
        self._chips: dict[str, Picker] = {}
        for field, _, several in _CHIPS:
            self._add(field, several)
        self._add("sort", False)
        self._clear = QPushButton()
        self._clear.setProperty("role", "link")
        self._clear.clicked.connect(lambda: self.changed.emit(self._state.without_filters()))
        self._flow.addWidget(self._clear)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self._flow)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        look.wear(self._dress)

    def chip(self, field: str) -> Picker:
        """The chip of one filter."""
        return self._chips[field]

    def show_facets(self, facets: Facets) -> None:
        """Offer the values that are in use."""
        self._facets = facets
        self._dress()

    def show_state(self, state: BrowserState) -> None:
        """Show what is chosen."""
        self._state = state
        self._offer_scopes()
        for field, chip in self._chips.items():
            value = getattr(state, field)
            chip.show_values((value,) if isinstance(value, str) else value)
        self._chips["sort"].setVisible(not state.searching)
        self._clear.setVisible(state.filtered)
        self._show_useful()

    def _add(self, field: str, several: bool) -> None:
        chip = Picker(self._look, several=several, parent=self)
        chip.chosen.connect(lambda values, field=field: self._choose(field, values))
        self._chips[field] = chip
        self._flow.addWidget(chip)

    def _choose(self, field: str, values: tuple[str, ...]) -> None:
        single = field in ("scope", "period", "sort")
        self.changed.emit(self._state.changed(**{field: values[0] if single else values}))

    def _dress(self) -> None:
        texts = self._look.texts
        for field, facet, _ in _CHIPS:
            if field != "scope":
                resting = ("any",) if field == "period" else ()
                self._chips[field].offer(texts(f"filter.{field}"), self._choices(field, facet), resting)
        self._offer_scopes()
        orders = [Choice(sort, texts(f"sort.{sort}")) for sort in SORTS]
        self._chips["sort"].offer(texts("filter.sort"), orders, ("newest",))
        self._clear.setText(texts("filter.clear"))
        self._show_useful()

    def _choices(self, field: str, facet: str | None) -> list[Choice]:
        texts = self._look.texts
        counts = self._facets.get(facet or "", {})
        fixed = _FIXED.get(field)
        if fixed is not None:
            counted = counts if facet else None
            return [
                Choice(value, texts(f"{fixed.prefix}.{value}"), None if counted is None else counted.get(value, 0))
                for value in fixed.values
            ]
        return [Choice(value, value, count) for value, count in _most(counts) if value]

    def _offer_scopes(self) -> None:
        texts = self._look.texts
        found = self._facets.get("conversations", {})
        scopes = [Choice(ALL_SCOPES, texts("scope.all"))]
        scopes += [Choice(value, value, count) for value, count in _most(found) if value]
        self._chips["scope"].offer(texts("filter.scope"), scopes, (ALL_SCOPES,))

    def _show_useful(self) -> None:
        """A filter with nothing to choose from takes no room; the trash has one status only."""
        for field, facet in (("tags", "tags"), ("clients", "clients"), ("scope", "conversations")):
            chosen = getattr(self._state, field) not in ((), ALL_SCOPES)
            values = [value for value in self._facets.get(facet, {}) if value]
            self._chips[field].setVisible(chosen or bool(values))
        self._chips["statuses"].setVisible(self._state.place != "trash")


def _most(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ordered[:_MOST_OFFERED]

"""How one memory looks in the list: layer mark, headline, two lines, the muted line, and how warm it is.

Draws plain text only. All sizes are the same for every row, so that a hundred thousand rows cost what ten do.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QToolTip, QWidget

from engine.types import Hit, Memory
from gui import theme
from gui.browser import presentation
from gui.browser.model import HitRole, MemoryRole
from gui.look import Look
from gui.theme import SPACE_1, SPACE_2, SPACE_3, SPACE_4
from gui.widgets.text_lines import count_lines, draw_lines
from gui.widgets.why_bar import draw_shares

LINE = 20
META_LINE = 16
MARK = 28
TEXT_LINES = 3
PADDING = SPACE_3
GAP = SPACE_2
CARD_HEIGHT = 2 * PADDING + TEXT_LINES * LINE + SPACE_1 + META_LINE
ROW_HEIGHT = CARD_HEIGHT + GAP
STRENGTH = 3
WHY_WIDTH = 72
SIGN = 16

_State = QStyle.StateFlag
_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class _Row:
    """What is drawn now: the memory, how it was found, the card's area and its ground colour."""

    memory: Memory
    hit: Hit | None
    card: QRect
    ground: str

    @property
    def text_area(self) -> QRect:
        return self.card.adjusted(PADDING + MARK + SPACE_3, PADDING, -SPACE_4, -PADDING)

    @property
    def why_area(self) -> QRectF:
        area = self.text_area
        return QRectF(area.right() - WHY_WIDTH, self.meta_top + META_LINE / 2 - 3, WHY_WIDTH, 6)

    @property
    def body_lines(self) -> int:
        """How many lines the text under the headline takes."""
        width = self.text_area.width() - (0 if self.title else self.signs_width)
        return count_lines(self.body, theme.font(theme.BODY), width, TEXT_LINES - bool(self.title))

    @property
    def top(self) -> int:
        """Where the words begin: a short text stands in the middle of its card."""
        unused = TEXT_LINES - bool(self.title) - self.body_lines
        return self.text_area.top() + unused * LINE // 2

    @property
    def meta_top(self) -> int:
        return self.top + (bool(self.title) + self.body_lines) * LINE + SPACE_1

    @property
    def title(self) -> str:
        return presentation.headline(self.memory)

    @property
    def body(self) -> str:
        return presentation.body(self.memory)

    @property
    def signs_width(self) -> int:
        memory = self.memory
        return (memory.pinned + memory.protected + memory.resolved) * (SIGN + SPACE_1)


class CardDelegate(QStyledItemDelegate):
    """Paints rows; asks nothing of the engine."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(240, ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        state: QStyle.StateFlag = option.state
        card = _card(option)
        ground = self._draw_card(painter, card, state)
        memory = index.data(MemoryRole)
        if memory is None:
            self._draw_waiting(painter, card)
        else:
            row = _Row(memory, index.data(HitRole), card, ground)
            self._draw_mark(painter, row)
            self._draw_text(painter, row)
        painter.restore()

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: _Index
    ) -> bool:
        """The why bar says its shares in words when the mouse rests on it."""
        hit = index.data(HitRole)
        memory = index.data(MemoryRole)
        if event.type() != QEvent.Type.ToolTip or hit is None or memory is None:
            return bool(super().helpEvent(event, view, option, index))
        row = _Row(memory, hit, _card(option), "")
        if row.why_area.adjusted(-6, -8, 6, 8).contains(event.pos()):
            lines = presentation.why_lines(hit, self._look.texts)
            QToolTip.showText(event.globalPos(), "<br>".join(escape(line) for line in lines), view)
        else:
            QToolTip.hideText()
        return True

    def _draw_card(self, painter: QPainter, card: QRect, state: QStyle.StateFlag) -> str:
        colours = self._look.colours
        selected = bool(state & _State.State_Selected)
        ground = colours.selection if selected else colours.hover if state & _State.State_MouseOver else colours.surface
        edge = colours.accent if state & _State.State_HasFocus and state & _State.State_Active else colours.border
        painter.setPen(QPen(QColor(edge), 1))
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5), theme.RADIUS_CARD, theme.RADIUS_CARD)
        return ground

    def _draw_waiting(self, painter: QPainter, card: QRect) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._look.colours.sunken))
        left, top = card.left() + PADDING, card.top() + PADDING
        painter.drawEllipse(left, top, MARK, MARK)
        for number, share in enumerate((0.4, 0.8, 0.6)):
            width = int((card.width() - 2 * PADDING - MARK - SPACE_3) * share)
            painter.drawRoundedRect(left + MARK + SPACE_3, top + 5 + number * (LINE + 2), width, 10, 5, 5)

    def _draw_mark(self, painter: QPainter, row: _Row) -> None:
        """The layer's picture, and under it how warm the memory is: a bar that shortens and pales together."""
        colours = self._look.colours
        ink = colours.layer(row.memory.layer)
        height = MARK + SPACE_3 + STRENGTH
        left, top = row.card.left() + PADDING, row.card.top() + (row.card.height() - height) // 2
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.blend(ink, row.ground, 0.14)))
        painter.drawEllipse(left, top, MARK, MARK)
        ratio = painter.device().devicePixelRatioF()
        inset = (MARK - 16) // 2
        icon = self._look.icons.pixmap(f"layer.{row.memory.layer}", ink, 16, ratio)
        painter.drawPixmap(left + inset, top + inset, icon)
        bar = QRectF(left, top + MARK + SPACE_3, MARK, STRENGTH)
        painter.setBrush(QColor(colours.border))
        painter.drawRoundedRect(bar, 1.5, 1.5)
        strength = min(1.0, max(0.0, row.memory.strength))
        glow = QColor(colours.accent)
        glow.setAlphaF(0.3 + 0.7 * strength)
        painter.setBrush(glow)
        bar.setWidth(max(3.0, MARK * strength))
        painter.drawRoundedRect(bar, 1.5, 1.5)

    def _draw_text(self, painter: QPainter, row: _Row) -> None:
        colours, area = self._look.colours, row.text_area
        terms = row.hit.explanation.matched_terms if row.hit is not None and row.hit.explanation is not None else ()
        ink, ground = QColor(colours.text), QColor(colours.mark)
        self._draw_signs(painter, row)
        title, body, top, lines = row.title, row.body, row.top, TEXT_LINES
        strong, plain = theme.font(theme.BODY, theme.STRONG), theme.font(theme.BODY)
        if title:
            first = QRect(area.left(), top, area.width() - row.signs_width, LINE)
            draw_lines(painter, first, title, strong, ink, LINE, 1, presentation.matches(title, terms), ground)
            top, lines = top + LINE, TEXT_LINES - 1
        rest = QRect(area.left(), top, area.width() - (0 if title else row.signs_width), LINE * lines)
        draw_lines(painter, rest, body, plain, ink, LINE, lines, presentation.matches(body, terms), ground)
        self._draw_meta(painter, row, row.meta_top)

    def _draw_meta(self, painter: QPainter, row: _Row, top: int) -> None:
        colours, texts, memory, area = self._look.colours, self._look.texts, row.memory, row.text_area
        font = theme.font(theme.CAPTION)
        shares = presentation.shares(row.hit) if row.hit is not None else []
        width = area.width() - (WHY_WIDTH + SPACE_4 if shares else 0)
        layer = texts(f"layer.{memory.layer}")
        strong = theme.font(theme.CAPTION, theme.STRONG)
        line = QRect(area.left(), top, width, META_LINE)
        draw_lines(painter, line, layer, strong, QColor(colours.layer(memory.layer)), META_LINE, 1)
        painter.setFont(strong)
        line.setLeft(line.left() + painter.fontMetrics().horizontalAdvance(layer))
        meta = " · " + presentation.meta(memory, self._look.day(memory.occurred_at), texts)
        draw_lines(painter, line, meta, font, QColor(colours.muted), META_LINE, 1)
        if shares:
            draw_shares(painter, row.why_area, shares, colours)

    def _draw_signs(self, painter: QPainter, row: _Row) -> None:
        """Pinned, protected and resolved at the right of the first line."""
        colours, area = self._look.colours, row.text_area
        ratio = painter.device().devicePixelRatioF()
        right = area.right() + 1
        for sign, ink in (("resolved", colours.ok), ("protected", colours.muted), ("pinned", colours.accent)):
            if getattr(row.memory, sign):
                right -= SIGN
                painter.drawPixmap(right, row.top + 2, self._look.icons.pixmap(f"sign.{sign}", ink, SIGN, ratio))
                right -= SPACE_1


def _card(option: QStyleOptionViewItem) -> QRect:
    rect: QRect = option.rect
    return rect.adjusted(0, 0, -SPACE_1, -GAP)

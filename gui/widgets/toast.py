"""A short message that floats over the foot of a window for a few seconds, with one thing to press.

Everything that was done says so here and can be undone from here. Never takes the focus.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEasingCurve, QEvent, QObject, QPoint, QPropertyAnimation, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QColor, QEnterEvent
from PySide6.QtWidgets import QFrame, QGraphicsDropShadowEffect, QHBoxLayout, QPushButton, QWidget

from gui.look import Look
from gui.theme import MOTION_MS, SPACE_2, SPACE_3, SPACE_4, SPACE_5
from gui.widgets.labels import label

SHOWN_MS = 5_000
SHOWN_WITH_ACTION_MS = 9_000
MOST_WIDE = 560


class Toast(QFrame):
    """One at a time; a newer message takes the place of the older."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._ground = parent
        self._look = look
        self._act: Callable[[], None] | None = None
        self.setObjectName("toast")
        self._text = label("", wrap=True)
        self._button = QPushButton()
        self._button.clicked.connect(self._pressed)
        self._close = QPushButton()
        self._close.clicked.connect(self.hide)
        for button in (self._button, self._close):
            # A toast comes and goes; only Tab leads the focus here.
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE_4, SPACE_2, SPACE_2, SPACE_2)
        row.setSpacing(SPACE_3)
        row.addWidget(self._text, 1)
        row.addWidget(self._button)
        row.addWidget(self._close)
        shadow = QGraphicsDropShadowEffect(self)
        shadow.setBlurRadius(24)
        shadow.setOffset(0, 4)
        shadow.setColor(QColor(0, 0, 0, 90))
        self.setGraphicsEffect(shadow)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.hide)
        self._slide = QPropertyAnimation(self, b"pos", self)
        self._slide.setDuration(MOTION_MS)
        self._slide.setEasingCurve(QEasingCurve.Type.OutCubic)
        parent.installEventFilter(self)
        look.wear(self._dress)
        self.hide()

    @property
    def text(self) -> str:
        """What it says now."""
        return self._text.text()

    def say(self, text: str, action: str = "", act: Callable[[], None] | None = None) -> None:
        """Show ``text``; ``action`` is the word on the button that runs ``act``."""
        self._act = act
        self._text.setText(text)
        self._button.setText(action)
        self._button.setVisible(act is not None)
        self._place(slide=not self.isVisible() and self._look.moves)
        self.show()
        self.raise_()
        self._timer.start(SHOWN_WITH_ACTION_MS if act is not None else SHOWN_MS)
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place(slide=False)
        return False

    def enterEvent(self, event: QEnterEvent) -> None:
        self._timer.stop()

    def leaveEvent(self, event: QEvent) -> None:
        self._timer.start(SHOWN_MS)

    def _dress(self) -> None:
        ink = "background"
        self._close.setIcon(self._look.icon("action.close", ink))
        self._close.setToolTip(self._look.texts("toast.close"))
        self._close.setAccessibleName(self._look.texts("toast.close"))

    def _place(self, *, slide: bool) -> None:
        parent = self._ground
        room = min(MOST_WIDE, parent.width() - 2 * SPACE_5)
        beside = self._close.sizeHint().width() + SPACE_4 + SPACE_2 + 2 * SPACE_3
        if self._act is not None:
            beside += self._button.sizeHint().width() + SPACE_3
        wanted = self._text.fontMetrics().horizontalAdvance(self._text.text()) + 8
        text_width = min(wanted, room - beside)
        self._text.setFixedWidth(max(80, text_width))
        self.resize(self._text.width() + beside, self.sizeHint().height())
        self.setFixedHeight(max(44, self._text.heightForWidth(self._text.width()) + 2 * SPACE_3))
        goal = QPoint((parent.width() - self.width()) // 2, parent.height() - self.height() - SPACE_5)
        if slide:
            self._slide.setStartValue(goal + QPoint(0, SPACE_5))
            self._slide.setEndValue(goal)
            self._slide.start()
        else:
            self.move(goal)

    def _pressed(self) -> None:
        act, self._act = self._act, None
        self.hide()
        if act is not None:
            act()

"""The style sheet of the windows, made from colour roles. Widgets say what they are (``role``), not how they look.

Must not hold a colour value; ``theme.py`` does.
"""

from __future__ import annotations

from pathlib import Path

from gui.theme import BODY, CAPTION, DISPLAY, LEAD, RADIUS_CARD, RADIUS_FIELD, TITLE, Palette, blend


def build(colours: Palette, check_mark: Path, arrow: Path) -> str:
    """The whole sheet. ``check_mark``/``arrow``: picture files in fitting colours (style sheets take only files)."""
    return "\n".join(
        (
            _ground(colours),
            _labels(colours),
            _buttons(colours),
            _fields(colours, check_mark, arrow),
            _lists(colours),
            _floating(colours),
        )
    )


def _ground(c: Palette) -> str:
    return f"""
QWidget {{ color: {c.text}; font-size: {BODY}px; }}
QMainWindow, QDialog, #page {{ background: {c.background}; }}
#rail {{ background: {c.sunken}; border: none; border-right: 1px solid {c.border}; }}
#pane {{ background: {c.surface}; border: none; border-left: 1px solid {c.border}; }}
#paneBody, #paneScroll {{ background: {c.surface}; border: none; }}
QFrame[role="panel"] {{ background: {c.sunken}; border: none; border-radius: {RADIUS_CARD}px; }}
QFrame[role="rule"] {{ background: {c.border}; border: none; max-height: 1px; min-height: 1px; }}
QSplitter::handle {{ background: transparent; }}
QToolTip {{ background: {c.surface}; color: {c.text}; border: 1px solid {c.border}; padding: 6px 8px; }}
"""


def _labels(c: Palette) -> str:
    return f"""
QLabel {{ background: transparent; border: none; }}
QLabel[role="display"] {{ font-size: {DISPLAY}px; font-weight: 600; }}
QLabel[role="title"] {{ font-size: {TITLE}px; font-weight: 600; }}
QLabel[role="lead"] {{ font-size: {LEAD}px; }}
QLabel[role="strong"] {{ font-weight: 600; }}
QLabel[role="muted"] {{ color: {c.muted}; }}
QLabel[role="caption"] {{ color: {c.muted}; font-size: {CAPTION}px; }}
QLabel[role="section"] {{ color: {c.muted}; font-size: {CAPTION}px; font-weight: 600; }}
QLabel[role="danger"] {{ color: {c.danger}; }}
QLabel[role="quote"] {{ color: {c.muted}; border-left: 2px solid {c.border}; padding-left: 8px; }}
QLabel[role="notice"] {{ background: {c.selection}; border-radius: {RADIUS_FIELD}px; padding: 8px 12px; }}
"""


def _buttons(c: Palette) -> str:
    focus = f"border: 1px solid {c.accent};"
    return f"""
QPushButton, QToolButton {{ background: {c.surface}; border: 1px solid {c.border}; border-radius: {RADIUS_FIELD}px;
    padding: 6px 12px; min-height: 18px; }}
QPushButton:hover, QToolButton:hover {{ background: {c.hover}; }}
QPushButton:pressed, QToolButton:pressed {{ background: {c.selection}; }}
QPushButton:focus, QToolButton:focus {{ {focus} }}
QPushButton:disabled, QToolButton:disabled {{ color: {blend(c.muted, c.background, 0.6)}; }}
QPushButton[role="primary"] {{ background: {c.accent}; color: {c.on_accent}; border: 1px solid {c.accent};
    font-weight: 600; }}
QPushButton[role="primary"]:hover {{ background: {c.accent_hover}; }}
QPushButton[role="primary"]:focus {{ border: 1px solid {c.text}; }}
QPushButton[role="primary"]:disabled {{ background: {c.sunken}; color: {c.muted}; border: 1px solid {c.border}; }}
QPushButton[role="danger"] {{ color: {c.danger}; }}
QPushButton[role="quiet"], QToolButton[role="quiet"] {{ background: transparent; border: 1px solid transparent; }}
QToolButton[role="quiet"] {{ padding: 6px; }}
QPushButton[role="quiet"]:hover, QToolButton[role="quiet"]:hover {{ background: {c.hover}; }}
QPushButton[role="quiet"]:focus, QToolButton[role="quiet"]:focus {{ {focus} }}
QPushButton[role="link"] {{ background: transparent; border: 1px solid transparent; color: {c.accent};
    padding: 2px 4px; text-align: left; }}
QPushButton[role="link"]:hover {{ text-decoration: underline; }}
QPushButton[role="link"]:focus {{ {focus} }}
QPushButton[role="line"] {{ background: transparent; border: 1px solid transparent; border-radius: 4px;
    color: {c.accent}; padding: 0; min-height: 16px; text-align: left; }}
QPushButton[role="line"]:hover {{ text-decoration: underline; }}
QPushButton[role="line"]:focus {{ {focus} }}
QPushButton[role="chip"] {{ border-radius: 14px; padding: 4px 12px; min-height: 18px; background: transparent;
    border: 1px solid {c.border}; }}
QPushButton[role="chip"]:hover {{ background: {c.hover}; }}
QPushButton[role="chip"][active="true"] {{ background: {c.selection}; border: 1px solid {c.accent}; }}
QPushButton[role="chip"]:focus {{ {focus} }}
QPushButton[role="rail"], QToolButton[role="rail"] {{ background: transparent; border: 1px solid transparent;
    border-radius: {RADIUS_FIELD}px; padding: 8px 10px; text-align: left; }}
QPushButton[role="rail"]:hover, QToolButton[role="rail"]:hover {{ background: {c.hover}; }}
QPushButton[role="rail"]:checked {{ background: {c.selection}; font-weight: 600; }}
QPushButton[role="rail"]:focus, QToolButton[role="rail"]:focus {{ {focus} }}
QPushButton::menu-indicator, QToolButton::menu-indicator {{ image: none; width: 0; }}
"""


def _fields(c: Palette, check_mark: Path, arrow: Path) -> str:
    return f"""
QLineEdit, QPlainTextEdit, QComboBox, QDateTimeEdit, QSpinBox {{ background: {c.surface};
    border: 1px solid {c.border}; border-radius: {RADIUS_FIELD}px; padding: 6px 8px;
    selection-background-color: {c.accent}; selection-color: {c.on_accent}; }}
QLineEdit:focus, QPlainTextEdit:focus, QComboBox:focus, QDateTimeEdit:focus, QSpinBox:focus {{
    border: 1px solid {c.accent}; }}
QLineEdit:disabled, QPlainTextEdit:disabled, QComboBox:disabled, QDateTimeEdit:disabled {{
    background: {c.sunken}; color: {c.muted}; }}
QLineEdit[role="search"] {{ font-size: {LEAD}px; padding: 0 8px; min-height: 40px; border-radius: {RADIUS_CARD}px; }}
QLineEdit QToolButton {{ background: transparent; border: none; padding: 0; min-height: 0; }}
QTextEdit[role="reading"] {{ background: transparent; border: none; font-size: {BODY}px;
    selection-background-color: {c.accent}; selection-color: {c.on_accent}; }}
QComboBox::drop-down, QDateTimeEdit::drop-down {{ border: none; width: 24px; }}
QComboBox::down-arrow, QDateTimeEdit::down-arrow {{ image: url("{arrow.as_posix()}"); width: 12px; height: 12px; }}
QComboBox QAbstractItemView {{ background: {c.surface}; border: 1px solid {c.border}; padding: 4px; outline: none;
    selection-background-color: {c.selection}; selection-color: {c.text}; }}
QCheckBox {{ spacing: 8px; padding: 2px; border: 1px solid transparent; border-radius: 4px; }}
QCheckBox:focus {{ border: 1px solid {c.accent}; }}
QCheckBox::indicator, QListView::indicator {{ width: 16px; height: 16px; border: 1px solid {c.muted};
    border-radius: 4px;
    background: {c.surface}; }}
QCheckBox::indicator:checked, QListView::indicator:checked {{ background: {c.accent}; border: 1px solid {c.accent};
    image: url("{check_mark.as_posix()}"); }}
QCheckBox::indicator:disabled {{ border: 1px solid {c.border}; background: {c.sunken}; }}
QSlider {{ border: 1px solid transparent; border-radius: 4px; min-height: 22px; }}
QSlider:focus {{ border: 1px solid {c.accent}; }}
QSlider::groove:horizontal {{ height: 4px; border-radius: 2px; background: {c.border}; }}
QSlider::sub-page:horizontal {{ height: 4px; border-radius: 2px; background: {c.accent}; }}
QSlider::handle:horizontal {{ width: 14px; height: 14px; margin: -5px 0; border-radius: 7px; background: {c.accent}; }}
"""


def _lists(c: Palette) -> str:
    thumb = blend(c.muted, c.background, 0.35)
    return f"""
QListView, QTableView {{ background: {c.background}; border: none; outline: none; }}
QTableView {{ selection-background-color: transparent; }}
QListWidget[role="plain"] {{ background: transparent; border: none; }}
QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; border: none; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; border: none; }}
QScrollBar::handle {{ background: {thumb}; border-radius: 3px; margin: 2px; }}
QScrollBar::handle:vertical {{ min-height: 32px; }}
QScrollBar::handle:horizontal {{ min-width: 32px; }}
QScrollBar::handle:hover {{ background: {c.muted}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
"""


def _floating(c: Palette) -> str:
    return f"""
QMenu {{ background: {c.surface}; border: 1px solid {c.border}; padding: 6px; }}
QMenu::item {{ padding: 6px 24px 6px 12px; border-radius: 4px; background: transparent; }}
QMenu::item:selected {{ background: {c.selection}; color: {c.text}; }}
QMenu::item:disabled {{ color: {c.muted}; }}
QMenu::separator {{ height: 1px; background: {c.border}; margin: 6px 4px; }}
QMenu::icon {{ padding-left: 8px; }}
#popup {{ background: {c.surface}; border: 1px solid {c.border}; }}
#popup QListWidget::item {{ padding: 5px 6px; border-radius: 4px; color: {c.text}; }}
#popup QListWidget::item:hover {{ background: {c.hover}; }}
#popup QListWidget::item:selected {{ background: {c.selection}; color: {c.text}; }}
#toast {{ background: {c.text}; border: none; border-radius: {RADIUS_CARD}px; }}
#toast QLabel {{ color: {c.background}; }}
#toast QPushButton {{ background: transparent; border: 1px solid transparent; padding: 4px 8px; font-weight: 600;
    color: {c.selection if not c.dark else c.background}; }}
#toast QPushButton:hover {{ text-decoration: underline; }}
#toast QPushButton:focus {{ border: 1px solid {c.selection if not c.dark else c.accent_hover}; }}
"""

"""The words, colours and pictures in force, and one signal when they change; handed to every widget.

Widgets dress themselves in ``dress`` methods that they call once and connect to ``changed``: that is how language
and theme switch without a restart. Must not know any window.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, tzinfo

from PySide6.QtCore import QLibraryInfo, QLocale, QObject, Qt, QTranslator, Signal
from PySide6.QtGui import QFont, QGuiApplication, QIcon, QPalette, QPixmap
from PySide6.QtWidgets import QApplication, QStyle

from engine.clock import Clock, SystemClock
from gui import dates, stylesheet, theme
from gui.icons import Icons
from gui.texts import Language, Texts, resolve


class Look(QObject):
    """Owns language and theme of one application. Main thread only."""

    changed = Signal()

    def __init__(self, app: QApplication, clock: Clock | None = None, zone: tzinfo | None = None) -> None:
        """``zone`` None is the machine's; tests hand in another."""
        super().__init__(app)
        self._app = app
        self._clock = clock or SystemClock()
        self._zone = zone
        self._system_face = app.font().family()
        self._system_ground = app.palette().color(QPalette.ColorRole.Window)
        self._language_setting, self._theme_setting = "auto", "auto"
        self._translator: QTranslator | None = None
        self.icons = Icons()
        self.texts = Texts("en")
        self.colours = theme.LIGHT
        app.setStyle("Fusion")
        app.styleHints().colorSchemeChanged.connect(self._follow_system)

    def set(self, language: str, appearance: str) -> None:
        """Take the values of ``interface.language`` and ``interface.theme`` and announce the change."""
        self._language_setting, self._theme_setting = language, appearance
        self._speak(resolve(language, QLocale.system().uiLanguages()))
        self._paint()
        self.changed.emit()

    @property
    def language_setting(self) -> str:
        """What was chosen: "auto", "zh" or "en"."""
        return self._language_setting

    @property
    def theme_setting(self) -> str:
        """What was chosen: "auto", "light" or "dark"."""
        return self._theme_setting

    @property
    def moves(self) -> bool:
        """Whether the system wants things to move at all."""
        return self._app.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) > 0

    def now(self) -> datetime:
        return self._clock.now()

    @property
    def zone(self) -> tzinfo | None:
        return self._zone

    def day(self, moment: datetime) -> str:
        """``moment`` as a person says it."""
        return dates.day(moment, self.now(), self.texts, self._zone)

    def date(self, moment: datetime) -> str:
        """The day of ``moment``, without the time."""
        return dates.date(moment, self.now(), self.texts, self._zone)

    def moment(self, moment: datetime) -> str:
        """``moment`` in full."""
        return dates.full(moment, self.texts, self._zone)

    def icon(self, role: str, ink: str = "text") -> QIcon:
        """The picture of ``role`` in the colour of the role ``ink``."""
        return self.icons.icon(role, getattr(self.colours, ink))

    def pixmap(self, role: str, ink: str, size: int, ratio: float = 1.0) -> QPixmap:
        return self.icons.pixmap(role, getattr(self.colours, ink), size, ratio)

    def system_dark(self) -> bool:
        """Whether the system is dark; a desktop that does not say is judged by its own window colour."""
        scheme = self._app.styleHints().colorScheme()
        if scheme is Qt.ColorScheme.Unknown:
            return self._system_ground.lightness() < 128
        return scheme is Qt.ColorScheme.Dark

    def wear(self, dress: Callable[[], None]) -> None:
        """Run ``dress`` now and at every change; a bound method of a QObject is let go with its object."""
        dress()
        self.changed.connect(dress)

    def _speak(self, language: Language) -> None:
        self.texts = Texts(language)
        # Qt's own words (context menus, standard buttons) come from Qt's own catalogue.
        if self._translator is not None:
            self._app.removeTranslator(self._translator)
            self._translator = None
        if language == "zh":
            translator = QTranslator(self)
            if translator.load("qtbase_zh_CN", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
                self._app.installTranslator(translator)
                self._translator = translator
        QLocale.setDefault(QLocale("zh_CN" if language == "zh" else "en_GB"))

    def _paint(self) -> None:
        hints = self._app.styleHints()
        scheme = Qt.ColorScheme
        wanted = {"light": scheme.Light, "dark": scheme.Dark}.get(self._theme_setting, scheme.Unknown)
        hints.blockSignals(True)
        hints.setColorScheme(wanted)
        hints.blockSignals(False)
        dark = self._theme_setting == "dark" or (self._theme_setting == "auto" and self.system_dark())
        self.colours = theme.palette("dark" if dark else "light")
        face = QFont(self._app.font())
        face.setFamilies(theme.font_families(self._system_face))
        face.setPixelSize(theme.BODY)
        self._app.setFont(face)
        self._app.setPalette(theme.qt_palette(self.colours))
        scheme_name = self.colours.scheme
        check, arrow = (self.icons.path(f"sheet.{name}.{scheme_name}") for name in ("check", "open"))
        self._app.setStyleSheet(stylesheet.build(self.colours, check, arrow))

    def _follow_system(self) -> None:
        if self._theme_setting == "auto" and QGuiApplication.instance() is not None:
            self._paint()
            self.changed.emit()

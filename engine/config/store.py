"""The parameter values in force: one TOML file, edited atomically, unknown keys and comments kept.

Must not know what any parameter means (``parameters.py`` does) and never holds secrets.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from engine.config import parameters
from engine.errors import DiskError, InvalidArgument, NotWritable

log = logging.getLogger("hupo.settings")

Values = Mapping[str, Any]


class Settings:
    """All parameters with their values; thread-safe. ``current`` is an immutable snapshot, cheap to read."""

    def __init__(self, path: Path | None = None) -> None:
        """Read ``path`` (None = in memory only). Values that do not fit are ignored and listed in ``rejected``.

        Errors: ``InvalidArgument`` when the file is not TOML, ``DiskError`` when it can not be read; it is left.
        """
        self._path = path
        self._lock = threading.Lock()
        self._listeners: list[Callable[[Values], None]] = []
        self.rejected: tuple[InvalidArgument, ...] = ()
        self._document = self._read()
        self.current: Values = self._snapshot()

    def __getitem__(self, key: str) -> Any:
        return self.current[key]

    def changed(self) -> dict[str, Any]:
        """The values that differ from their default."""
        return {key: value for key, value in self.current.items() if value != parameters.BY_KEY[key].default}

    def set(self, key: str, value: Any) -> Any:
        """Check, save and announce one value; returns it in its type. Errors: ``InvalidArgument``, ``NotWritable``."""
        return self.update({key: value})[key]

    def update(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Check all, then save all in one go, then announce. Errors as :meth:`set`; on an error nothing changes."""
        checked = {key: parameters.check(key, value) for key, value in values.items()}
        with self._lock:
            edited = tomlkit.parse(tomlkit.dumps(self._document))
            for key, value in checked.items():
                group, name = key.split(".", 1)
                table = edited.get(group)
                if not isinstance(table, dict):
                    table = edited[group] = tomlkit.table()
                if value == parameters.BY_KEY[key].default:
                    table.pop(name, None)
                else:
                    table[name] = value
            self._write(tomlkit.dumps(edited))
            self._document = edited
            self.current = self._snapshot()
            snapshot, listeners = self.current, tuple(self._listeners)
        for listener in listeners:
            try:
                listener(snapshot)
            except Exception:
                # The value is saved and in force; whoever set it can not help what a listener makes of it.
                log.exception("a listener failed on a change of settings")
        return checked

    def reset(self, key: str) -> Any:
        """Back to the default."""
        if key not in parameters.BY_KEY:
            raise InvalidArgument(field=key, reason="unknown_parameter")
        return self.set(key, parameters.BY_KEY[key].default)

    def subscribe(self, listener: Callable[[Values], None]) -> Callable[[], None]:
        """Call ``listener`` (in the thread of whoever sets a value) after each change; returns the way out."""
        with self._lock:
            self._listeners.append(listener)

        def leave() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return leave

    def _read(self) -> tomlkit.TOMLDocument:
        if self._path is None:
            return tomlkit.document()
        try:
            return tomlkit.parse(self._path.read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            return tomlkit.document()
        except OSError as error:
            raise DiskError(path=str(self._path), detail=error.strerror or "") from error
        except (TOMLKitError, UnicodeDecodeError) as error:
            raise InvalidArgument(field=str(self._path), reason="not_toml", detail=str(error)) from error

    def _snapshot(self) -> Values:
        values: dict[str, Any] = {}
        rejected: list[InvalidArgument] = []
        plain = self._document.unwrap()
        for row in parameters.TABLE:
            group, name = row.key.split(".", 1)
            table = plain.get(group)
            values[row.key] = row.default
            if isinstance(table, dict) and name in table:
                try:
                    values[row.key] = row.check(table[name])
                except InvalidArgument as error:
                    rejected.append(error)
        self.rejected = tuple(rejected)
        return MappingProxyType(values)

    def _write(self, text: str) -> None:
        if self._path is None:
            return
        beside = self._path.with_name(self._path.name + ".new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with open(beside, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(beside, self._path)
        except OSError as error:
            raise NotWritable(path=str(self._path), detail=error.strerror or "") from error

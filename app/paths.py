"""Where Hupo's files lie, by platform, by ``--data`` or by the variable ``HUPO_DATA``.

The shim imports this on every start, so it takes ``os`` and ``sys`` alone (paths are ``str``, not ``pathlib``).
XDG variables are ignored on purpose: MCP clients do not pass them to the shim, and shim and app must agree.
Must not read or write any file but the directories it makes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

NAME = "Hupo"


def data_directory(
    explicit: str | None = None,
    environment: Mapping[str, str] | None = None,
    platform: str = sys.platform,
) -> str:
    """Absolute path of the data directory: ``explicit``, else ``HUPO_DATA``, else the platform's own place."""
    variables = os.environ if environment is None else environment
    chosen = explicit or variables.get("HUPO_DATA")
    if chosen:
        return os.path.abspath(os.path.expanduser(chosen))
    if platform == "win32":
        local = variables.get("LOCALAPPDATA") or os.path.join(_home(variables), "AppData", "Local")
        return os.path.join(local, NAME)
    if platform == "darwin":
        return os.path.join(_home(variables), "Library", "Application Support", NAME)
    return os.path.join(_home(variables), ".local", "share", NAME.lower())


def _home(variables: Mapping[str, str]) -> str:
    """The home directory; from the password database where the client passed none."""
    named = variables.get("HOME") or variables.get("USERPROFILE")
    if named:
        return named
    if sys.platform == "win32":
        return os.path.expanduser("~")
    import pwd  # only where a client strips even HOME

    return pwd.getpwuid(os.getuid()).pw_dir


def ensure_private(directory: str) -> str:
    """Make ``directory`` (and its parents), closed to other users; returns it. Errors: ``OSError``."""
    if not os.path.isdir(directory):
        os.makedirs(directory, mode=0o700, exist_ok=True)
    if os.name == "posix" and os.stat(directory).st_mode & 0o077:
        os.chmod(directory, 0o700)
    return directory


def endpoint_file(data: str) -> str:
    """Where the host says how it can be reached."""
    return os.path.join(data, "endpoint.json")


def socket_file(data: str) -> str:
    """The unix socket, in a directory of its own that only this user may enter."""
    return os.path.join(data, "run", "hupo.sock")


def settings_file(data: str) -> str:
    """The parameter values (TOML)."""
    return os.path.join(data, "settings.toml")


def log_directory(data: str) -> str:
    """Where the rotating log files lie."""
    return os.path.join(data, "logs")


def log_file(data: str) -> str:
    """The newest log file."""
    return os.path.join(data, "logs", "hupo.log")


def project_directory() -> str:
    """The directory that holds ``app/`` and ``resources/``: the bundle's own when frozen."""
    bundled = getattr(sys, "_MEIPASS", None)
    if bundled:
        return str(bundled)
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def resources_directory() -> str:
    """Icons, translations, models, manifests."""
    return os.path.join(project_directory(), "resources")


def manifest_files(data: str, profile: str) -> tuple[str, str]:
    """The manifest that the host left behind, then the one that was shipped; the first readable one counts."""
    name = f"{profile}.json"
    return os.path.join(data, "manifests", name), os.path.join(resources_directory(), "manifests", name)

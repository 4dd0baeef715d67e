"""Makes the environment a task runs in: system packages where it may, ``.venv`` with Hupo in it, and a stamp.

Standard library only, and it must run on a bare system: before anything is installed this is all there is.
Must not know what any task does. With a fitting stamp nothing here touches the network.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
_STAMP = VENV / "hupo-environment.json"
_LOG = VENV / "install.log"
_STARTED = time.monotonic()

# Shared library -> Debian package, as the platform plugins "offscreen", "xcb" and "wayland" of Qt link them.
_QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xinerama.so.0": "libxcb-xinerama0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}


class SetupFailed(Exception):
    """The environment could not be made; the text says what is wrong and what to do."""


def say(line: str) -> None:
    """One progress line with the seconds since the task began."""
    print(f"[{time.monotonic() - _STARTED:6.1f} s] {line}", flush=True)


def python() -> Path:
    """The interpreter of ``.venv``."""
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def script(name: str) -> Path:
    """A console script of ``.venv``."""
    return VENV / (f"Scripts/{name}.exe" if os.name == "nt" else f"bin/{name}")


def child_environment(**extra: str) -> dict[str, str]:
    """The environment for programs started from ``.venv``: UTF-8, and nothing of another Python."""
    foreign = ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")
    return {key: value for key, value in os.environ.items() if key not in foreign} | {"PYTHONUTF8": "1"} | extra


def has_display() -> bool:
    """Whether a window can be shown."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def prepare(extras: Iterable[str] = (), *, qt: bool = False, cjk_font: bool = False) -> None:
    """Make sure that ``.venv`` holds Hupo with ``extras`` and that the system has what Qt needs.

    Errors: :class:`SetupFailed`.
    """
    needed = [*_missing_for_venv(), *(_missing_for_qt() if qt else ())]
    if cjk_font and not _has_cjk_font():
        needed.append("fonts-noto-cjk")
    if needed:
        _install_system_packages(needed)
    _prepare_venv(set(extras))


def prepare_qt() -> None:
    """Make sure that the system has what Qt needs for a window. Errors: :class:`SetupFailed`."""
    needed = _missing_for_qt()
    if needed:
        _install_system_packages(needed)


def _missing_for_venv() -> list[str]:
    """Debian splits ensurepip off the interpreter."""
    if not sys.platform.startswith("linux") or _venv_works() or importlib.util.find_spec("ensurepip") is not None:
        return []
    return [f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"]


def _missing_for_qt() -> list[str]:
    if not sys.platform.startswith("linux"):
        return []
    return [package for library, package in _QT_LIBRARIES.items() if not _loads(library)]


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _has_cjk_font() -> bool:
    places = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".local/share/fonts")
    names = ("cjk", "wqy", "sourcehan", "droidsansfallback", "ukai", "uming")
    files = (path.name.lower() for place in places if place.is_dir() for path in place.rglob("*.[to]t[fc]"))
    return any(word in name for name in files for word in names)


def _install_system_packages(packages: Sequence[str]) -> None:
    command = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    by_hand = "sudo " + " ".join(command)
    if shutil.which("apt-get") is None:
        raise SetupFailed(f"The system lacks what these Debian packages hold; install the like: {' '.join(packages)}")
    prefix = _root_prefix()
    if prefix is None:
        raise SetupFailed(
            f"The system lacks some packages. Install them with this command, then try again:\n  {by_hand}"
        )
    say(f"system packages: {' '.join(packages)}")
    fresh = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    if any(Path("/var/lib/apt/lists").glob("*Packages*")) and _quiet([*prefix, *command], fresh) is None:
        return
    # No package lists yet, or they are too old for the archive.
    trouble = _quiet([*prefix, "apt-get", "update"], fresh) or _quiet([*prefix, *command], fresh)
    if trouble is not None:
        raise SetupFailed(f"apt-get failed:\n{trouble}\nTry by hand:\n  {by_hand}")


def _root_prefix() -> list[str] | None:
    """What to put before a command so that it runs as root; None where that needs a password."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and _quiet(["sudo", "-n", "true"], dict(os.environ)) is None:
        return ["sudo", "-n", "env", "DEBIAN_FRONTEND=noninteractive"]
    return None


def _quiet(command: Sequence[str], environment: dict[str, str]) -> str | None:
    """Run; None when all went well, otherwise the end of what it printed."""
    done = subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return None if done.returncode == 0 else done.stdout.decode("utf-8", "replace")[-2000:]


def _prepare_venv(extras: set[str]) -> None:
    stamp = _read_stamp()
    if not _venv_works():
        say(f"virtual environment: {VENV.name}")
        trouble = _quiet([sys.executable, "-m", "venv", "--clear", str(VENV)], child_environment())
        if trouble is not None:
            raise SetupFailed(f"The virtual environment could not be made:\n{trouble}")
        stamp = {}
    have = set(stamp.get("extras", ())) if stamp.get("fingerprint") == _fingerprint() else None
    if have is not None and extras <= have:
        return
    wanted = sorted(extras | set(stamp.get("extras", ())))
    _STAMP.unlink(missing_ok=True)
    _pip_install(wanted)
    _STAMP.write_text(json.dumps({"fingerprint": _fingerprint(), "extras": wanted}), encoding="utf-8")


def _venv_works() -> bool:
    """Whether ``.venv`` has an interpreter of the version that its packages were installed for."""
    if not python().exists():
        return False
    code = "import sys, sysconfig, os; sys.exit(not os.path.isdir(os.path.join(sysconfig.get_path('purelib'), 'pip')))"
    return _quiet([str(python()), "-I", "-c", code], child_environment()) is None


def _fingerprint() -> str:
    """Changes when another installation is needed: other requirements, or the checkout has moved."""
    parts = (str(ROOT).encode("utf-8", "surrogateescape"), (ROOT / "pyproject.toml").read_bytes())
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _read_stamp() -> dict[str, Any]:
    try:
        stamp = json.loads(_STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def _pip_install(extras: Sequence[str]) -> None:
    target = "." + (f"[{','.join(extras)}]" if extras else "")
    say(f"packages: pip install -e {target}  (the first time some 200 MB are downloaded)")
    command = [str(python()), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    command += ["--progress-bar", "off", "-e", target]
    with open(_LOG, "w", encoding="utf-8") as log:
        pip = subprocess.Popen(
            command,
            cwd=ROOT,
            env=child_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )
        assert pip.stdout is not None
        for line in pip.stdout:
            log.write(line)
            text = line.strip()
            if text.startswith("Installing collected") or (text.startswith("Downloading ") and text.endswith(" MB)")):
                say("  " + text[:100])
        pip.wait()
    if pip.returncode != 0:
        tail = "".join(_LOG.read_text(encoding="utf-8").splitlines(keepends=True)[-15:])
        raise SetupFailed(f"pip failed (all of its output: {_LOG}):\n{tail}")

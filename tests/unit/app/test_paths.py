"""Where the data lies, by platform and wish."""

from __future__ import annotations

import os
import pwd
import stat
import sys
from pathlib import Path

import pytest

from app import paths


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"HOME": "/h"}, "/h/.local/share/hupo"),
        ("linux", {"HOME": "/h", "XDG_DATA_HOME": "/elsewhere", "XDG_RUNTIME_DIR": "/run/x"}, "/h/.local/share/hupo"),
        ("darwin", {"HOME": "/h"}, "/h/Library/Application Support/Hupo"),
        ("win32", {"LOCALAPPDATA": "/l"}, "/l/Hupo"),
        ("win32", {"USERPROFILE": "/u"}, "/u/AppData/Local/Hupo"),
        ("linux", {"HOME": "/h", "HUPO_DATA": "/d/数据"}, "/d/数据"),
    ],
)
def test_the_place_on_each_platform(platform: str, variables: dict[str, str], expected: str) -> None:
    assert paths.data_directory(None, variables, platform).replace(os.sep, "/") == expected


def test_an_explicit_place_wins_and_is_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert paths.data_directory("here", {"HUPO_DATA": "/d"}) == str(tmp_path / "here")


@pytest.mark.skipif(sys.platform == "win32", reason="there is a password database on POSIX only")
def test_without_home_the_password_database_knows() -> None:
    home = pwd.getpwuid(os.getuid()).pw_dir
    assert paths.data_directory(None, {}, "linux") == os.path.join(home, ".local", "share", "hupo")


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX")
def test_a_directory_is_closed_to_others(tmp_path: Path) -> None:
    made = paths.ensure_private(str(tmp_path / "a" / "数据"))
    assert stat.S_IMODE(os.stat(made).st_mode) == 0o700
    os.chmod(made, 0o755)
    paths.ensure_private(made)
    assert stat.S_IMODE(os.stat(made).st_mode) == 0o700

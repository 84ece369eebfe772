# SPDX-License-Identifier: Apache-2.0
"""The version of Takt: one file says it, and every image, table, trace and report has it from there."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from running import BOARDS, FIRST_EMULATED, FULL
from takt.image import build
from takt.image.build import Image
from takt.observe import execute, run
from takt.observe.debug import DEBUGGER, EXTENSION
from takt.support import version
from takt.support.errors import UserError
from takt.support.provision import ROOT
from takt.trace import segments

OTHER = "9.9.9.dev9"
SYSTEM = """
[system]
duration = "20 ms"
[[task]]
name = "sample"
period = "10 ms"
wcet = "1 ms"
"""
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


def of_other_version(image: Image, folder: Path) -> Path:
    """A copy whose note says another version."""
    assert len(DECLARED) == len(OTHER), "OTHER has as many characters as the version"
    data = image.path.read_bytes()
    said = b"takt " + DECLARED.encode() + b"\0"
    assert data.count(said) == 1
    path = folder / "other.elf"
    path.write_bytes(data.replace(said, b"takt " + OTHER.encode() + b"\0"))
    path.chmod(0o755)
    return path


def gdb_says(image: Path) -> str:
    command = [DEBUGGER, "-nx", "-q", "-batch", "-x", str(EXTENSION), "-ex", "takt version", str(image)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


def test_the_command_line_says_it(takt: Takt, monkeypatch: pytest.MonkeyPatch) -> None:
    said = takt("--version")
    assert (said.code, said.err) == (0, "")
    assert re.fullmatch(rf"takt {re.escape(DECLARED)}( \([0-9a-f]{{7,40}}(-dirty)?\))?\n", said.out), said.out
    monkeypatch.setattr(version, "ROOT", ROOT / "docs")  # not the top of a clone
    assert version.revision() is None


def test_nothing_else_says_it() -> None:
    """Not even a second file that agrees today."""
    folders = ("tools", "kernel", "boards", "ports", "cmake", "tests", "docs")
    files = [ROOT / "CMakeLists.txt", ROOT / "takt", *(path for name in folders for path in (ROOT / name).rglob("*.*"))]
    texts = {path: path.read_bytes() for path in files if path.is_file() and "__pycache__" not in path.parts}
    assert [path for path, text in texts.items() if DECLARED.encode() in text] == []


@pytest.mark.parametrize("board", BOARDS if FULL else FIRST_EMULATED)
def test_an_image_carries_it_and_one_of_another_version_is_refused(
    scratch_builds: Path, application: Callable[..., Path], tmp_path: Path, board: str
) -> None:
    proved = run.load(str(application(SYSTEM)), board, "dm", "none")
    image = build.build(proved)
    assert version.of_image(image.path) == version.version() == DECLARED
    printable = re.findall(rb"[\x20-\x7e]{4,}", image.path.read_bytes())  # what `strings` prints
    assert f"takt {DECLARED}".encode() in printable
    with image.path.open("rb") as file:
        note = ELFFile(file).get_section_by_name(version.NOTE)
        assert note is not None
        assert not note["sh_flags"] & SH_FLAGS.SHF_ALLOC, "it takes memory of the board"
    assert f"/* Built with Takt {DECLARED}. */" in (image.folder / "generated" / "system.c").read_text(encoding="utf-8")

    recording = run.recording_of(proved, image)
    how: dict[str, Any] = {"duration_ns": 10**7, "seed": 1, "plant": None, "progress": lambda _: None}
    done = execute.run(image, proved.board, recording=recording, **how)
    assert done.failure is None
    assert gdb_says(image.path) == f"the program was built with Takt {DECLARED}\n"
    stale = Image(**{**vars(image), "path": of_other_version(image, tmp_path)})
    other = f"the program was built with Takt {OTHER}, but these commands are of Takt {DECLARED}\n"
    assert gdb_says(stale.path) == other
    wanted = rf"it was built with Takt {re.escape(OTHER)}, but this is Takt {re.escape(DECLARED)}"
    with pytest.raises(UserError, match=wanted):
        execute.run(stale, proved.board, recording=recording, **how)


def test_a_run_reports_it(takt: Takt, scratch_builds: Path, application: Callable[..., Path]) -> None:
    said = takt("run", application(SYSTEM), "--board", "host", "--overheads", "none")
    assert said.code == 0, said.err
    (path,) = scratch_builds.glob("*/run/trace.takt")
    assert segments.read(path).names.takt == DECLARED
    assert f'content="Takt {DECLARED}"' in path.with_name("report.html").read_text(encoding="utf-8")
    before = path.read_bytes().replace(f'"takt": "{DECLARED}", '.encode(), b"")
    path.write_bytes(before)
    assert segments.read(path).names.takt == ""  # a file from before there were versions


def test_a_new_version_is_a_new_image(scratch_builds: Path, application: Callable[..., Path], tmp_path: Path) -> None:
    """Nothing that was built is kept: pyproject.toml is what CMake reads."""
    image = build.build(run.load(str(application(SYSTEM)), "host", "dm", "none"))
    tree = tmp_path / "tree"
    tree.mkdir()
    for path in ROOT.iterdir():
        if path.name not in ("pyproject.toml", "build", ".git"):
            (tree / path.name).symlink_to(path)
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    cmake = shutil.which("cmake")
    assert cmake is not None
    for said in (DECLARED, OTHER):
        (tree / "pyproject.toml").write_text(text.replace(DECLARED, said), encoding="utf-8")
        if said == DECLARED:
            cache = dict(
                line.split(":STRING=") if ":STRING=" in line else line.split(":PATH=")
                for line in (image.folder / "CMakeCache.txt").read_text(encoding="utf-8").splitlines()
                if re.match(r"TAKT_\w+:(STRING|PATH)=", line)
            )
            options = [f"-D{name}={value}" for name, value in cache.items()]
            subprocess.run([cmake, "--preset", "host", "-B", tmp_path / "out", *options], cwd=tree, check=True)
        subprocess.run([cmake, "--build", tmp_path / "out", "--target", "application"], check=True)
        assert version.of_image(tmp_path / "out" / "application") == said


@pytest.mark.parametrize("data", [b"", b"\x7fELF", b"\x7fELF\x02\x01" + bytes(60), b"\x7fELF\x01\x01" + bytes(20)])
def test_what_is_no_image_has_none(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "image"
    path.write_bytes(data)
    assert version.of_image(path) is None
    with pytest.raises(UserError, match="it was built without a version"):
        version.refuse_other(path)

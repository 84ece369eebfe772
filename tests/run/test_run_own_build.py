# SPDX-License-Identifier: Apache-2.0
"""A build of one's own, with the options that `takt generate` says, is the image that `takt build` makes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from command_line import Takt
from running import BOARDS, only_full
from takt.support.provision import ROOT

NAMES = {"host": "application", "mps2-an385": "application.elf"}


@only_full  # test_run_builds.py compares others
@pytest.mark.parametrize("board", BOARDS[:2])
def test_it_is_the_same_image(takt: Takt, tmp_path: Path, board: str) -> None:
    application = tmp_path / "first"
    assert takt("new", application).code == 0
    built = takt("build", application, "--board", board)
    assert built.code == 0, built.err
    lines = dict(line.split(": ", 1) for line in built.out.splitlines() if ": " in line)
    kinds = {"map", "compile commands"} | ({"binary", "hex"} if board != "host" else set())
    assert all((ROOT / lines[kind]).stat().st_size > 0 for kind in kinds)
    said = takt("generate", application, "--board", board, "-o", tmp_path / "tables", "--json")
    document = json.loads(said.out)
    options = [f"-D{option}" for option in document["options"]]
    source = next(application.glob("*.c"))
    more = [f"-DTAKT_GENERATED={tmp_path / 'tables'}", f"-DTAKT_SOURCES={source}", f"-DTAKT_INCLUDE={application}"]
    out = str(tmp_path / "out")
    for command in (
        ["cmake", "-S", str(ROOT), "-B", out, "--preset", board, *options, *more],
        ["cmake", "--build", out, "--target", "application"],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        assert done.returncode == 0, done.stdout + done.stderr
    own = tmp_path / "out" / NAMES[board]
    theirs = next(ROOT / name for name in lines if name.endswith(NAMES[board]))
    assert loaded(own) == loaded(theirs)


def loaded(image: Path) -> list[bytes]:
    """Code and data of an image."""
    from elftools.elf.elffile import ELFFile

    with image.open("rb") as file:
        return [part.data() for part in ELFFile(file).iter_sections() if part.name in (".text", ".data")]

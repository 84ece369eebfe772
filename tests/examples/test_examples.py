# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/reference: compiled, run on `host`, and they print what the pages say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from children import environment
from command_line import Takt
from takt.dev.reference import EXAMPLES, OUTPUT
from takt.image import build
from takt.support.provision import ROOT

C_PROGRAMS = {
    "analysis": ("analysis/src/*.c", "analysis/src/can/*.c", "base/*.c"),
    "reflect": ("reflect/linux/src/*.c", "reflect/core/src/*.c", "analysis/src/*.c", "base/*.c"),
}
FOLDERS = (".", "analysis/include", "reflect/core/include", "reflect/linux/include")
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wstrict-prototypes")


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the examples of the kernel: where they ran."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("builds")
        patch.setattr(build, "BUILD", folder)
        done = subprocess.run(
            [sys.executable, "-c", RUN.format(folder=str(folder))],
            capture_output=True, text=True, check=False, env=environment(),
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert "warning" not in done.stderr
        (path,) = folder.glob("*/run/trace.takt")
        return path


RUN = """
import sys
from pathlib import Path
from takt.image import build
build.BUILD = Path("{folder}")
from takt.cli import main
sys.exit(main(["run", "docs/examples/kernel", "--board", "host", "--overheads", "none"]))
"""


def expected(folder: str) -> str:
    return (EXAMPLES / folder / OUTPUT).read_text(encoding="utf-8")


def test_the_kernel(trace: Path) -> None:
    assert trace.with_name("console.txt").read_text(encoding="utf-8") == expected("kernel")


@pytest.mark.parametrize("folder", C_PROGRAMS)
def test_a_program_in_c(folder: str, tmp_path: Path) -> None:
    library = [str(path) for pattern in C_PROGRAMS[folder] for path in sorted(ROOT.glob(pattern))]
    left = {str(path) for path in ROOT.glob("reflect/core/src/*.c") if path.name not in ("area.c", "push.c", "wire.c")}
    includes = [f"-I{ROOT / name}" for name in FOLDERS]
    objects = tmp_path / "objects"
    objects.mkdir()
    sources = [source for source in library if source not in left]
    subprocess.run(["gcc", "-std=gnu11", "-O1", "-c", *includes, *sources], cwd=objects, check=True)
    printed = ""
    for path in sorted((EXAMPLES / folder).glob("*.c")):
        program = tmp_path / path.stem
        command = ["gcc", "-std=gnu11", *WARNINGS, *includes, path, *objects.glob("*.o"), "-lpthread", "-o", program]
        subprocess.run(list(map(str, command)), check=True)
        own = {**os.environ, "TAKT_REFLECT_FOLDER": str(tmp_path / "names")}
        printed += subprocess.run([program], capture_output=True, text=True, check=True, env=own).stdout
    assert printed == expected(folder)


@pytest.mark.parametrize("path", sorted((EXAMPLES / "python").glob("*.py")), ids=lambda path: path.stem)
def test_a_program_in_python(path: Path, tmp_path: Path, takt: Takt, trace: Path) -> None:
    if path.stem == "areas":
        takt("reflect", "list", "--json")  # builds the library
    own = {**environment(), "TAKT_REFLECT_FOLDER": str(tmp_path / "names")}
    command = [sys.executable, str(path), str(trace)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=own)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == path.with_suffix(".txt").read_text(encoding="utf-8")

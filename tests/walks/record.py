# SPDX-License-Identifier: Apache-2.0
"""Walks through the code: the functions that a run enters, in the order of their first times, and their files.

ARCHITECTURE.md has them between two comments for each. `python tests/walks/record.py` writes them anew.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "support")]

from kernel_sources import host_sources  # noqa: E402

PAGE = ROOT / "ARCHITECTURE.md"
WALKS = {"post": "preset lean, scheduler fixed, on host"}
INCLUDES = (
    "",
    "kernel/include",
    "kernel/config/preset/lean",
    "kernel/config/sched/fixed",
    "ports/host",
    "analysis/include",
)
FLAGS = ("-std=gnu11", "-O0", "-g", "-no-pie", "-fno-inline", "-finstrument-functions", "-DTAKT_LEVELS=32")


@dataclass(frozen=True)
class Stop:
    function: str
    file: str  # from the root


def walked(name: str) -> list[Stop]:
    """Builds and runs tests/walks/NAME.c."""
    sources = [HERE / f"{name}.c", HERE / "walk.c", ROOT / "kernel/test/unit/scenario.c", *host_sources()]
    sources += sorted((ROOT / "analysis" / "src").glob("*.c"))
    includes = [f"-I{ROOT / folder}" for folder in INCLUDES]
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / name
        # What is always inlined is entered all the same: it is no attribute here.
        command = ["gcc", *FLAGS, "-Dalways_inline=unused", *includes, *map(str, sources), "-o", str(program)]
        subprocess.run(command, check=True, cwd=ROOT)
        addresses = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        found = subprocess.run(
            ["addr2line", "-f", "-e", program], input=addresses, check=True, capture_output=True, text=True
        )
    functions = found.stdout.splitlines()[0::2]
    unit = {line.rpartition(":")[0] for line in found.stdout.splitlines()[1::2]}
    return [Stop(function, defined(function, unit)) for function in functions if function != "walk_end"]


def defined(function: str, unit: set[str]) -> str:
    """The file that defines a function: of several one that the run has been in."""
    pattern = re.compile(rf"^\S[^;{{}}()=]*\b{function}\([^;{{}}]*\)\s*\{{", re.MULTILINE)
    folders = ("kernel", "ports/host", "base", "tests/walks")
    files = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.[ch]")) if "test" not in path.parts]
    found = [path for path in files if pattern.search(path.read_text(encoding="utf-8"))]
    assert found, function
    best = [path for path in found if any(Path(name).resolve() == path for name in unit)]
    return str((best or found)[0].relative_to(ROOT))


def visits(stops: list[Stop]) -> list[tuple[str, list[str]]]:
    """Runs of functions in one file."""
    return [(file, [stop.function for stop in group]) for file, group in groupby(stops, lambda stop: stop.file)]


def table(name: str, stops: list[Stop]) -> str:
    rows = "".join(f"| `{file}` | {', '.join(f'`{one}`' for one in names)} |\n" for file, names in visits(stops))
    head = f"{len(stops)} functions ({WALKS[name]}; tests/walks/{name}.c), each once, at its first call:\n\n"
    return f"{head}| file | functions |\n|---|---|\n{rows}"


def block(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<=<!-- walk {name} -->\n).*?(?=<!-- walk {name} ends -->)", re.DOTALL)


def write() -> None:
    """All of them, into the page."""
    text = PAGE.read_text(encoding="utf-8")
    for name in WALKS:
        place = block(name).search(text)
        assert place is not None, name
        text = text[: place.start()] + table(name, walked(name)) + text[place.end() :]
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()

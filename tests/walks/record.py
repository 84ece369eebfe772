# SPDX-License-Identifier: Apache-2.0
"""Walks through the code: the functions that a run enters, in the order of their first times, and their files.

ARCHITECTURE.md has them between two comments for each; `./takt docs` writes them anew, with the text that this prints.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "support")]

from kernel_sources import host_sources  # noqa: E402

PAGE = ROOT / "ARCHITECTURE.md"
INCLUDES = (
    "",
    "kernel/include",
    "kernel/config/preset/lean",
    "kernel/config/sched/fixed",
    "ports/host",
    "analysis/include",
    "reflect/core/include",
    "reflect/linux/include",
)
FLAGS = ("-std=gnu11", "-O0", "-g", "-no-pie", "-fno-inline", "-finstrument-functions", "-DTAKT_LEVELS=32")


@dataclass(frozen=True)
class Stop:
    function: str
    file: str  # from the root


@dataclass(frozen=True)
class Walk:
    """`what`: text after the number of functions. `sources`, `folders`: of a program in C, files besides NAME.c, and
    the folders that define its functions; without them NAME.py records the walk."""

    what: str
    sources: Callable[[], list[Path]] | None = None
    folders: tuple[str, ...] = ()


def _kernel() -> list[Path]:
    analysis = sorted((ROOT / "analysis" / "src").glob("*.c"))
    return [ROOT / "kernel/test/support/scenario.c", *host_sources(), *analysis]


def _reflect() -> list[Path]:
    """Without the admission of channels."""
    return [path for room in ("core", "linux") for path in sorted((ROOT / "reflect" / room / "src").glob("*.c"))]


WALKS = {
    "report": Walk("by which `takt run` comes to a new file; tests/walks/report.py"),
    "post": Walk(
        "preset lean, scheduler fixed, on host; tests/walks/post.c",
        _kernel,
        ("kernel", "ports/host", "base"),
    ),
    "packet": Walk(
        "a keyed channel, on Linux; tests/walks/packet.c", _reflect, ("reflect/core", "reflect/linux", "base")
    ),
}


def walked(name: str) -> list[Stop]:
    """Builds and runs tests/walks/NAME.c, or runs NAME.py."""
    walk = WALKS[name]
    if walk.sources is None:
        command = [sys.executable, str(HERE / f"{name}.py")]
        lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        return [Stop(function, file) for file, function in (line.split() for line in lines)]
    sources = [HERE / f"{name}.c", HERE / "walk.c", *walk.sources()]
    includes = [f"-I{ROOT / folder}" for folder in INCLUDES]
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / name
        # What is always inlined is entered all the same: it is no attribute here.
        command = ["gcc", *FLAGS, "-Dalways_inline=unused", *includes, *map(str, sources), "-o", str(program)]
        subprocess.run(command, check=True, cwd=ROOT)
        environment = {**os.environ, "TAKT_REFLECT_FOLDER": str(Path(folder) / "areas")}
        done = subprocess.run([program], capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        found = subprocess.run(
            ["addr2line", "-f", "-e", program], input=done.stdout, check=True, capture_output=True, text=True
        )
    functions = found.stdout.splitlines()[0::2]
    files = [line.rpartition(":")[0] for line in found.stdout.splitlines()[1::2]]
    ours = [
        function for function, file in zip(functions, files, strict=True) if not {"test", "tests"} & {*Path(file).parts}
    ]
    # Functions of headers are in a program as often as units use them.
    return [Stop(function, defined(function, set(files), walk.folders)) for function in dict.fromkeys(ours)]


def defined(function: str, unit: set[str], folders: tuple[str, ...]) -> str:
    """The file that defines a function: of several one that the run has been in."""
    pattern = re.compile(rf"^\S[^;{{}}()=]*\b{function}\([^;{{}}]*\)\s*\{{", re.MULTILINE)
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
    head = f"{len(stops)} functions ({WALKS[name].what}), each once, at its first call:\n\n"
    return f"{head}| file | functions |\n|---|---|\n{rows}"


def block(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<=<!-- walk {name} -->\n).*?(?=<!-- walk {name} ends -->)", re.DOTALL)


def page() -> str:
    """The text of ARCHITECTURE.md with all of them."""
    text = PAGE.read_text(encoding="utf-8")
    for name in WALKS:
        found = block(name).search(text)
        assert found is not None, name
        text = text[: found.start()] + table(name, walked(name)) + text[found.end() :]
    return text


if __name__ == "__main__":
    sys.stdout.write(page())

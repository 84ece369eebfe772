# SPDX-License-Identifier: Apache-2.0
"""`takt test`: everything that checks the project, part by part, and one line of counts at the end."""

from __future__ import annotations

import importlib.util
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree

import click

from takt.dev import by_path, hooks
from takt.dev.counts import Counts, run_command
from takt.support import provision
from takt.support.errors import UserError, did_you_mean
from takt.support.provision import ROOT

RESULTS = ROOT / "build" / "test"
WORKERS = 2
C_ROOMS = tuple(
    "base analysis kernel ports chips boards runner apps benchmarks hardware net reflect replay tests tools "
    "docs".split()
)
PYTHON = ("tools", "tests", "apps", "benchmarks", "docs/examples")
SHELL = ("takt", ".ci/run")


@dataclass(frozen=True)
class Part:
    """A part of `takt test`. `run` gets whether --full was given; without it the part is the folder tests/`name`."""

    name: str
    description: str
    run: Callable[[bool], Counts] | None = None
    only_full: bool = False  # runs with --full, or when it is named


def _each(*commands: Sequence[str | Path]) -> Counts:
    """Commands as tests: exit code 0 passes."""
    codes = [run_command(command) for command in commands]
    return Counts(codes.count(0), len(codes) - codes.count(0))


def c_files() -> list[Path]:
    """Every C file of ours."""
    found = [path for room in C_ROOMS for path in (ROOT / room).rglob("*.[ch]")]
    return sorted(path for path in found if "build" not in path.relative_to(ROOT).parts)


def clang_format() -> Path:
    """The program of the locked package; UserError when it is not installed."""
    spec = importlib.util.find_spec("clang_format")
    if spec is None or spec.origin is None:
        raise UserError("the packages of test.lock are not installed", "./takt test, not python -m takt test")
    return Path(spec.origin).parent / "data" / "bin" / "clang-format"


def _python_folders() -> list[Path]:
    return [ROOT / name for name in PYTHON if (ROOT / name).is_dir()]


def _style(full: bool) -> Counts:
    del full
    return _each(
        [sys.executable, "-m", "ruff", "format", "--check", "--quiet", *_python_folders()],
        [sys.executable, "-m", "ruff", "check", "--quiet", *_python_folders()],
        [clang_format(), "--dry-run", "--Werror", *c_files()],
        ["shellcheck", *SHELL],
    )


def format_all() -> None:
    """Puts every file into the form that the part `style` wants."""
    _each(
        [sys.executable, "-m", "ruff", "check", "--fix", "--quiet", *_python_folders()],
        [sys.executable, "-m", "ruff", "format", "--quiet", *_python_folders()],
        [clang_format(), "-i", *c_files()],
    )


def _types(full: bool) -> Counts:
    del full
    return _each([sys.executable, "-m", "mypy"])


def read_junit(path: Path) -> Counts:
    """Counts of a JUnit file. One failure when the runner wrote none: it did not get that far."""
    try:
        suites = list(ElementTree.parse(path).getroot().iter("testsuite"))
    except (OSError, ElementTree.ParseError):
        print(f"no results in {path}", flush=True)
        return Counts(failed=1)
    total = Counts()
    for suite in suites:
        tests, failed = int(suite.get("tests", 0)), int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        skipped = int(suite.get("skipped", 0)) + int(suite.get("disabled", 0))
        total += Counts(tests - failed - skipped, failed, skipped)
    return total


def read_times(path: Path) -> dict[str, float]:
    """Seconds that the tests of each folder of tests/ took, by a JUnit file of pytest."""
    times: dict[str, float] = {}
    for case in ElementTree.parse(path).iter("testcase"):
        where = case.get("classname", "").split(".")
        if len(where) > 1:  # an interrupted run has one of nowhere
            times[where[1]] = times.get(where[1], 0.0) + float(case.get("time", 0))
    return times


def _counted(junit: Path, command: Sequence[str | Path], full: bool) -> Counts:
    """Of tests that `command` runs and that write the JUnit file; one failure more if only its exit code tells one."""
    junit.unlink(missing_ok=True)
    code = run_command(command, TAKT_TEST_FULL="1" if full else "")
    counts = read_junit(junit)
    return counts if code == 0 or counts.failed else counts + Counts(failed=1)


def _pytest(paths: Sequence[str], full: bool, *options: str) -> Counts:
    results = RESULTS / "pytest.xml"
    return _counted(results, [sys.executable, "-m", "pytest", "-q", *options, f"--junitxml={results}", *paths], full)


def _folders(parts: Sequence[Part], full: bool) -> Counts:
    """Folders of tests in one run, so that no worker waits at the end of each. A file's tests share what they build."""
    workers = ("-n", str(WORKERS), "--dist", "loadfile", "--no-loadscope-reorder")
    counts = _pytest([f"tests/{part.name}" for part in parts], full, *workers)
    results = RESULTS / "pytest.xml"
    if results.exists():
        for folder, seconds in sorted(read_times(results).items()):
            print(f"   tests/{folder:<12} {seconds:7.1f} s of a worker", flush=True)
    return counts


PATTERNS_MAX = 8
"""In one call of ctest, whose regular expressions may not be long."""


def _ctest(full: bool, paths: Sequence[str] = ()) -> Counts:
    """All tests in C, or those of these paths, for which nothing else is built."""
    if run_command(["cmake", "--preset", "host-test", f"-DTAKT_TEST_FULL={int(full)}"]) != 0:
        return Counts(failed=1)
    chosen = by_path.chosen(paths) if paths else by_path.Chosen([], [])
    only = ["--target", *chosen.programs] if paths else []
    if run_command(["cmake", "--build", "--preset", "host-test", *only]) != 0:
        return Counts(failed=1)
    results = RESULTS / "ctest.xml"
    command: list[str | Path] = ["ctest", "--preset", "host-test", "--no-tests=error", "--no-label-summary"]
    command += ["--output-junit", results]
    if not paths:
        return _counted(results, command, full)
    firsts = range(0, len(chosen.patterns), PATTERNS_MAX)
    parts = ["|".join(chosen.patterns[first : first + PATTERNS_MAX]) for first in firsts]
    return sum((_counted(results, [*command, "-L", part], full) for part in parts), Counts())


def _run_paths(paths: Sequence[str], full: bool) -> Counts:
    nodes, in_c = by_path.meant(paths)
    RESULTS.mkdir(parents=True, exist_ok=True)
    counts = _pytest(nodes, full) if nodes else Counts()
    return counts + (_ctest(full, in_c) if in_c else Counts())


def _coverage(full: bool) -> Counts:
    from takt.dev import coverage

    return coverage.run(full)


# In this order. Folders of tests/ that are not named here come in alphabetical order before the last.
_FIRST = (
    Part("style", "formatting and lint of Python, C and shell", _style),
    Part("types", "mypy --strict", _types),
    Part("house", "arrows between rooms, file length, licence lines"),
    Part("unit", "unit tests of the rooms in C, under the sanitizers", _ctest),
    Part("coverage", "lines and branches that tests in C reach, by room (--full)", _coverage, only_full=True),
)
_LAST = (Part("tool", "the command line and its messages"),)  # many short files, which even out the workers


def parts() -> list[Part]:
    """Every part, in order."""
    named = {part.name for part in (*_FIRST, *_LAST)}
    folders = sorted({path.parent for path in (ROOT / "tests").rglob("test_*.py")})
    tops = dict.fromkeys(folder.relative_to(ROOT / "tests").parts[0] for folder in folders)
    return [*_FIRST, *(Part(name, f"tests/{name}") for name in tops if name not in named), *_LAST]


def selected(names: Sequence[str], full: bool) -> list[Part]:
    """The parts that are named; without names all, and those that are `only_full` if `full`."""
    everything = {part.name: part for part in parts()}
    for name in names:
        if name not in everything:
            raise UserError(f'no part "{name}"', f"{did_you_mean(name, everything)} (takt test --list)")
    usual = [part.name for part in everything.values() if full or not part.only_full]
    return [part for part in everything.values() if part.name in (names or usual)]


def _run_parts(selected: Sequence[Part], full: bool) -> Counts:
    """In order; folders that follow each other are one run."""
    shutil.rmtree(RESULTS, ignore_errors=True)
    RESULTS.mkdir(parents=True)
    total = Counts()
    summary: list[str] = []
    for folders, group in groupby(selected, key=lambda part: part.run is None):
        for several in [list(group)] if folders else [[part] for part in group]:
            names = ", ".join(part.name for part in several)
            print(f"\n== {names}" + (f": {several[0].description}" if len(several) == 1 else ""), flush=True)
            start = time.monotonic()
            run = several[0].run
            counts = run(full) if run else _folders(several, full)
            total += counts
            summary.append(f"{time.monotonic() - start:7.1f} s  {counts}  {names}")
            print(f"-- {summary[-1]}", flush=True)
    print("\n" + "\n".join(summary))
    return total


@click.command()
@click.option("-k", "names", multiple=True, metavar="PART", help="Only this part; may be repeated.")
@click.option("--full", is_flag=True, help="Also run cases that take minutes, and measure coverage.")
@click.option(
    "--mutants", "with_mutants", is_flag=True, help="Only run the mutants of tests/mutants: a test must fail for each."
)
@click.option(
    "--only",
    metavar="TEXT",
    help="With --mutants: only those with TEXT in their file of tests/mutants, the file of the fault, or the test.",
)
@click.option("--list", "show", is_flag=True, help="List the parts.")
@click.option("--format", "formats", is_flag=True, help="First format every file; without -k and PATH, nothing else.")
@click.option(
    "--install-hooks",
    "hooked",
    is_flag=True,
    help="Only install a git hook that runs the fast part before each commit.",
)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
def test(
    paths: tuple[str, ...],
    names: tuple[str, ...],
    full: bool,
    with_mutants: bool,
    only: str | None,
    show: bool,
    formats: bool,
    hooked: bool,
) -> int:
    """Run all checks of the project, or the tests of a PATH: a file or folder of tests/, one test in it
    (FILE::NAME), a room with unit tests in C (kernel, base, net, library, reflect, replay, ports) or a file X_test.c in
    it. Ends with a line "N passed, N failed"."""
    if paths and (names or with_mutants):
        raise UserError("a PATH and -k or --mutants exclude each other", "only one of them")
    if show:
        for part in parts():
            click.echo(f"{part.name:<12} {part.description}")
        return 0
    if hooked:
        return hooks.install()
    chosen = selected(names, full)
    provision.require("host", "arm", "riscv", "test", "gdb", "verilator", "cxx_headers")
    if formats:
        format_all()
        if not (names or paths or with_mutants or full):
            return 0
    if with_mutants:
        from takt.dev import mutants

        total = mutants.run(ROOT / "tests" / "mutants", only or "")
    elif paths:
        total = _run_paths(paths, full)
    else:
        total = _run_parts(chosen, full)
    print(total, flush=True)
    return 1 if total.failed or not total.passed else 0


def add_command(cli: click.Group) -> None:
    cli.add_command(test)

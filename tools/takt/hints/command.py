# SPDX-License-Identifier: Apache-2.0
"""`takt hints`: the mutex that is locked next after each blocking call (docs/hints.md; seed 000, 5.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from takt.declare.schema import source_files
from takt.declare.schema.model import System

if TYPE_CHECKING:
    from takt.hints.apply import Application, Found
    from takt.hints.edit import Point


def application_of(system: System, folder: Path) -> Application:
    """The files of a system that are read; takt_app.h is written to `folder`."""
    from takt.declare.schema.service import FIFO
    from takt.declare.service_kinds.mutex import Mutex
    from takt.hints.apply import Application
    from takt.image import build
    from takt.image.application import cmake
    from takt.image.tables import generate
    from takt.support import plain

    generate.write_header(system, folder)
    jobs = {task.entry: task.separation_ns is not None and task.style == "entry" for task in system.tasks if task.entry}
    entries = Counter(task.entry for task in system.tasks if task.entry)
    several = frozenset(name for name, count in entries.items() if count > 1)
    languages = (source for source in system.sources if source.suffix == source_files.C or source_files.is_cxx(source))
    sources = tuple(map(plain.path, languages))
    of_processes = (path for process in system.processes for path in process.include)
    headers = (*system.build.include, *of_processes, *build.include_folders(system))
    folders = (folder, *map(plain.path, headers))
    defines = (*system.build.defines, *(name for process in system.processes for name in process.defines))
    tasks = {name: "job" if job else "once" for name, job in jobs.items()}
    fifo = frozenset(mutex.name for mutex in system.of(Mutex) if mutex.waiters == FIFO)
    standards = system.build.c_standard, system.build.cxx_standard
    return Application(
        sources, folders, tasks, system.preset, fifo, defines, *standards, tuple(cmake.language(system.build)), several
    )


def write(found: Found) -> None:
    """Replaces each changed file as a whole and keeps its permissions."""
    from takt.support.files import write_whole

    for path, text in found.after.items():
        mode = path.stat().st_mode
        write_whole(path, text)
        path.chmod(mode)


def heeded(system: System) -> tuple[str, bool] | None:
    """The scheduler that the proof finds, and whether hints have an effect in its kernel; None: nothing is proved."""
    from takt.declare.schema import levels
    from takt.prove import proof
    from takt.support.errors import UserError

    try:
        proved = proof.prove(system)
    except UserError:
        return None  # `takt check` says why
    choice = proved.choice
    kind = levels.kernel_kind(system, proved.bands, choice.cooperative)
    return (choice.scheduler, levels.heeds_hints(kind, system.engine, system.protection)) if choice.proved else None


def document(found: Found, written: bool, kernel: tuple[str, bool] | None) -> dict[str, Any]:
    from takt.support import plain
    from takt.support.files import shown_path

    def row(point: Point) -> dict[str, Any]:
        return {
            "file": str(shown_path(point.path)),
            "line": point.line,
            "call": point.call,
            "function": point.function,
            "outcome": point.outcome,
            "mutex": point.mutex or None,
            "set": point.of_set != "",
            "locked_at": plain.restored(point.at) or None,
            "reason": plain.restored(point.why) or None,
        }

    return {
        "places": [row(point) for point in found.points],
        "sections": [
            {
                "file": str(shown_path(section.path)),
                "line": section.line,
                "function": section.function,
                "outcome": "early" if section.before else "left",
                "mutex": section.mutex or None,
                "before": section.before or None,
                "reason": section.why or None,
            }
            for section in found.sections
        ],
        "inserted": sum(point.outcome == "insert" for point in found.points),
        "kept": sum(point.outcome == "kept" for point in found.points),
        "wrong": found.wrong,
        "left": sum(point.outcome == "left" for point in found.points),
        "written": written,
        "scheduler": kernel and kernel[0],
        "effective": kernel and kernel[1],
    }


def _lines(found: Found) -> Iterator[str]:
    from takt.support import plain
    from takt.support.files import shown_path

    words = {"insert": "hint", "kept": "kept", "wrong": "WRONG", "left": "left"}
    for point in found.points:
        said = f"`{point.mutex}`" if point.mutex else ""
        why = f"{': ' if said else ''}{point.why}" if point.why else ""
        at = f" (locked at {point.at})" if point.at else ""
        found_at = f"{words[point.outcome]:<6}{shown_path(point.path)}:{point.line}"
        yield f"{found_at}: {point.call}: {plain.restored(said + why + at)}"


def _section_lines(found: Found) -> Iterator[str]:
    from takt.support.files import shown_path

    for section in found.sections:
        word = "early" if section.before else "left"
        what = f"unlock of `{section.mutex}`" if section.mutex else "unlock"
        said = f"before line {section.before}, which needs no mutex" if section.before else section.why
        yield f"{word:<6}{shown_path(section.path)}:{section.line}: {what}: {said}"
    early = sum(section.before > 0 for section in found.sections)
    if found.sections:
        yield f"{len(found.sections)} sections: {early} can end earlier, {len(found.sections) - early} left alone"


def _summary(found: Found, applied: bool, kernel: tuple[str, bool] | None) -> str:
    count = document(found, applied, kernel)
    inserted = f"{count['inserted']} {'inserted' if applied else 'to insert (--apply)'}"
    wrong = f", {count['wrong']} wrong" if count["wrong"] else ""
    nothing = (
        f"With the scheduler that is proved, {kernel[0]}, hints are compiled to nothing: without edf bands, or without "
        "budgets and protection, the lock costs less.\n"
        if kernel and not kernel[1]
        else ""
    )
    counted = f"{inserted}, {count['kept']} kept{wrong}, {count['left']} left alone"
    return f"{nothing}{len(found.points)} blocking points: {counted}"


def add_command(cli: click.Group) -> None:
    from takt.support.options import application, json_option

    @cli.command(name="hints")
    @application
    @click.option("--apply", "applies", is_flag=True, help="Write the hints into the files.")
    @click.option("--diff", "differs", is_flag=True, help="Show the hints as a unified diff, and write nothing.")
    @click.option("--early", is_flag=True, help="Also unlock before what needs no mutex at the end of a section.")
    @json_option
    def command(application: str | None, applies: bool, differs: bool, early: bool, as_json: bool) -> int:
        """Find the mutex that is locked next after each blocking call, and insert takt_hint_next.

        Lists every blocking point (a blocking call or the end of a job) with its hint, or the reason why it gets none.
        Says so where hints are compiled to nothing: the kernel of the proved scheduler has no edf bands, or neither
        budgets nor protection.
        Exit code 1: a hint in the code is wrong; with --diff also: there is something to change. docs/hints.md
        """
        from takt.declare import declaration
        from takt.support import console, provision
        from takt.support.errors import UserError

        if applies and differs:
            raise UserError("--apply and --diff exclude each other", "--diff first, then --apply")
        system = declaration.load(declaration.find(application))
        provision.require("host", *(["cxx"] if any(map(source_files.is_cxx, system.sources)) else []))
        provision.require_python("hints")
        found, kernel = _applied(system, early), heeded(system)
        if applies:
            write(found)
        if as_json:
            console.print_json(document(found, applies and bool(found.after), kernel))
        elif differs:
            click.echo(found.diff(), nl=False)
        else:
            for line in (*_lines(found), *_section_lines(found)):
                click.echo(line)
        if not as_json:
            click.echo(_summary(found, applies, kernel), err=differs)
        return 1 if found.wrong or (differs and found.after) else 0


def _applied(system: System, early: bool) -> Found:
    from takt.hints.apply import apply
    from takt.hints.code.source import scratch
    from takt.support import console

    with scratch() as folder, console.doing(f"reading the sources of {system.name}"):
        return apply(application_of(system, Path(folder)), early)

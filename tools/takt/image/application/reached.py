# SPDX-License-Identifier: Apache-2.0
"""What handlers reach, in the call graph of an image. Calls through pointers are not followed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Protocol

from takt.declare import missed, services
from takt.declare.schema.model import System
from takt.declare.service_kinds.watchdog import Watchdog
from takt.image.application.names import demangled
from takt.support.errors import UserError
from takt.support.files import shown_path

INPUT = ("getchar", "getc", "fgetc", "fgets", "fread", "getline", "scanf", "vscanf", "fscanf", "vfscanf")
"""Functions of C that wait for a character of the console."""
OF_TEXT = ("sscanf", "vsscanf")
"""Those that read a text by the same functions, and wait for nothing."""


class Calls(Protocol):
    """What is used of takt.image.stack.Graph."""

    frames: dict[str, int]
    callees: dict[str, set[str]]
    named: set[str]


def handlers(system: System) -> Iterator[tuple[str, str, str]]:
    """Functions that run in interrupts: table, name, function."""
    yield from (
        ("interrupt", item.name, item.handler)
        for item in system.interrupts
        if item.process is None and item.handler is not None
    )
    yield from (("watchdog", item.name, item.handler) for item in system.of(Watchdog) if item.handler is not None)
    yield from (("task", name, handler) for _, _, name, handler, _ in missed.functions(system) if handler is not None)
    for service, _, item in services.handlers(system):
        if service.kind == "alarm" and item.queue is None and item.process is None and item.handler is not None:
            yield "alarm", item.name, item.handler


def way(
    calls: Calls, short: Callable[[str], str], root: str, wanted: Collection[str], closed: Collection[str] = ()
) -> str:
    """The shortest way of calls from a function to one of `wanted`, none of `closed` in between; none: ""."""
    first = next((title for title in calls.frames if short(title) == root), root)
    ways: list[tuple[str, ...]] = [(first,)]
    seen = {first}
    for found in ways:
        if short(found[-1]) in wanted:
            return " > ".join(demangled(short(title)) for title in found)
        if short(found[-1]) in closed:
            continue
        for callee in sorted(calls.callees.get(found[-1], ())):
            if callee not in seen and (callee in calls.frames or callee in calls.named):
                seen.add(callee)
                ways.append((*found, callee))
    return ""


def refuse(
    system: System, calls: Calls, short: Callable[[str], str], contexts: Callable[[], Mapping[str, tuple[str, ...]]]
) -> None:
    """UserError: a handler calls what is for tasks alone, with the calls that lead to it. `contexts`: gives those that
    may make each call of the kernel."""
    roots = list(handlers(system))
    if not roots:
        return
    declared = contexts()
    mine = {call for call, may in declared.items() if "interrupt" not in may}
    for kind, name, function in roots:
        shown = way(calls, short, function, {*mine, *INPUT}, {*OF_TEXT, *declared})
        if shown:
            last = shown.rpartition(" > ")[2]
            what = "wait for input" if last in INPUT else f"call {last}"
            problem = f'[[{kind}]] "{name}": {function}: an interrupt may not {what}, and its code does: {shown}'
            hint = (
                "a task that the interrupt releases; a call that docs/calls.md allows in interrupts, as takt_..._try_"
            )
            raise UserError(f"{shown_path(system.path)}: {problem}", hint)

# SPDX-License-Identifier: Apache-2.0
"""Calls of malloc where there may be none, seen in the call graph of an image: in interrupts, in tasks with `no_heap`,
and in processes without a heap. Calls through pointers are not followed. Memory of heaps: takt.image.tables.heap."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

from takt.declare.schema.model import System
from takt.image.application import reached
from takt.support.errors import UserError
from takt.support.files import shown_path
from takt.support.link_words import LinkError

FUNCTIONS = ("malloc", "free", "calloc", "realloc", "aligned_alloc", "memalign", "posix_memalign")


class Symbol(Protocol):
    """What is used of takt.image.link_checks.Symbol."""

    @property
    def section(self) -> str | None: ...


_NO_HEAP = 'heap = "4 KiB" in its [[process]], or a [[pool]]'


def without(
    error: LinkError, objects: Iterable[tuple[str, Path]], symbols: Callable[[Path], Mapping[str, Symbol]]
) -> UserError | None:
    """The error for a program that calls malloc and declares no heap: with the file; None: it does not, or no file of
    the application does. `objects` and `symbols`: of link_checks."""
    if any(one.name == "takti_heap" for one in error.undefined):
        for source, path in objects:
            for called, symbol in sorted(symbols(path).items()):
                if called in FUNCTIONS and symbol.section is None:
                    problem = f"{source} calls {called}, and this system declares no heap"
                    return UserError(f"{error.problem.partition(': ')[0]}: {problem}", error.hint)
    return None


def refuse(system: System, calls: reached.Calls, short: Callable[[str], str], entries: Mapping[str, str]) -> None:
    """UserError: with the calls that lead to it. `short`: names of titles. `entries`: of tasks."""
    for said, root, why, hint in _roots(system, entries):
        shown = reached.way(calls, short, root, FUNCTIONS)
        if shown:
            raise UserError(f"{shown_path(system.path)}: {said}: {why}, and its code does: {shown}", hint)


def _roots(system: System, entries: Mapping[str, str]) -> Iterator[tuple[str, str, str, str]]:
    """Functions that may not allocate: of what, the function, why, and what to try."""
    owner = {name: process for process in system.processes for name in process.tasks} if system.protection else {}
    for task in system.tasks:
        entry = task.entry or entries[task.name]
        if task.no_heap:
            hint = "memory of its own, or a [[pool]]; or remove no_heap"
            yield f'[[task]] "{task.name}"', entry, "no_heap = true says that it does not allocate", hint
        elif task.name in owner and not owner[task.name].heap:
            process = owner[task.name].name
            why = f'process "{process}" declares no heap'
            yield f'[[task]] "{task.name}"', entry, why, _NO_HEAP
    for kind, name, function in reached.handlers(system):
        hint = "a task that the interrupt releases, or memory that was allocated before"
        yield f'[[{kind}]] "{name}": {function}', function, "an interrupt may not allocate", hint

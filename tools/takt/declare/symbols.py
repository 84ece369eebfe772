# SPDX-License-Identifier: Apache-2.0
"""Names of an application in C: its objects, and the functions that it defines; a name must not be in use already."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from takt.declare import missed, services
from takt.declare.schema import c_names, source_files
from takt.declare.schema.locate import Path as Where
from takt.declare.schema.model import System
from takt.declare.schema.reader import Document
from takt.support import files
from takt.support.errors import UserError, did_you_mean
from takt.support.files import shown_path
from takt.support.link_words import LinkError, Undefined

_DEFINITION = re.compile(r"^(?!static\b)[A-Za-z_][\w \t*]*?\b(\w+)[ \t]*\([^;{}]*\)\s*\{", re.MULTILINE)


@dataclass(frozen=True)
class Function:
    """A function of the application that the declaration names. `where`: its key; `label`: for a message."""

    name: str
    owner: str
    where: Where
    label: str
    parameter: str

    @property
    def prototype(self) -> str:
        return f"void {self.name}({self.parameter})"


def functions(system: System) -> Iterator[Function]:
    """All functions that the declaration names, in the order of the tables; repeated if several tables name one."""
    named = [
        ("task", index, "entry", task.name, task.entry, "void *argument") for index, task in enumerate(system.tasks)
    ]
    named += [("task", *function) for function in missed.functions(system)]
    named += [
        ("interrupt", index, "handler", item.name, item.handler, "void") for index, item in enumerate(system.interrupts)
    ]
    named += [
        (service.kind, index, "handler", item.name, item.handler, services.parameter(service, item))
        for service, index, item in services.handlers(system)
    ]
    for kind, index, key, name, function, parameter in named:
        if function is not None:
            label = f'[[{kind}]] "{name}": {key} = "{function}"'
            yield Function(function, name, (kind, index, key), label, parameter)


def _objects(system: System) -> Iterator[tuple[str, int, str]]:
    """Objects that have a name in C: table, index, name."""
    yield from ((service.kind, index, item.name) for service, index, item in services.objects(system))
    yield from (("shared", index, item.name) for index, item in enumerate(system.shared))
    yield from (("device", index, item.name) for index, item in enumerate(system.devices))


def missing(error: LinkError, system: System, archives: Mapping[str, Path]) -> UserError:
    """The error for a program that did not link, with the key that names the undefined function, or the file that
    defines it in the other language. `archives`: which file has a function of C that libraries define."""
    for one in error.undefined:
        problem = _in_other_language(one, system, archives)
        if problem is not None:
            return UserError(f"{error.problem.partition(': ')[0]}: {problem[0]}", problem[1])
    undefined = {one.name for one in error.undefined}
    named = next((function for function in functions(system) if function.name in undefined), None)
    return error if named is None else _undefined(named, system)


def _in_other_language(one: Undefined, system: System, archives: Mapping[str, Path]) -> tuple[str, str] | None:
    """What is wrong, and what to try, with a function that C++ calls and C defines, or the other way round."""
    name, parameters, _ = one.name.partition("(")
    at = f" ({one.location})" if one.location else ""
    if not name.isidentifier():
        return None
    sources = [path for path in system.sources if source_files.is_cxx(path) != bool(parameters)]
    path = next((path for path in sources if name in _defined([path])), archives.get(name) if parameters else None)
    if path is None:
        return None
    if parameters:
        problem = f"{one.name}{at}: {path.name} defines {name} as a function of C, and C++ calls one of C++"
        return problem, 'extern "C" before its declaration, in a header also of C within #ifdef __cplusplus'
    problem = f"{name}{at}: {path.name} defines it as a function of C++, and C or the kernel calls one of C"
    return problem, f'extern "C" before its definition, or #include "takt_app.h" in {path.name} if it is declared there'


def _undefined(one: Function, system: System) -> UserError:
    free = (name for name in _defined(system.sources) if c_names.taken(name) is None)
    near = did_you_mean(one.name, sorted(free))
    instead = f", or {near}, which is defined" if near.count('"') == 2 else ""
    problem = f"{_key_of(one, system)}: no file that is built defines it"
    if not system.sources:
        problem += ": the folder has no file in C or C++"
    return UserError(problem, f"{one.prototype}, not static{instead}")


def _key_of(one: Function, system: System) -> str:
    """The key that names a function, with its file and line."""
    line = system.metadata.get(f"line {one.owner}", "")
    return f"{shown_path(system.path)}{f':{line}' if line else ''}: {one.label}"


_COMMENT = re.compile(rb"/\*.*?\*/|//[^\n]*", re.DOTALL)
_MACRO = re.compile(rb"##|#[ \t]*include[ \t]+\w")  # it makes names, or names of files, that the text does not have
_INCLUDED = re.compile(rb'#[ \t]*include[ \t]+"(?!takt[/_])([^"\n]+)"')  # a file of the application
_USE = rb"\s*\((?:(?!\b__attribute__|\basm\b|\b__asm)[^;{}])*\)\s*;"  # a call, or a prototype


def refuse_undefined(
    system: System, kernel: Iterable[Path], all_files: Iterable[Path], archives: Collection[str] = ()
) -> None:
    """UserError: a function that the declaration names is defined in no file, before a compiler looks for it: an object
    that no code uses would be left out of the image without a word.

    `kernel`: files of the kernel's side and what they include; `all_files`: also those of processes; `archives`:
    functions that libraries define. Only what is certain is refused: the name occurs at most in calls and prototypes,
    no macro makes names, and every file that is included by "..." is among them.
    """
    texts = {path: _COMMENT.sub(b" ", files.read(path)) for path in all_files}
    names = {path.name for path in texts}
    for text in texts.values():
        elsewhere = {Path(os.fsdecode(name)).name for name in _INCLUDED.findall(text)} - names
        if elsewhere or _MACRO.search(text):
            return
    side = set(kernel)
    of_processes = {task.entry for process in system.processes for task in map(system.task, process.tasks)}
    of_processes |= {item.handler for item in system.interrupts if item.process is not None}
    for one in functions(system):
        found = [path for path, text in texts.items() if _may_define(text, one.name)]
        if one.name in archives or (found if one.name in of_processes else side & set(found)):
            continue
        if not found:
            raise _undefined(one, system)
        problem = f"{shown_path(found[0])} defines it, a file of a process, but the kernel calls it"
        hint = f"{one.prototype}, in a file that no process has in its sources"
        raise UserError(f"{_key_of(one, system)}: {problem}", hint)


def _may_define(text: bytes, name: str) -> bool:
    """Whether a name occurs in C without comments otherwise than in a call or prototype."""
    word = rb"\b" + re.escape(name.encode()) + rb"\b"
    return len(re.findall(word, text)) > len(re.findall(word + _USE, text))


def _defined(sources: Iterable[Path]) -> set[str]:
    """Functions that C files seem to define."""
    return {name for source in sources for name in _DEFINITION.findall(files.read_text(source))}


def check(document: Document, system: System) -> None:
    """UserError: a name is already in use in C, or two functions of one name have different parameters."""
    objects = {name: kind for kind, _, name in _objects(system)}
    for kind, index, name in _objects(system):
        reason = c_names.taken(name)
        if reason is not None:
            document.fail((kind, index, "name"), f'[[{kind}]] "{name}": {reason}', f'"{_other(name, kind)}"')
    parameters: dict[str, str] = {}
    for one in functions(system):
        kind, last = str(one.where[0]), one.parameter
        if one.name in objects:
            problem = f"{one.label}: in C that is the {objects[one.name]} of this name"
            document.fail(one.where, problem, f'"{one.name}_step"')
        reason = c_names.taken(one.name)
        if reason is not None:
            document.fail(one.where, f"{one.label}: {reason}", f'"{_other(one.name, "step")}"')
        if parameters.setdefault(one.name, last) != last:
            problem = f"{one.label}: the function of this name takes ({parameters[one.name]}), this one ({last})"
            document.fail(one.where, problem, f'"{one.name}_{kind}"')


def _other(name: str, more: str) -> str:
    """A free name, like this one."""
    return f"{name.strip('_') or 'own'}_{more}"

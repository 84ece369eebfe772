# SPDX-License-Identifier: Apache-2.0
"""What a linker says of names that no file defines, or that two define, in our own words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from takt.support.errors import UserError
from takt.support.names import shown
from takt.support.provision import ROOT

NAMES_MAX = 5  # of a message
_ROOMS = ("base", "kernel", "analysis", "ports", "chips", "boards", "runner", "library")
_QUOTED = r"[`'‘]([^'’]+)['’]"
_UNDEFINED = re.compile(rf"(?:(?P<at>\S[^()]*?:\d+)|(?P<object>[^:]*)(?::\(\S+\))?): undefined reference to {_QUOTED}")
_FUNCTION = re.compile(rf"(?P<object>[^ ]*): in function {_QUOTED}:$")
_TWICE = re.compile(rf"(?P<second>\S.*?): multiple definition of {_QUOTED}; (?P<first>.*?): first defined here")
_LIBRARY = re.compile(r"/lib[\w+-]+\.a\(")
_AT = re.compile(r"(?:.*?\.o(?:bj)?:|.*\.a\([^()]*\):)?(?P<path>\S.*:\d+)$")

# What the libraries of boards leave to a system that has it.
_LEFT_OUT = {
    "stdin": (
        "with protection the input stream is that of a process, and this file is of none",
        "takt_console_read of takt/console.h; or list the file in sources of a process",
    ),
    **dict.fromkeys(
        ("console_input", "takt_handle_console_input"),
        ("this system declares no input of the console", "[console] in system.toml (docs/console.md)"),
    ),
    **dict.fromkeys(
        ("takti_heap", "__heap_start", "__heap_end", "sbrk", "_sbrk"),
        ("this system declares no heap", 'heap = "8 KiB" in [system] of system.toml, or a [[pool]] of blocks'),
    ),
    **dict.fromkeys(
        ("_exit", "getpid", "kill"),
        (
            "a program on a board does not exit",
            "return from the job; TAKT_ASSERT of takt/fault.h ends a run as a fault",
        ),
    ),
    **dict.fromkeys(
        ("__exidx_start", "__exidx_end"),
        (
            "the linker script of the board does not say where the tables of exceptions are",
            ".ARM.extab and .ARM.exidx in its link.ld, as boards/mps2-an385/link.ld has them",
        ),
    ),
}


_NO_CXX_LIBRARY = (
    "the C++ standard library is not linked",
    "do without it, or cxx_library = true in [build] of system.toml, on host and Cortex-M",
)
# The same by what a name begins with, of C++ and atomic operations.
_LEFT_OUT_BEGIN = (
    (
        re.compile(r"operator new(\[\])?\("),
        (
            "there is no memory for new: no file defines operator new",
            'heap = "8 KiB" in [system] of system.toml; an object of static storage, or placement in a block of a'
            " [[pool]]; or define operator new and operator delete, on memory of your own",
        ),
    ),
    (re.compile(r"__cxa_(throw|begin_catch|allocate|rethrow)|__gxx_personality|_Unwind_|std::"), _NO_CXX_LIBRARY),
    (re.compile(r"vtable for __cxxabiv1|__dynamic_cast"), _NO_CXX_LIBRARY),
    (
        re.compile(r"__(atomic|sync)_\w+$"),
        (
            "the board's processor has no instruction for this atomic operation",
            "a mutex; or a type of one word at most that is only loaded and stored",
        ),
    ),
)
_INPUT_STREAM = re.compile(r"takt_(stdin|getchar|v?scanf)_(\w*)")  # takt/process_names.h
_NO_ARCHIVE = re.compile(r"cannot find -l(\S+?)(?::|$)")


@dataclass(frozen=True)
class Undefined:
    """`user`: the function of the C library that needs it, "" if none does; `location`: FILE:LINE, "" if unknown."""

    name: str
    user: str
    location: str


class LinkError(UserError):
    """A program did not link, because of names. `undefined`: those that no file defines."""

    def __init__(self, problem: str, hint: str, undefined: tuple[Undefined, ...] = ()) -> None:
        super().__init__(problem, hint)
        self.undefined = undefined


def explain(activity: str, lines: Sequence[str]) -> LinkError | None:
    """The failure of `activity`, of the lines that a linker said; None: they tell nothing of names."""
    twice = [found for found in map(_TWICE.search, lines) if found]
    if twice:
        return _twice(activity, twice)
    absent = next((found for found in map(_NO_ARCHIVE.search, lines) if found), None)
    if absent is not None:
        problem = f'{activity} failed: [build]: libraries: "{absent[1]}": the compiler has no lib{absent[1]}.a'
        return LinkError(problem, f'the path of the archive, such as "lib/lib{absent[1]}.a", or correct the name')
    missing = tuple(_undefined(lines))
    if not missing:
        return None
    for meaning in (_left_out, _of_a_process, _left_out_begin):
        for one in missing:
            found = meaning(one)
            if found is not None:
                rest = missing if meaning is _left_out_begin else (one,)
                return LinkError(f"{activity} failed: {_after(one.location)}{found[0]}", found[1], rest)
    names = [f"{shown(one.name)}{f' ({one.location})' if one.location else ''}" for one in missing[:NAMES_MAX]]
    more = f" and {len(missing) - NAMES_MAX} more" if len(missing) > NAMES_MAX else ""
    problem = f"{activity} failed: not defined in any file that is built: {', '.join(names)}{more}"
    hint = "add the file that defines it to sources, correct the name, or make the definition not static"
    return LinkError(problem, hint, missing)


def undefined(lines: Iterable[str]) -> tuple[str, ...]:
    """The names that no file defines, of the lines that a linker said."""
    return tuple(one.name for one in _undefined(lines))


def _left_out(one: Undefined) -> tuple[str, str] | None:
    """Problem and hint, of a name of _LEFT_OUT: what the application calls, or what needs the name for it."""
    if one.name not in _LEFT_OUT:
        return None
    needed = f"{one.user} of the C library needs {one.name}, and " if one.user else f"{one.name}: "
    if one.name == "takti_heap":
        needed = "malloc: "
    if one.name.endswith("console_input"):
        needed = f"{one.user if one.user.startswith('takt_') else 'stdin'}: "
    problem, hint = _LEFT_OUT[one.name]
    return needed + problem, hint


def _of_a_process(one: Undefined) -> tuple[str, str] | None:
    """Of the input stream of a process that reads none."""
    reads = _INPUT_STREAM.fullmatch(one.name)
    if reads is None:
        return None
    whose = f'process "{reads[2]}" does not use' if reads[2] else "files in shared_sources have no stream for"
    hint = 'uses = ["console_input"] in its [[process]], with [console] in system.toml (docs/console.md)'
    return f"{reads[1]}: {whose} the input of the console", hint


def _left_out_begin(one: Undefined) -> tuple[str, str] | None:
    found = (words for pattern, words in _LEFT_OUT_BEGIN if pattern.match(one.name))
    return next(((f"{one.name}: {problem}", hint) for problem, hint in found), None)


def _undefined(lines: Iterable[str]) -> Iterable[Undefined]:
    seen: set[str] = set()
    user = ""
    for line in lines:
        function = _FUNCTION.search(line)
        if function:
            user = function[2] if _LIBRARY.search(function["object"]) else ""
        found = _UNDEFINED.search(line)
        if found and found[3] not in seen:
            seen.add(found[3])
            at = _AT.match(found["at"] or "")
            own = at is not None and not user and "newlib" not in line
            yield Undefined(found[3], user, at["path"].removeprefix("./") if at and own else "")


def _twice(activity: str, found: Sequence[re.Match[str]]) -> LinkError:
    names = []
    for one in list({match[2]: match for match in found}.values())[:NAMES_MAX]:
        locations = [at["path"] if (at := _AT.match(one[side])) else one[side] for side in ("first", "second")]
        names.append((one[2], locations))
    listed = "; ".join(f"{shown(name)} in {' and in '.join(locations)}" for name, locations in names)
    name, locations = names[0]
    if name == "main":
        hint = "define at most one main; without one, that of runner/main.c is used (docs/main.md)"
    elif any(Path(location).is_relative_to(ROOT / room) for location in locations for room in _ROOMS):
        hint = f"rename {shown(name)}, which Takt defines"
    else:
        hint = "make it static if only one file uses it; otherwise define it once and declare it extern in a header"
    return LinkError(f"{activity} failed: defined twice: {listed}", hint)


def _after(location: str) -> str:
    return f"{location}: " if location else ""

# SPDX-License-Identifier: Apache-2.0
"""The functions of an application: the call graph, the entries of tasks, and functions whose callers are unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from takt.hints.code import cxx
from takt.hints.code.calls import CANCELS, Call, Role, call_of, serves
from takt.hints.code.source import AROUND, Cursor, Unit, bare, below, kind, walk
from takt.hints.flow import Builder, Flow
from takt.support.provision import ROOT

OURS = tuple(
    ROOT / room for room in ("base", "kernel", "ports", "chips", "boards", "runner", "analysis")
)  # known by their contracts
ENTRY_FIELD = "entry"  # of struct takt_task_config
JOBS = ("TAKT_PERIODIC", "TAKT_SPORADIC")
LOOP = "TAKT_STYLE_LOOP"


@dataclass
class Function:
    """`task`: "" no task; "once": its end is the end of a task or of its last job; "job": called once for each job.

    `taken`: where its address is taken, so that its callers are unknown.
    """

    name: str
    key: str
    unit: Unit
    cursor: Cursor
    flow: Flow = field(init=False)
    task: str = ""
    taken: str = ""
    recursive: bool = False
    calls: set[str] = field(default_factory=set)
    callers: set[str] = field(default_factory=set)

    @property
    def is_c(self) -> bool:
        """Whether a task, or another file in C, may name it."""
        return self.cursor.storage_class.name != "STATIC" and "#" not in self.key and kind(self.cursor) != "CXX_METHOD"


@dataclass(frozen=True)
class Target:
    """The callee of a call: a function of the application, or one of the kernel; else `unknown` says why."""

    function: Function | None = None
    call: Call | None = None
    unknown: str = ""


class Program:
    """An application. `tasks`: entry functions by name, "once" or "job". `elsewhere`: by file the names in what is not
    read, in C++: its calls have happened, and it may call every function that it names."""

    def __init__(
        self, units: Sequence[Unit], tasks: Mapping[str, str], elsewhere: Mapping[str, frozenset[str]] | None = None
    ) -> None:
        self.units = units
        self.functions: dict[str, Function] = {}
        self.mentioned: set[str] = set()  # names of functions that are called or referred to
        self.configured: set[str] = set()  # keys of the entries of tasks that the code declares
        for unit in units:
            self._collect(unit)
        for function in self.functions.values():
            if function.is_c:
                function.task = tasks.get(function.name, "")
            if kind(function.cursor) == "CXX_METHOD" and function.cursor.is_virtual_method():
                function.taken = f"{function.unit.path.name}, as a virtual function"
        for unit in units:
            self._refer(unit)
        for file, names in (elsewhere or {}).items():
            self.mentioned |= names
            for function in self.functions.values():
                if function.name in names and function.cursor.storage_class.name != "STATIC":
                    function.taken = f"{file}, in C++"
        self._call_graph()
        self.loud = self._loud()
        for function in self.functions.values():
            builder = Builder(function.unit, function.cursor, self.quiet, self.succeeds, self.locks)
            function.flow = builder.flow()

    def _collect(self, unit: Unit) -> None:
        for cursor in unit.inner:
            if kind(cursor) in cxx.FUNCTIONS and cursor.is_definition() and of_application(cursor):
                key = str(cursor.get_usr())
                if key not in self.functions:
                    self.functions[key] = Function(cursor.spelling, key, unit, cursor)

    def _refer(self, unit: Unit) -> None:
        """Finds functions whose address is taken, and how it is used."""

        def look(cursor: Cursor, parent: Cursor) -> bool:
            if kind(cursor) == "CALL_EXPR":
                self._in_call(cursor, look)
                return False
            if kind(cursor) == "INIT_LIST_EXPR":
                return not self._config(cursor)
            if kind(cursor) == "BINARY_OPERATOR" and self._entry_assigned(cursor):
                return False
            if kind(cursor) in ("DECL_REF_EXPR", "MEMBER_REF_EXPR") and _function(cursor) is not None:
                self._taken(cursor)
            return True

        for cursor in unit.inner:
            if kind(cursor) not in AROUND and of_application(cursor):
                walk(cursor, look)

    def _in_call(self, cursor: Cursor, look: object) -> None:
        children = list(cursor.get_children())
        callee = bare(children[0]) if children and not cxx.is_constructor(cursor) else None
        if callee is not None and _function(callee) is not None:
            self.mentioned.add(callee.spelling)
            children = [*callee.get_children(), *children[1:]]
        for child in children:
            if look(child, cursor):  # type: ignore[operator]
                walk(child, look)  # type: ignore[arg-type]

    def _taken(self, cursor: Cursor) -> None:
        self.mentioned.add(cursor.spelling)
        function = self.functions.get(str(cursor.referenced.get_usr()))
        if function is not None and not function.task:
            function.taken = f"{Path(cursor.location.file.name).name}:{cursor.location.line}"

    def _config(self, cursor: Cursor) -> bool:
        """Whether it initializes a struct takt_task_config; then its entry is a task."""
        parts = [(_field(part), part) for part in cursor.get_children()]
        entries = [part for name, part in parts if name == ENTRY_FIELD]
        if not entries or cursor.type.spelling.split()[-1:] != ["takt_task_config"]:
            return False
        names = {part.spelling for part in below(cursor) if kind(part) == "DECL_REF_EXPR"}
        self._entry(entries[0], "job" if names & set(JOBS) and LOOP not in names else "once")
        return True

    def _entry_assigned(self, cursor: Cursor) -> bool:
        """config.entry = function: whether it has jobs is not known."""
        left, right = cursor.get_children()
        left = bare(left)
        if kind(left) != "MEMBER_REF_EXPR" or left.spelling != ENTRY_FIELD:
            return False
        parent = left.referenced.semantic_parent if left.referenced is not None else None
        if parent is None or parent.spelling != "takt_task_config":
            return False
        self._entry(right, "once")
        return True

    def _entry(self, cursor: Cursor, task: str) -> None:
        for part in below(cursor):
            if kind(part) == "DECL_REF_EXPR" and kind(part.referenced) == "FUNCTION_DECL":
                function = self.functions.get(str(part.referenced.get_usr()))
                if function is not None:
                    self.configured.add(function.key)
                if function is not None and not function.task:
                    function.task, function.taken = task, ""

    def _call_graph(self) -> None:
        for function in self.functions.values():
            for call in calls_in(function.cursor):
                target = self.target(call).function
                if target is not None:
                    function.calls.add(target.key)
                    target.callers.add(function.key)
        for function in self.functions.values():
            function.recursive = function.key in self.reached(function)

    def reached(self, function: Function) -> set[str]:
        """Keys of the functions that it calls, directly or indirectly."""
        found: set[str] = set()
        ahead = list(function.calls)
        while ahead:
            key = ahead.pop()
            if key not in found:
                found.add(key)
                ahead += self.functions[key].calls
        return found

    def _loud(self) -> set[str]:
        """Keys of the functions that have an effect on hints, directly or through functions that they call."""
        own = {
            key
            for key, function in self.functions.items()
            if any(self._matters(call) for call in calls_in(function.cursor))
        }
        return own | {key for key, function in self.functions.items() if self.reached(function) & own}

    def _matters(self, cursor: Cursor) -> bool:
        target = self.target(cursor)
        if target.function is not None:
            return False
        if target.call is None:
            return bool(target.unknown)
        return target.call.role is not Role.PLAIN or serves(cursor.spelling, target.call)

    def waits_unseen(self, unit: Unit) -> bool:
        """Whether what no call of a file in C++ runs may wait or lock."""
        loud = {self.functions[key].name for key in self.loud}
        return unit.cxx and cxx.waits_unseen([one for one in unit.inner if of_application(one)], loud)

    def target(self, cursor: Cursor) -> Target:
        children = list(cursor.get_children())
        known = cxx.call_of(cursor)
        if known is not None:
            return Target(call=known)
        callee = bare(children[0]) if children else cursor
        if _function(callee) is None:
            operator = cursor.referenced is not None and kind(cursor.referenced) in cxx.FUNCTIONS
            return Target(unknown=f"`{cursor.spelling}` is an operator" if operator else "a call through a pointer")
        if kind(callee.referenced) == "CXX_METHOD" and callee.referenced.is_virtual_method():
            return Target(unknown=f"`{callee.spelling}` is a virtual function")
        function = self.functions.get(str(callee.referenced.get_usr()))
        return Target(function) if function is not None else self._others(callee, children[1:])

    @staticmethod
    def _others(callee: Cursor, arguments: Sequence[Cursor]) -> Target:
        """A function that is none of the application's."""
        name = callee.spelling
        call = call_of(name)
        if call is not None:
            return Target(call=call) if call.role is not Role.UNKNOWN else Target(unknown=f"`{name}`: {call.why}")
        location = callee.referenced.location
        if location.file is not None and not location.is_in_system_header:
            return Target(unknown=f"`{name}` has no body here")
        if any(_is_function(child) for child in arguments):
            return Target(unknown=f"`{name}` calls a function that is passed to it")
        return Target(call=Call(Role.PLAIN))

    def quiet(self, cursor: Cursor) -> bool:
        """Whether a call has no effect on hints."""
        target = self.target(cursor)
        if target.function is not None:
            return target.function.key not in self.loud
        return not self._matters(cursor)

    def succeeds(self, cursor: Cursor) -> bool:
        """Whether a call returns only TAKT_OK: the program makes no call that could abort its wait."""
        call = self.target(cursor).call
        return call is not None and call.ok_unless is not None and not self.mentioned & {CANCELS, *call.ok_unless}

    def locks(self, cursor: Cursor) -> bool:
        """Whether a call locks a mutex, without a timeout."""
        return cursor.spelling == "takt_mutex_lock" and self.target(cursor).call is not None

    def callees_first(self) -> Iterable[Function]:
        """Every function after those that it calls; recursive ones in any order."""
        done: dict[str, Function] = {}
        for start in self.functions.values():
            ahead = [(start, False)]
            while ahead:
                function, seen = ahead.pop()
                if seen:
                    done.setdefault(function.key, function)
                elif function.key not in done:
                    ahead.append((function, True))
                    inner = [self.functions[key] for key in sorted(function.calls)]
                    ahead += [(other, False) for other in inner if not other.recursive]
        return done.values()


def calls_in(function: Cursor) -> list[Cursor]:
    """Every call in a function's body, in the order of the text; not those in sizeof and the like."""
    found: list[Cursor] = []

    def look(cursor: Cursor, parent: Cursor) -> bool:
        del parent
        if kind(cursor) == "CALL_EXPR":
            found.append(cursor)
        return kind(cursor) not in ("CXX_UNARY_EXPR", "GENERIC_SELECTION_EXPR", *cxx.INSIDE)

    walk(function, look)
    return found


def of_application(cursor: Cursor) -> bool:
    file = cursor.location.file
    if file is None or cursor.location.is_in_system_header:
        return False
    parents = Path(file.name).parents
    return not any(room in parents for room in OURS)


def _field(cursor: Cursor) -> str:
    """The field that a part of an initializer names."""
    first = next(iter(cursor.get_children()), None)
    return str(first.spelling) if first is not None and kind(first) == "MEMBER_REF" else ""


def _function(cursor: Cursor) -> Cursor | None:
    """The function that an expression names."""
    named = cursor.referenced if kind(cursor) in ("DECL_REF_EXPR", "MEMBER_REF_EXPR") else None
    return named if named is not None and kind(named) in cxx.FUNCTIONS else None


def _is_function(cursor: Cursor) -> bool:
    type_ = bare(cursor).type.get_canonical()
    pointed = type_.get_pointee() if type_.kind.name == "POINTER" else type_
    return str(pointed.kind.name) in ("FUNCTIONPROTO", "FUNCTIONNOPROTO")

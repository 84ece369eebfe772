# SPDX-License-Identifier: Apache-2.0
"""A state message: the last value, read without a lock. How many copies it has: state_copies.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from takt.declare.schema.kinds import (
    IDENTIFIER,
    NAME,
    POSITIVE_DURATION,
    TABLES,
    Key,
    Table,
    integer,
)
from takt.declare.schema.locate import Path as Where
from takt.declare.schema.model import System
from takt.declare.schema.reader import Document
from takt.declare.schema.service import (
    WRITER,
    Context,
    Service,
    bytes_of,
    message_keys,
    product,
)
from takt.declare.schema.service_calls import (
    Call,
    Size,
)
from takt.declare.service_kinds import state_copies
from takt.declare.service_kinds.state_copies import Read, State
from takt.support.c.kernel import MESSAGE_MAX, STATE_DEPTH_MAX
from takt.support.durations import show
from takt.support.errors import did_you_mean, one_of

COUNTER = "takti_overtaken_"


_READER = Table(
    "readers",
    "",
    (
        Key("task", IDENTIFIER, "The task or interrupt.", required=True),
        Key(
            "read",
            POSITIVE_DURATION,
            "The longest that it executes in one read, from its beginning to its end.",
            required=True,
        ),
    ),
)


TABLE = Table(
    "state",
    "A state message: the last value, written by one and read by many, without a lock: `NAME_write`, `NAME_read`,"
    " `NAME_read_locked`. With `readers` it has enough copies that no read is overtaken as long as the declared timing"
    " holds (docs/decisions/0015-state-depth.md), and a run that is not as declared says so.",
    (
        NAME,
        *message_keys("message_size", MESSAGE_MAX, "Bytes of the message."),
        WRITER,
        Key("writes", integer(1, 0xFFFF), "The most writes in one job of the writer, or one interrupt.", default=1),
        Key(
            "readers",
            TABLES,
            'Every task and interrupt that reads it: `{task = "monitor", read = "20 us"}`.',
            default=(),
            default_text="none: `depth` is required",
            table=_READER,
        ),
        Key(
            "depth_max",
            integer(state_copies.COPIES_MIN, STATE_DEPTH_MAX),
            "A reader that needs more copies reads with the kernel locked instead; the proof counts that time.",
            default_text="`10`",
        ),
        Key(
            "depth",
            integer(state_copies.COPIES_MIN, STATE_DEPTH_MAX),
            "Copies. With `readers`: a reader that needs more reads with the kernel locked.",
            default_text="as many as `readers` need, by the proof",
        ),
    ),
)


def _read(_document: Document, values: dict[str, Any], _index: int) -> State:
    readers = tuple(Read(reader["task"], reader["read"]) for reader in values["readers"])
    limit = {} if values["depth_max"] is None else {"depth_max": values["depth_max"]}
    rest = {key: value for key, value in values.items() if key not in ("readers", "depth_max")}
    return State(**rest, **limit, readers=readers)


def _check(document: Document, system: System, index: int, item: State) -> None:
    where, label = ("state", index), f'[[state]] "{item.name}"'
    raw = document.data["state"][index]
    if item.depth is None and not item.readers:
        hint = f'readers = [{{task = "{system.tasks[-1].name}", read = "20 us"}}], or depth = 4'
        document.fail(where, f"{label}: neither readers nor depth", hint)
    for key in ("writes", "depth_max"):
        if key in raw and not item.readers:
            document.fail((*where, key), f"{label}: {key} requires readers", "add readers, or remove it")
    if "depth_max" in raw and item.depth is not None:
        document.fail((*where, "depth_max"), f"{label}: depth and depth_max exclude each other", "keep one")
    if not item.readers:
        return
    task = next((task for task in system.tasks if task.name == item.writer), None)
    if task is not None and task.separation_ns is None and item.depth is None:
        problem = f'{label}: the rate of its writes is unknown: "{task.name}" has no period and no min_interarrival'
        hint = "depth: readers then read with the kernel locked; without readers, a read may be overtaken"
        document.fail((*where, "writer"), problem, f"a min_interarrival of the task, or {hint}")
    for number, read in enumerate(item.readers):
        _check_read(document, system, (*where, "readers", number), item, read)


def _check_read(document: Document, system: System, where: Where, item: State, read: Read) -> None:
    label = f'[[state]] "{item.name}", readers'
    known = {task.name: task.wcet_ns for task in system.tasks} | {one.name: one.wcet_ns for one in system.interrupts}
    if read.task not in known:
        problem = f'{label}: task = "{read.task}": no such task or interrupt'
        document.fail((*where, "task"), problem, did_you_mean(read.task, list(known)))
    if [reader.task for reader in item.readers].count(read.task) > 1:
        document.fail((*where, "task"), f'{label}: "{read.task}" is named twice', "keep the longer read")
    wcet_ns = known[read.task]
    if 0 < wcet_ns < read.read_ns:
        problem = f'{label} "{read.task}": read {show(read.read_ns)} is longer than its wcet {show(wcet_ns)}'
        document.fail((*where, "read"), problem, f'at most "{show(wcet_ns)}"')
    need = next(need for need in state_copies.needs(system, item, {}) if need.reader == read.task)
    if state_copies.exceeds(item, need) and not state_copies.lockable(system, item):
        copies = "more copies than possible" if need.copies is None else f"{need.copies} copies"
        problem = f'{label} "{read.task}": it needs {copies}, and no lock keeps interrupt "{item.writer}" from writing'
        document.fail(where, problem, one_of(_without_a_lock(system, item, read, need.copies)))


def _without_a_lock(system: System, item: State, read: Read, copies: int | None) -> list[str]:
    """Hints for a reader that needs `copies`; None: its reads are not bounded."""
    limit, most = state_copies.limit(item), STATE_DEPTH_MAX
    key = "depth_max" if item.depth is None else "depth"
    fewest = state_copies.fewest_copies(system, item, read)
    sooner = "a shorter deadline" if copies is not None else f'a deadline of "{read.task}"'
    found = [sooner] if fewest is not None and fewest <= limit else []
    if copies is not None and copies <= most:
        found.append(f"{key} = {copies}")
    elif fewest is not None and limit < fewest <= most:
        found.append(f"{sooner} with {key} = {most}")
    return [*found, "kernel = true in the [[interrupt]]"]


def overtaken(item: State) -> str:
    """The C variable that counts reads of a state message that were overtaken."""
    return f"{COUNTER}{item.name}"


def _running(system: System, names: tuple[str, ...]) -> str | None:
    """Whether one of these runs, in C; None: one is an interrupt, which does not show. Before the start none runs."""
    tasks = {task.name for task in system.tasks}
    if not tasks.issuperset(names):
        return None
    return " || ".join(f"takt_task_running() == {task}" for task in (*(f"TASK_{name}" for name in names), "NULL"))


def _write(item: State, system: System) -> Iterator[str]:
    running = _running(system, (item.writer,))
    if item.readers and running is not None and not system.protection:
        yield f"TAKT_ASSERT({running}); /* writer in system.toml */"
    yield f"takt_state_write(&{item.name}, message, SIZE_{item.name});"


def _copy(item: State, locked: bool, system: System) -> str:
    if locked and system.protection:
        return f"takt_state_read_locked(TAKTI_STATE({item.name}), message, SIZE_{item.name})"
    return f"takt_state_read{'_locked' if locked else ''}(&{item.name}, message, SIZE_{item.name})"


def _read_body(item: State, system: System) -> Iterator[str]:
    """A slow reader's copy is locked. Where one is an interrupt, or all are slow, every copy is."""
    running = _running(system, tuple(reader.task for reader in item.readers))
    if item.readers and running is not None and not system.protection:
        yield f"TAKT_ASSERT({running}); /* readers in system.toml */"
    if not item.slow or len(item.slow) == len(item.readers) or _running(system, item.slow) is None:
        yield f"return takti_state_seen({_copy(item, bool(item.slow), system)}, &{overtaken(item)});"
        return
    yield f"return takti_state_seen({' || '.join(f'takt_task_running() == TASK_{name}' for name in item.slow)}"
    yield f"                            ? {_copy(item, True, system)}"
    yield f"                            : {_copy(item, False, system)},"
    yield f"                        &{overtaken(item)});"


def _read_locked(item: State, system: System) -> Iterator[str]:
    yield f"return takti_state_seen({_copy(item, True, system)}, &{overtaken(item)});"


# Only an overtaken read stores, so that no other, which it interrupted, undoes its count.
STATE_SEEN = """static inline enum takt_status takti_state_seen(enum takt_status status, uint32_t *overtaken)
{
    if (status == TAKT_OVERTAKEN) {
        ++*overtaken;
    }
    return status;
}"""


_STATE_IN, _STATE_OUT = "const {type} *message", "{type} *message"


_CALLS = (
    Call("write", _STATE_IN, returns="void", typed=False, body=_write),
    Call("read", _STATE_OUT, typed=False, body=_read_body),
    Call("read_locked", _STATE_OUT, typed=False, body=_read_locked),
)


def counters(system: System) -> Iterator[str]:
    """The counters of all state messages and what counts, for takt_app.h."""
    states = system.of(State)
    for item in states:
        counter = overtaken(item)
        yield f"extern uint32_t {counter}{f' TAKTI_OF_PROCESS({counter})' if system.protection else ''};"
    if states:
        yield f"\n{STATE_SEEN}\n"


def watched(system: System, ids: dict[str, int]) -> Iterator[str]:
    """State messages that runner/run.c reports at the end, for system.c."""
    states = system.of(State)
    if not states:
        return
    counted = [(item, overtaken(item)) for item in states]
    if system.protection:
        yield from (f"uint32_t {counter};" for _, counter in counted)
        others = [
            (item, f"{counter}_{name}") for item, counter in counted for name in state_copies.reading(system, item)
        ]
        yield from (f"extern uint32_t {counter};" for _, counter in others)
        counted += others
    yield f"\nstatic const struct takt_run_state takti_run_states[{len(counted)}] = {{"
    for item, counter in counted:
        yield f"    {{&{item.name}, &{counter}, {ids[item.name]}}},"
    yield f"}};\nconst struct takt_run_states takt_run_states = {{takti_run_states, {len(counted)}}};"


def _define(item: State, _context: Context) -> Iterator[str]:
    yield f"TAKT_STATE_DEFINE({item.name}, {bytes_of(item.message_size, item.type)}, {item.copies});"
    yield f"uint32_t {overtaken(item)};"


SERVICE = Service(
    TABLE,
    State,
    _define,
    read=_read,
    check=_check,
    names=(("writer", "actor"),),
    size=Size("message_size", MESSAGE_MAX, words=True),
    calls=_CALLS,
    proved=True,
    locks=False,
    handled=True,
    in_memory=True,
    memory=lambda item: product(item, "message_size", "depth", item.copies or item.depth or 1),
)

# SPDX-License-Identifier: Apache-2.0
"""How much of its stack each task needs at most: its entry, the calls it makes, the kernel's, and an interrupt on top.

What the call graph of an image does not say of the kernel stands here; `takt bench calls` reads it too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from takt.declare import services
from takt.declare.schema.model import System
from takt.image import contracts, stack
from takt.image.application import constructors, cxx, heap, reached, streams, thread_block
from takt.image.application.names import demangled
from takt.image.tables import fault_code, generate
from takt.prove import board_memory
from takt.prove.proof import Proved
from takt.support.c.ports import RV32_CONTEXT_SIZE, RV32_FRAME_SIZE
from takt.support.errors import UserError

INTERRUPTED = {"armv7m": 32 + 4 + 40, "rv32": RV32_FRAME_SIZE + RV32_CONTEXT_SIZE}
"""Bytes that an interrupt puts on the stack of whom it interrupts, the context of a task that goes on later included:
by port. Its handlers have a stack of their own."""

IN_USER_MODE = {"armv7m": 32 + 4, "rv32": 0}
"""The same of a task of a process: what the processor itself puts there. Calls are on the stack of interrupts."""

GUARD = {False: 8, True: 32}
"""At the end of a stack, by whether it is a process's: the guard word, or a region without access."""
ALIGNED = {"armv7m": 8, "rv32": 16}
"""What a stack begins at, by port; it lies at a multiple of 8, of a process of 32."""

ASSEMBLY = ("takt_port_switch", "takt_work", "__aeabi_uldivmod", "takt_board_can_apart")
"""Functions of which the compiler knows no stack: theirs is in the code."""
_CONTROLLER = tuple(f"requests.c:{name}" for name in ("next_event", "abort_frame", "load", "interrupt"))
"""What the transmit queue calls of a CAN controller (library/can)."""
INDIRECT: dict[str, tuple[str, ...]] = {
    "takti_mutex_left": ("condition.c:condition_left",),
    **{f"priority_mailbox.c:letter_{name}": () for name in ("send", "store", "receive", "arrive", "refill")},
    "takt_priority_mailbox_broadcast": (),
    "takt_alarm_serve": (),
    "trace.c:tell": (),
    "task.c:start_general": ("takti_admission_add",),
    "takt_task_start": ("takti_admission_add",),
    "task.c:count_on": ("takti_admission_remove",),
    "takti_task_end": ("takti_admission_remove", "takti_mutex_left"),
    "takt_analysis_feasible": (),
    "feasible.c:takta_task_judge": (),
    "taktc_mailboxes_take": ("requests.c:next_event",),
    "taktc_mailboxes_drop": _CONTROLLER,
    "taktc_mailboxes_fill": _CONTROLLER,
    **{f"mailboxes.c:{name}": _CONTROLLER for name in ("abort_mailbox", "make_room", "load", "fill_one")},
    "service.c:take": (),
    "takt_chip_can_simulate": (),
    "takt_can_service_interrupt": (),
    "takti_take_back": (
        "mutex.c:takti_mutex_give_back",
        "ceiling.c:takti_ceiling_give_back",
        "semaphore.c:takti_semaphore_give_back",
        "pool.c:takti_pool_give_back",
        "mailbox.c:takti_mailbox_give_back",
        "priority_mailbox.c:takti_priority_mailbox_give_back",
        "events.c:takti_events_give_back",
        "pipe.c:takti_pipe_give_back",
        "signal.c:takti_signal_give_back",
        "slot.c:takti_slot_give_back_taken",
        "slot.c:takti_slot_give_back_buffer",
        "rendezvous.c:takti_rendezvous_give_back",
    ),
}
"""What pointers point at. Nothing: what the application's functions take comes on top; or only interrupts go there."""

HINTS: dict[str, tuple[str, ...]] = {
    "job.c:job_begin": ("hint.c:hint_ready",),
    "takti_wake": ("hint.c:hint_ready",),
    "takti_wake_all": ("hint.c:hint_ready",),
    "takti_wake_first": ("hint.c:hint_ready",),
    "takti_delete": ("hint.c:hint_ready",),
    "takti_hand": ("hint.c:hint_ready",),
    "takti_hand_first": ("hint.c:hint_ready",),
    "takti_wake_slow_path": ("hint.c:hint_ready",),
    "takti_ending_leave_slow_path": ("hint.c:hint_ready",),
    "wait.c:takti_make_ready": ("hint.c:hint_ready",),
    "wait.c:block_on_mutex": ("hint.c:hint_overtake", "hint.c:hint_wait"),
    "takti_wait_for_mutex": ("hint.c:hint_take", "hint.c:hint_overtake", "hint.c:hint_wait"),
    "takti_wait_for_mutex_until": ("hint.c:hint_overtake",),
    "takti_wait_for_served": ("hint.c:hint_overtake", "hint.c:hint_wait", "hint.c:hint_rest"),
    "wait.c:wait_slow_path": ("hint.c:hint_take", "hint.c:hint_overtake", "hint.c:hint_wait"),
    "takti_sleep_slow_path": ("hint.c:hint_rest",),
    "task.c:suspend_waiting": ("hint.c:hint_rest",),
    "task.c:suspend_other": ("hint.c:hint_rest",),
    "task.c:suspend_general": ("hint.c:hint_rest",),
    "ceiling.c:ceiling_pass": ("hint.c:hint_rest",),
    "takti_lock_later": ("hint.c:hint_overtake",),
    "takti_lock_next": ("hint.c:hint_overtake",),
    "takt_mutex_try_lock": ("hint.c:hint_take",),
    "takt_mutex_delete": ("hint.c:hint_cancel",),
    "takti_held_give_up": ("hint.c:hint_cancel",),
    "budget.c:break_mutex": ("hint.c:hint_cancel",),
    "takt_condition_wait_until": ("hint.c:hint_hand_over",),
    "mutex.c:hand_over": ("hint.c:hint_hand_over",),
    "mutex.c:takti_mutex_hand_over": ("hint.c:hint_hand_over",),
    "mutex.c:takti_mutex_give_back": ("hint.c:hint_hand_over",),
}
"""The same where a hint was given; nothing otherwise."""
TWICE = ("takt_port_timer_set", "clock.c:move_epoch", "takti_wake")  # after the move nothing is far; hints: as next
NOT_BELOW = {
    "hint.c:hint_ready": (
        "hint.c:hint_cancel_down_to",  # which ends a hint before it wakes; perhaps in line in the next two
        "hint.c:hint_overtake",
        "hint.c:hint_cancel",
    ),
    "hint.c:hint_overtake": ("hint.c:hint_ready",),  # a task that waits in advance overtakes no other
}


@dataclass(frozen=True)
class Bound:
    """Of one stack. `needs`: bytes at most, those of an interrupt and of the guard included; None: unknown, for
    `reason`. `way`: the functions of the longest way, each with its bytes. `rest`: the other bytes of `needs`."""

    name: str
    declared: int
    needs: int | None
    reason: str = ""
    way: tuple[tuple[str, int], ...] = ()
    rest: int = 0

    @property
    def fits(self) -> bool | None:
        return None if self.needs is None else self.needs <= self.declared

    def sentence(self) -> str:
        """Of one that does not fit, or has no bound."""
        if self.needs is None:
            return f"no bound is known of the stack of {self.name} ({self.reason})"
        return f"the stack of {self.name} is too small: it needs up to {self.needs} bytes and has {self.declared}"

    def calls(self) -> str:
        """The longest way, with its bytes."""
        return " > ".join(f"{name} {size}" for name, size in self.way)

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "bytes": self.declared,
            "needs": self.needs,
            "reason": self.reason or None,
            "way": [{"function": name, "bytes": size} for name, size in self.way],
        }


def known(port: str) -> bool:
    """Whether stacks are as declared there, and the compiler tells of them."""
    return port in ALIGNED


def bounds(proved: Proved, image: Path, folders: Iterable[Path]) -> tuple[Bound, ...]:
    """Of every task, or of the one stack of a cooperative system. `folders`: of builds of what is in the image; of the
    rest the image's code tells."""
    system, port = proved.system, proved.board.port
    entries = generate.entries(system, proved.board)
    stacks = {task.name: task.stack for task in system.tasks}
    jobs: list[tuple[str, str, int, tuple[str, ...]]]
    begin = "takt_user_main" if system.protection else "takti_task_main"
    jobs = [(begin, name, stacks[name], (entries[name],)) for name in stacks]
    if proved.choice.cooperative:
        whole = board_memory.IDLE_STACK + max(stacks.values())
        jobs = [("takti_cooperate", "all tasks", whole, tuple(entries.values()))]
    if not known(port):
        reason = f"on {proved.board.name} the port's own stacks are used"
        return tuple(Bound(name, size, None, reason) for _, name, size, _ in jobs)
    block = thread_block.size(proved, image)
    graph = stack.Graph(twice=TWICE, not_below=NOT_BELOW)
    pointed = [*entries.values(), *(entry.rpartition(":")[2] for entry in entries.values())]
    pointed += streams.POINTED  # an entry, too, may be of an archive
    stack.read(graph, image, proved.board.tools, ASSEMBLY, folders, pointed, streams.POINTERS)
    heap.refuse(system, graph, stack.short, entries)
    reached.refuse(system, graph, stack.short, lambda: {call.name: call.contexts for call in contracts.calls()})
    for callees in graph.callees.values():  # what `takt run --inject` has a task do is no fault of its stack
        callees -= {title for title in callees if title.endswith(f":{fault_code.OVERFLOW}")}
    hinted = any(name.startswith("takt_hint_") for name in graph.linked)
    pointers = {**INDIRECT, **(HINTS if hinted else dict.fromkeys(HINTS, ())), **_handlers(system)}
    pointers |= constructors.called(system, image)
    pointers |= streams.pointers(system, graph, stack.short)
    there = {caller: tuple(name for name in called if _linked(graph, name)) for caller, called in pointers.items()}
    found = []
    for main, name, size, called in jobs:
        graph.indirect = {**there, main: tuple(titled(graph, entry) for entry in called)}
        bound = _bound(graph, main, name, size, block + _rest(port, system.protection, size))
        thrown = cxx.thrown(graph, stack.short, graph.indirect[main]) if bound.needs is None else ""
        found.append(replace(bound, reason=f"it may throw, by {thrown}") if thrown else bound)
    return tuple(found)


def titled(graph: stack.Graph, entry: str) -> str:
    """A static function of system.c has its plain name where it was read from the image's code."""
    plain = entry.rpartition(":")[2]
    compiled = any(stack.short(title) == entry for title in graph.frames)
    return plain if plain in graph.frames and not compiled else entry


def _linked(graph: stack.Graph, name: str) -> bool:
    """Whether a pointer may point there: what has an address is in the image under its own name."""
    return name.rpartition(":")[2] in graph.linked


def _rest(port: str, protection: bool, size: int) -> int:
    """What is not the functions': an interrupt's, the guard, and what is lost where the stack begins."""
    lost = size % ALIGNED[port] if protection else ALIGNED[port] - 8
    return (IN_USER_MODE if protection else INTERRUPTED)[port] + GUARD[protection] + lost


def _bound(graph: stack.Graph, main: str, name: str, size: int, rest: int) -> Bound:
    try:
        needs, way = graph.deepest(main)
        named = tuple((demangled(function), own) for function, own in way[1:])
        return Bound(name, size, -(-(needs + rest) // 8) * 8, way=named, rest=rest + way[0][1])
    except UserError as error:
        return Bound(name, size, None, demangled(error.problem))


def _handlers(system: System) -> Mapping[str, tuple[str, ...]]:
    """Functions of the application's that the kernel calls on a task's stack: those that are declared."""
    declared = [(service.kind, item) for service, _, item in services.handlers(system) if item.handler is not None]
    letters = tuple(item.handler for kind, item in declared if kind == "priority_mailbox")
    alarms = tuple(item.handler for kind, item in declared if kind == "alarm" and item.queue is not None)
    kinds = [name for name in INDIRECT if "priority_mailbox" in name]
    return {**dict.fromkeys(kinds, letters), "takt_alarm_serve": alarms}

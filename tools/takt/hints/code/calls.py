# SPDX-License-Identifier: Apache-2.0
"""How each call of the kernel relates to hints, in one table; taken from the contracts in kernel/include/takt/."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Role(Enum):
    """PLAIN: never blocks. WAIT: blocks, and heeds a hint. DEAF: blocks, a hint has no effect on it (takt/hint.h)."""

    PLAIN = auto()
    WAIT = auto()
    DEAF = auto()
    LOCK = auto()  # of the mutex that a hint may name
    TRY = auto()
    UNLOCK = auto()
    HINT = auto()
    END = auto()  # does not return
    UNKNOWN = auto()  # calls a function that the caller passes


@dataclass(frozen=True)
class Call:
    """`why`: of DEAF, TRY and UNKNOWN. `holds`: by how much the number of held mutexes grows, at least.

    `ok_unless`: this call returns only TAKT_OK in a program that makes none of these calls; None: it may fail
    in any program.
    """

    role: Role
    why: str = ""
    holds: int = 0
    ok_unless: tuple[str, ...] | None = None


MUTEX = "a wait for a mutex heeds no hint"
CONDITION = "its mutex is locked before the task runs: it heeds no hint"
_SERVES = "the server of a rendezvous heeds no hint"
_CALLS = "a wait for the completion of a call heeds no hint"

CANCELS = "takt_task_cancel"  # it ends any wait of another task

TABLE: dict[str, Call] = {
    "takt_hint_next": Call(Role.HINT),
    "takt_hint_next_set": Call(Role.HINT),  # which decide.py does not follow
    "takt_fault_raise": Call(Role.END),
    "takt_delay": Call(Role.WAIT),
    "takt_delay_until": Call(Role.WAIT),
    "takt_job_wait": Call(Role.WAIT),
    "takt_mutex_lock": Call(Role.LOCK, MUTEX, holds=1),
    "takt_mutex_lock_until": Call(Role.LOCK, MUTEX, holds=1),
    "takt_mutex_try_lock": Call(Role.TRY, "a hint could change whether it finds the mutex free"),
    "takt_mutex_unlock": Call(Role.UNLOCK, holds=-1),
    "takt_ceiling_lock": Call(Role.DEAF, MUTEX, holds=1),
    "takt_ceiling_lock_until": Call(Role.DEAF, MUTEX, holds=1),
    "takt_ceiling_try_lock": Call(Role.TRY, "a hint could change whether it finds the mutex free"),
    "takt_ceiling_unlock": Call(Role.UNLOCK, holds=-1),
    "takt_condition_wait": Call(Role.DEAF, CONDITION),
    "takt_condition_wait_until": Call(Role.DEAF, CONDITION),
    "takt_rendezvous_call": Call(Role.DEAF, _CALLS),
    "takt_rendezvous_call_until": Call(Role.DEAF, _CALLS),
    "takt_rendezvous_accept": Call(Role.DEAF, _SERVES, holds=1),
    "takt_rendezvous_accept_until": Call(Role.DEAF, _SERVES, holds=1),
    "takt_rendezvous_complete": Call(Role.UNLOCK, holds=-1),
    "takt_task_suspend": Call(Role.DEAF, "a suspension heeds no hint"),
    "takt_ring_put_retry": Call(Role.UNKNOWN, "it calls the function `again`"),
    "takt_ring_get_retry": Call(Role.UNKNOWN, "it calls the function `again`"),
    "takt_semaphore_wait": Call(Role.WAIT, ok_unless=("takt_semaphore_delete", "takt_semaphore_flush")),
    "takt_semaphore_wait_until": Call(Role.WAIT),
    "takt_semaphore_wait_in_turn": Call(Role.WAIT),
    "takt_events_wait": Call(Role.WAIT, ok_unless=("takt_events_delete",)),
    "takt_events_wait_until": Call(Role.WAIT),
    "takt_mailbox_send": Call(Role.WAIT, ok_unless=("takt_mailbox_delete",)),
    "takt_mailbox_send_until": Call(Role.WAIT),
    "takt_mailbox_receive": Call(Role.WAIT, ok_unless=("takt_mailbox_delete",)),
    "takt_mailbox_receive_until": Call(Role.WAIT),
    "takt_priority_mailbox_send": Call(Role.WAIT, ok_unless=("takt_priority_mailbox_delete",)),
    "takt_priority_mailbox_send_until": Call(Role.WAIT),
    "takt_priority_mailbox_send_urgent": Call(Role.WAIT, ok_unless=("takt_priority_mailbox_delete",)),
    "takt_priority_mailbox_send_urgent_until": Call(Role.WAIT),
    "takt_priority_mailbox_receive": Call(Role.WAIT, ok_unless=("takt_priority_mailbox_delete",)),
    "takt_priority_mailbox_receive_until": Call(Role.WAIT),
    "takt_pipe_write": Call(Role.WAIT, ok_unless=("takt_pipe_delete",)),
    "takt_pipe_write_until": Call(Role.WAIT),
    "takt_pipe_read": Call(Role.WAIT, ok_unless=("takt_pipe_delete",)),
    "takt_pipe_read_until": Call(Role.WAIT),
    "takt_pool_allocate": Call(Role.WAIT, ok_unless=("takt_pool_delete",)),
    "takt_pool_allocate_until": Call(Role.WAIT),
    "takt_signal_receive": Call(Role.WAIT, ok_unless=()),
    "takt_signal_receive_until": Call(Role.WAIT),
    "takt_slot_reserve": Call(Role.WAIT),
    "takt_slot_reserve_until": Call(Role.WAIT),
    "takt_slot_take": Call(Role.WAIT),
    "takt_slot_take_until": Call(Role.WAIT),
}

# Of the compiler's library: they do not return, or return more than once.
ENDS = ("abort", "exit", "_Exit", "quick_exit", "__builtin_unreachable", "__builtin_trap", "__builtin_abort")
JUMPS = (
    "longjmp",
    "setjmp",
    "_setjmp",
    "sigsetjmp",
    "__sigsetjmp",
    "siglongjmp",
    "getcontext",
    "setcontext",
    "__builtin_setjmp",
    "__builtin_longjmp",
)

SLEEPS = ("sleep", "usleep", "nanosleep", "clock_nanosleep")


def call_of(name: str) -> Call | None:
    """The entry of a function of the kernel or of the compiler's library; None: it has no effect on hints."""
    if name in SLEEPS:
        name = "takt_delay"
    if name in TABLE:
        return TABLE[name]
    if name.startswith(("takt_", "takti_")):
        return Call(Role.PLAIN)
    if name in ENDS or name.startswith("__assert"):
        return Call(Role.END)
    if name in JUMPS:
        return Call(Role.UNKNOWN, "it jumps")
    return Call(Role.PLAIN) if name.startswith("__builtin_") else None


HARMLESS = (
    "takt_work",
    "takt_now",
    "takt_log_",
    "takt_state_",
    "takt_task_running",
    "takt_job_release_ns",
    "takt_job_deadline_ns",
    "takt_mutex_unlock",
    "takt_ceiling_unlock",
    "takt_hint_next",
)
"""Beginnings of the names of calls for which no task can wait."""


def serves(name: str, call: Call) -> bool:
    """Whether another task may wait for this call, which itself may wait."""
    return blocks(call) or call.role is Role.TRY or (name.startswith("takt_") and not name.startswith(HARMLESS))


def blocks(call: Call) -> bool:
    """Whether the task may wait in it."""
    return call.role in (Role.WAIT, Role.DEAF, Role.LOCK)

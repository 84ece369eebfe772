# SPDX-License-Identifier: Apache-2.0
"""The reaction to a missed deadline, `on_miss`, and the handler of "notify": checks and generated C."""

from __future__ import annotations

from collections.abc import Iterator

from takt.declare.schema.model import System, Task
from takt.declare.schema.reader import Document
from takt.declare.schema.service import u64

PARAMETER = "struct takt_task *task"


def watched(task: Task) -> bool:
    """Whether the kernel arms a timer for the deadline of each job."""
    return task.separation_ns is not None and task.on_miss in ("stop", "notify")


def check(document: Document, system: System) -> None:
    """UserError: on_miss = "notify" without its handler and the handler's wcet, or these keys without it."""
    for index, task in enumerate(system.tasks):
        if task.separation_ns is None:
            continue
        label = f'[[task]] "{task.name}"'
        notify = task.on_miss == "notify"
        if notify and task.miss_handler is None:
            problem = f'{label}: on_miss = "notify" needs a miss_handler'
            hint = f'miss_handler = "{task.name}_missed" and its miss_wcet, or on_miss = "continue"'
            document.fail(("task", index, "on_miss"), problem, hint)
        elif notify and task.miss_wcet_ns == 0:
            problem = f'{label}: "miss_wcet" is missing'
            document.fail(("task", index, "miss_handler"), problem, "the longest execution of its miss_handler")
        for key, there in (("miss_handler", task.miss_handler is not None), ("miss_wcet", task.miss_wcet_ns > 0)):
            if there and not notify:
                problem = f'{label}: {key} requires on_miss = "notify", not "{task.on_miss}"'
                document.fail(("task", index, key), problem, f'on_miss = "notify", or remove {key}')


def functions(system: System) -> Iterator[tuple[int, str, str, str | None, str]]:
    """Index of the task, key, name, handler or None, and the handler's parameters."""
    for index, task in enumerate(system.tasks):
        yield index, "miss_handler", task.name, task.miss_handler, PARAMETER


def prototypes(system: System) -> Iterator[str]:
    """Prototypes of the handlers that the application defines."""
    for handler in dict.fromkeys(task.miss_handler for task in system.tasks):
        if handler is not None:
            yield f"void {handler}({PARAMETER});"


def definitions(task: Task, charged: bool) -> Iterator[str]:
    """Definitions for system.c. `charged`: the handler takes no virtual time itself, so its wcet is charged."""
    if watched(task):
        yield f"static struct takt_deadline_timer takti_deadline_{task.name};"
    if task.miss_handler is not None:
        yield f"static void takti_miss_{task.name}({PARAMETER})\n{{"
        if charged:
            yield f"    takt_work({u64(task.miss_wcet_ns)});"
        yield f"    {task.miss_handler}(task);\n}}\n"


def fields(task: Task) -> Iterator[str]:
    """Fields of the task's takt_task_config."""
    yield f".on_miss = TAKT_MISS_{task.on_miss.upper()}"
    if watched(task):
        yield f".deadline_timer = &takti_deadline_{task.name}"
    if task.miss_handler is not None:
        yield f".miss_hook = takti_miss_{task.name}"

# SPDX-License-Identifier: Apache-2.0
"""The kernels of benchmarks/rtm: what each finds tasks with, and which of its functions belong to which category."""

from __future__ import annotations

import bisect
import re
from pathlib import Path

from takt.image import functions as image_functions
from takt.observe import cycles
from takt.support.files import read_text

KINDS = ("software", "manager")
KINDS_OF = {"classic": KINDS, "nos": KINDS, "freertos": KINDS, "takt": KINDS}
KERNELS = tuple(KINDS_OF)
SEED = ("classic", "nos")  # those that seed 001 has
CLASSIC = (*SEED, "freertos")  # on the task manager in classic mode

# By kernel and category: functions, those of both kinds.
CATEGORIES: dict[str, dict[str, tuple[str, ...]]] = {
    "classic": {
        "timer interrupt": ("rtm_vectors", "classic_timer_entry", "classic_timer"),
        "tick": ("classic_tick",),
        "scheduling": ("classic_first", "classic_interrupt_exit", "classic_schedule", "classic_switch"),
        "ipc": ("kernel_semaphore_wait", "kernel_semaphore_post", "kernel_signal", "classic_wait", "classic_release"),
        "other": ("classic_delay", "classic_sleep", "classic_external_entry", "classic_external", "task_main"),
    },
    "nos": {
        "timer interrupt": ("rtm_vectors", "nos_timer_entry"),
        "tick": ("nos_tick",),
        "release": ("nos_release",),
        "scheduling": ("nos_schedule",),
        "polling": ("nos_loop", "nos_take"),
        "other": ("nos_external_entry", "kernel_signal", "kernel_semaphore_wait", "kernel_semaphore_post"),
    },
    "freertos": {
        "timer interrupt": ("rtm_vectors", "freertos_risc_v_mtimer_interrupt_handler", "exit_without_context_switch"),
        "tick": ("xTaskIncrementTick", "vApplicationTickHook"),
        "scheduling": ("freertos_risc_v_exception_handler", "vTaskSwitchContext"),
        "ipc": (
            "kernel_semaphore_wait",
            "kernel_semaphore_post",
            "kernel_signal",
            "xQueueSemaphoreTake",
            "xQueueGenericSend",
            "xQueueGiveFromISR",
            "prvCopyDataToQueue",
            "prvUnlockQueue",
            "vTaskPlaceOnEventList",
            "xTaskRemoveFromEventList",
            "xTaskCheckForTimeOut",
            "vTaskInternalSetTimeOutState",
            "vTaskMissedYield",
        ),
        "other": (
            "freertos_risc_v_interrupt_handler",
            "freertos_risc_v_application_interrupt_handler",
            "task_main",
            "xTaskDelayUntil",
            "xTaskGetTickCount",
            "prvAddCurrentTaskToDelayedList",
            "prvResetNextTaskUnblockTime",
            "vListInsert",
            "vListInsertEnd",
            "uxListRemove",
            "vTaskSuspendAll",
            "xTaskResumeAll",
        ),
    },
    "takt": {
        "timer interrupt": ("takt_rv32_vectors", "timer_taken", "takt_rv32_idle_timer", "trap_leave"),
        "jobs": (  # from an expiry to the end of the job that it releases
            "takti_timer_interrupt",
            "takti_timers_serve",
            "serve",
            "serve_due",
            "takti_timers_take",
            "take_due",
            "take_unselected",
            "take_record",
            "takti_came",
            "takti_settle",
            "takti_settle_quiet",
            "takti_rtm_find_quiet",
            "takti_timers_first_ns",
            "collect",
            "takti_timer_arm",
            "arm_with_record",
            "arm_loudly",
            "takti_timer_remove",
            "expect",
            "within_horizon",
            "record_of",
            "takt_port_timer_set",
            "takt_port_now_ns",
            "takti_job_release_due",
            "takti_job_released",
            "release_of",
            "job_begin",
            "takti_job_end",
            "count_miss",
            "takt_job_wait",
            "job_wait_slow_path",
            "takti_task_main",
        ),
        "scheduling": (
            "takti_ready_insert",
            "takti_ready_add",
            "add_with_record",
            "takti_rtm_insert",
            "takti_ready_remove",
            "takti_ready_first",
            "takti_rtm_first_of",
            "behind_expiries",
            "takti_ready_general",
            "takti_reschedule",
            "reschedule",
            "takti_switch_later",
            "takt_port_switch",
            "takt_rv32_resume",
        ),
        "ipc": (
            "kernel_semaphore_wait",
            "kernel_semaphore_post",
            "kernel_signal",
            "takt_semaphore_wait",
            "takt_semaphore_post",
            "post_slow_path",
            "post_no_waiter",
            "takti_wait",
            "takti_wait_until",
            "wait_general",
            "takti_wait_insert",
            "takti_wait_remove",
            "takti_wait_leave",
            "takti_wake",
            "takti_wake_slow_path",
        ),
        "other": (
            "external_taken",
            "takt_rv32_idle_external",
            "takt_rv32_external_interrupt",
            "takt_rv32_nested_external",
            "takt_rv32_nested_software",
            "task_job",
            "task_loop",
        ),
    },
}

# Functions that no job waits for, and those that run before the first task.
IDLE = {
    "classic": ("idle_main",),
    "nos": (),
    "freertos": ("prvIdleTask", "prvCheckTasksWaitingTermination", "vApplicationIdleHook"),
    "takt": ("takti_idle", "takt_hook_idle"),
}
START = {
    "classic": ("classic_ready", "__ctzsi2", "kernel_create", "kernel_start", "first_task"),
    "nos": ("kernel_create", "kernel_start"),
    "freertos": (
        "kernel_create",
        "kernel_start",
        "xTaskCreateStatic",
        "xQueueCreateCountingSemaphoreStatic",
        "xQueueGenericReset",
        "vListInitialise",
        "vListInitialiseItem",
        "pxPortInitialiseStack",
        "chip_specific_stack_frame",
        "vTaskStartScheduler",
        "xPortStartScheduler",
        "xPortStartFirstTask",
        "vPortSetupTimerInterrupt",
    ),
    "takt": (
        "kernel_create",
        "kernel_start",
        "init",
        "takt_start",
        "takt_semaphore_init",
        "takti_task_start",
        "takti_engine_init",
        "takti_timers_program",
        "takt_port_irq_attach",
        "takt_port_init",
        "takt_port_start",
        "takt_port_context_init",
        "context_enter",
        "context_begin",
        "idle_entry",
        "takt_rv32_clock_start",
    ),
}

# What is linked, but not for this workload: faults, mutexes, what stops tasks, sporadic jobs. If it runs, it is counted
# nowhere, which a test sees.
OTHER_CASES = {
    "classic": (),
    "nos": (),
    "freertos": (
        "freertos_risc_v_application_exception_handler",
        "other_exception",
        "uxTaskGetNumberOfTasks",
        "xTaskPriorityInherit",
        "xTaskPriorityDisinherit",
        "vTaskPriorityDisinheritAfterTimeout",
        "pvTaskIncrementMutexHeldCount",
    ),
    "takt": (
        "software_taken",
        "takt_rv32_software_interrupt",
        "fault_taken",
        "takt_rv32_fault",
        "fault_raise",
        "takt_fault_raise",
        "takt_fault_raise_exception",
        "drop_releases",
        "takti_job_abandon",
        "takti_job_arrive",
        "takti_job_deadline_due",
        "takti_task_stop",
        "takt_task_stop",
        "takti_task_end",
        "key_apply",
        "takti_key_update",
        "takti_mutex_left",
        "takti_take_back",
        "takti_handed_lock",
        "takti_hand_first",
        "takti_semaphore_give_back",
        "wait_for_signal",
        "count_on",
        "__udivdi3",
    ),
}

# Objects of the workload, the board and the C library, which no kernel calls once tasks run.
NOT_KERNEL = re.compile(
    r"/(workload|arrivals)\.c\.|lib(codecs|foreign|c)\.a|board/start\.c\.|/emulated/|/riscv/startup\.c\."
    r"|board\.dir/(.*/)?(board|devices)\.c\.|ports/rv32/memory\.c\."
)
_SECTION = re.compile(r"^ \.(?:text|reset)\S*\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S+)$", re.MULTILINE)


def function_of(name: str) -> str:
    """A function that the compiler made another of is that function."""
    return name.split(".", maxsplit=1)[0]


def categories(kernel: str, counted: cycles.Cycles) -> dict[str, int]:
    """Cycles by category."""
    found = dict.fromkeys(CATEGORIES[kernel], 0)
    names = {name: category for category, some in CATEGORIES[kernel].items() for name in some}
    for one in counted.functions:
        category = names.get(function_of(one.name))
        if category is not None:
            found[category] += one.cycles
    return found


def functions(image: Path) -> set[str]:
    """Those of the kernel that are linked, by the linker's map."""
    some = _SECTION.findall(read_text(image.with_suffix(".map")))
    sections = sorted((int(start, 16), int(size, 16), path) for start, size, path in some)
    starts = [start for start, _, _ in sections]
    found = set()
    for one in image_functions.of_image(image):
        start, size, path = sections[max(bisect.bisect_right(starts, one.start) - 1, 0)]
        if not (start <= one.start < start + size and NOT_KERNEL.search(path)):
            found.add(one.name)
    return found


def unknown(kernel: str, image: Path) -> set[str]:
    """Functions of the kernel that are in no category, neither idle nor before the tasks."""
    known = {name for some in CATEGORIES[kernel].values() for name in some} | {*IDLE[kernel], *START[kernel]}
    return {name for name in functions(image) if function_of(name) not in known}


def uncounted(kernel: str, counted: cycles.Cycles, image: Path) -> dict[str, int]:
    """Cycles of such functions: there are none."""
    strangers = unknown(kernel, image)
    return {one.name: one.cycles for one in counted.functions if one.name in strangers}

# SPDX-License-Identifier: Apache-2.0
"""ARCHITECTURE.md leads in two hops: words of a question to a row of Where to look with a file, and in it a name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| (?!subject|---)([^|]+) \| ([^|]+) \|$", re.MULTILINE)
CELL = re.compile(r"`([^`]+)`(?: \(((?:`[^`]+`(?:, )?)+)\))?")
ROWS_MAX, ROW_MAX = 100, 330  # one page, of short rows

# Words of a question, the file that its row leads to, and the name to look for in it.
LOOKUPS = (
    # those of the acceptance
    ("task state", "kernel/include/takt/task.h", "struct takt_task"),
    ("decides next task", "kernel/engine/engine.h", "takti_ready_first"),
    ("post reaches waiter", "kernel/sync/semaphore.c", "takt_semaphore_post"),
    ("deadline miss noticed", "kernel/jobs/job.c", "takti_job_deadline_due"),
    ("key added system.toml", "tools/takt/declare/tables.py", "TASK"),
    ("response time fixed band", "analysis/src/fixed.c", "takta_fixed_worst"),
    ("board must bring", "runner/include/takt/board.h", "takt_board_exit"),
    ("fault process handled", "kernel/process/restart.c", "takti_process_end"),
    ("picture report drawn", "tools/takt/report/assets/timeline.js", 'getContext("2d")'),
    ("packet checked", "reflect/core/src/node.c", "takt_node_receive"),
    # others
    ("can frame bits", "net/can/src/parser.c", "takt_can_parser_take"),
    ("long can frame bus", "net/can/src/length.c", "takt_can_length_max"),
    ("priority inheritance", "kernel/sync/inherit.c", "takti_key_update"),
    ("timer armed", "kernel/engine/queues/timers.c", "takti_timer_arm"),
    ("trace record write", "kernel/observe/trace.c", "takti_trace_write"),
    ("command option", "tools/takt/support/options.py", "proof_options"),
    ("board clock", "chips/mps2/clock.c", "takt_port_now_ns"),
    ("linker script", "tools/takt/image/link_script.py", "script"),
    ("budgets enforced", "kernel/jobs/budget.c", "takti_budget_due"),
    ("error codes", "base/status.h", "enum takt_status"),
    ("replay trace", "tools/takt/trace/replay.py", "class Replay"),
    ("mutants run", "tools/takt/dev/mutants.py", "run"),
    ("restart process", "kernel/process/restart.c", "takti_process_step"),
    ("admission task run time", "kernel/jobs/admission.c", "takti_admission_add"),
    ("state message copies", "tools/takt/declare/service_kinds/state_copies.py", "needs"),
    ("packets sealed", "reflect/core/src/seal.c", "takt_seal_close"),
    ("context switch", "kernel/core/dispatch.c", "takti_switch_prepare"),
    ("critical section lock", "kernel/port.h", "takt_port_lock"),
    ("idle task", "kernel/core/start.c", "idle_entry"),
    ("interrupt enter|interrupts entry", "kernel/core/interrupt.c", "takt_interrupt_enter"),
    ("stack task needs", "tools/takt/image/stack_bounds.py", "bounds"),
    ("tables generated", "tools/takt/image/tables/generate.py", "generate"),
    ("software timer", "kernel/time/alarm.c", "takt_alarm_start"),
    ("memory protection", "ports/armv7m/map.c", "takt_port_map_make"),
    ("system call number", "kernel/process/calls.h", ""),
    ("main function", "runner/main.c", "main"),
    ("run starts", "runner/run.c", "takt_run_start"),
    ("serial port", "chips/emulated/emulated.h", "takt_chip_options_read"),
    ("run stayed within proof", "tools/takt/observe/outcome.py", "observe"),
    ("bands chosen", "tools/takt/prove/choose.py", "choose"),
    ("overheads proof", "tools/takt/prove/overheads.py", "class Measured"),
    ("delay", "kernel/time/timer.c", "takt_delay"),
    ("kind of service added", "tools/takt/declare/service_table.py", "SERVICES"),
    ("ring", "kernel/include/takt/ring.h", "takt_ring_put"),
    ("number layout both", "tools/takt/dev/c_modules.py", "MODULES"),
    # as an engineer asks who knows another kernel
    ("context switch port|switch assembler", "ports/armv7m/context.c", "takt_armv7m_pendsv"),
    ("hardware timer programmed", "chips/mps2/clock.c", "takt_port_timer_set"),
    ("rights call checked", "kernel/process/check.h", "takti_object"),
    ("system call trap", "ports/armv7m/protected.c", "takt_armv7m_svc"),
    ("mutex lock", "kernel/sync/mutex.c", "takt_mutex_lock"),
    ("deadlock", "tools/takt/declare/lock_order.py", "cycle"),
    ("round robin|time slices", "kernel/core/dispatch.c", "slice_switch"),
    ("stack bound", "tools/takt/image/stack_bounds.py", "bounds"),
    ("scheduler chosen", "tools/takt/prove/choose.py", "choose"),
    ("json document", "docs/json.md", ""),
    ("message bad input", "tools/takt/support/errors.py", "class UserError"),
    ("packages install", "tools/takt/support/provision.py", "require"),
    ("wcet measured", "tools/takt/observe/measure.py", "suggestions"),
    ("perfetto", "tools/takt/report/perfetto.py", "export"),
    ("fault record", "tools/takt/observe/fault.py", "find"),
    ("console", "chips/emulated/emulated.h", "takt_chip_options_read"),
    ("goldens", "tests/goldens/test_kernel.py", ""),
    ("overheads measured", "tools/takt/bench/overheads.py", ""),
    ("channels admission", "reflect/core/src/admit/admit.c", "takt_admit"),
)


def text() -> str:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    return page[page.index("## Where to look") :]


def rows() -> list[tuple[str, str]]:
    return ROW.findall(text())


def cells(answer: str) -> Iterator[tuple[str, list[str]]]:
    """The paths of a row from the root, each with the names to look for. A name alone is in the folder of the path
    before it."""
    folder = ""
    for name, found in CELL.findall(answer):
        names = re.findall(r"`([^`]+)`", found)
        if "/" in name and " " not in name and not name.startswith("."):
            folder = name if name.endswith("/") else f"{name.rpartition('/')[0]}/"
            yield name, names
        elif re.fullmatch(r"\w+\.\w+", name):
            yield folder + name, names


def in_words(words: str, subject: str) -> bool:
    """Whether a subject has all words of a question, in any form of them: those of "a|b" are two questions."""
    return any(
        all(re.search(rf"\b{re.escape(word)}", subject, re.IGNORECASE) for word in one.split())
        for one in words.split("|")
    )


@pytest.mark.parametrize(("words", "file", "name"), LOOKUPS)
def test_two_hops(words: str, file: str, name: str) -> None:
    """At most three rows have the words of the question, so the one is found; it leads to the file and the name."""
    found = [(subject, answer) for subject, answer in rows() if in_words(words, subject)]
    assert 1 <= len(found) <= 3, found
    led = {path: names for _, answer in found for path, names in cells(answer)}
    assert file in led
    assert name in (led[file] if name else [name])
    assert name in (ROOT / file).read_text(encoding="utf-8")


def test_every_path_and_name_of_the_table_is_there() -> None:
    pairs = [pair for _, answer in rows() for pair in cells(answer)]
    assert len(pairs) > 120
    assert [path for path, _ in pairs if not (ROOT / path).exists()] == []
    lost = [
        (path, name) for path, names in pairs for name in names if name not in (ROOT / path).read_text(encoding="utf-8")
    ]
    assert lost == []


def test_rows_are_short_and_each_leads_somewhere() -> None:
    assert len(rows()) <= ROWS_MAX
    assert [subject for subject, answer in rows() if not list(cells(answer))] == []
    assert [subject for subject, answer in rows() if len(f"| {subject} | {answer} |") > ROW_MAX] == []

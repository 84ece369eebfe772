# SPDX-License-Identifier: Apache-2.0
"""The generated tables of what tasks share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tables import COMPILERS, compile_tables, config, tables
from takt.declare import declaration
from takt.declare.schema.model import System
from takt.image.tables import generate

SERVICES = """
[[task]]
name = "control"
period = "20 ms"
wcet = "2 ms"

[[task]]
name = "blink"
min_interarrival = "40 ms"
wcet = "1 ms"
trigger = "alarm lamp"

[[state]]
name = "pose"
message_size = 24
depth = 4
writer = "control"

[[ring]]
name = "samples"
item_size = 8
capacity = 16
writer = "blink"
reader = "control"

[[events]]
name = "flags"

[[pool]]
name = "blocks"
block_size = 32
count = 8

[[alarm]]
name = "lamp"
period = "50 ms"
start = "5 ms"

[[alarm]]
name = "once"
min_interarrival = "10 ms"
handler = "once_came"
wcet = "20 us"

[[watchdog]]
name = "guard"
task = "control"
time = "50 ms"
action = "restart"

[[watchdog]]
name = "other"
task = "blink"
time = "90 ms"
action = "notify"
handler = "blink_late"
wcet = "10 us"
"""


MORE_SERVICES = """
[[task]]
name = "control"
period = "20 ms"
wcet = "2 ms"

[[task]]
name = "lower"
period = "40 ms"
wcet = "2 ms"

[[task]]
name = "keeper"
min_interarrival = "50 ms"
wcet = "100 us"
trigger = "alarm_queue house"

[[mutex]]
name = "shared"
users = [{task = "control", hold = "50 us"}]

[[slot]]
name = "orders"
owner = "lower"
message_size = 12
capacity = 5
order = "priority"
important = 3
pinc = ["control", "lower"]

[[signal_pool]]
name = "turns"
data_size = 6
count = 7

[[signal_queue]]
name = "inbox"
owner = "lower"

[[pipe]]
name = "stream"
capacity = 100

[[priority_mailbox]]
name = "wishes"
message_size = 8
capacity = 4
handler = "wish_came"
wcet = "5 us"

[[condition]]
name = "changed"
mutex = "shared"

[[rendezvous]]
name = "meeting"

[[alarm_queue]]
name = "house"

[[alarm]]
name = "lamp"
period = "50 ms"
start = "5 ms"
handler = "lamp_came"
wcet = "20 us"
queue = "house"

[[mailbox]]
name = "letters"
type = "double"
capacity = 3
"""


@pytest.fixture
def more_services(application: Callable[..., Path]) -> System:
    return declaration.load(application(MORE_SERVICES, app_dot_c="/* nothing */\n") / "system.toml")


def test_more_services(more_services: System, tmp_path: Path) -> None:
    source = tables(more_services, tmp_path)
    header = (tmp_path / "takt_app.h").read_text(encoding="utf-8")
    for text in (
        "takti_storage_orders[TAKT_SLOT_BYTES(12, 5)]",
        "takti_pinc_orders[] = {0, 1};",
        "TAKT_SLOT_INHERITANCE_DEFINE(takti_inheritance_orders, takti_pinc_orders, 2);",
        ".important = UINT32_C(3),",
        ".by_priority = true,",
        "TAKT_SLOT_DEFINE(orders, &takti_slot_orders);",
        "TAKT_SIGNAL_POOL_DEFINE(turns, takti_storage_turns, 6, 7);",
        "TAKT_SIGNAL_QUEUE_DEFINE(inbox, 5, &takt_tasks[1]);",
        "TAKT_PIPE_DEFINE(stream, 6, takti_storage_stream, 100);",
        "TAKT_PRIORITY_MAILBOX_DEFINE(wishes, 7, takti_storage_wishes, 8, 4, takti_arrival_wishes);",
        "TAKT_CONDITION_DEFINE(changed, 8);",
        "TAKT_RENDEZVOUS_DEFINE(meeting, 9);",
        "static TAKT_SEMAPHORE_TRIGGER_DEFINE(takti_came_house, 10, &takt_tasks[2]);",
        "TAKT_ALARM_QUEUE_DEFINE(house, &takti_came_house);",
        "TAKT_ALARM_QUEUED_DEFINE(lamp, 2, takti_alarm_lamp, UINT64_C(50000000), &house);",
        "TAKT_MAILBOX_DEFINE(letters, 1, takti_storage_letters, sizeof(double), 3);",
    ):
        assert text in source
    assert config(source, 2)["entry"] == "takti_serve_house"
    assert config(source, 2)["argument"] == "NULL"
    for text in (
        "extern struct takt_signal_queue inbox;",
        "#define SIZE_orders 12u",
        "#define SIZE_letters sizeof(double)",
        "void wish_came(const void *message);",
        "letters_try_send(const double *message)",
        "return takt_condition_wait(&changed, &shared);",
        "TAKT_ASSERT(takt_task_running() == TASK_lower);",
    ):
        assert text in header
    assert "orders_take" not in header  # bytes have no type


def test_what_the_kernel_locks_for_the_application_is_admitted_with(more_services: System, tmp_path: Path) -> None:
    source = tables(replace(more_services, runtime_tasks=1), tmp_path)
    assert ".lock_ns = UINT64_C(5000)," in source


@pytest.mark.parametrize("board", COMPILERS)
def test_more_services_compile_without_a_warning(more_services: System, tmp_path: Path, board: str) -> None:
    compile_tables(more_services, tmp_path, board)


@pytest.fixture
def services(application: Callable[..., Path]) -> System:
    return declaration.load(application(SERVICES, app_dot_c="/* nothing */\n") / "system.toml")


def test_services(services: System, tmp_path: Path) -> None:
    source = tables(services, tmp_path)
    header = (tmp_path / "takt_app.h").read_text(encoding="utf-8")
    for text in (
        "TAKT_STATE_DEFINE(pose, 24, 4);",
        "TAKT_RING_DEFINE(samples, 8, 16);",
        "TAKT_EVENTS_DEFINE(flags, 2);",
        "TAKT_POOL_DEFINE(blocks, 3, takti_storage_blocks, 32, 8);",
        "TAKT_ALARM_DEFINE(lamp, 4, takti_alarm_lamp, UINT64_C(50000000));",
        "TAKT_ALARM_DEFINE(once, 5, takti_alarm_once, UINT64_C(0));",
        "&takt_tasks[0], UINT64_C(50000000), TAKT_WATCHDOG_RESTART, NULL);",
        "&takt_tasks[1], UINT64_C(90000000), TAKT_WATCHDOG_NOTIFY, blink_late);",
        "takt_alarm_start(&lamp, UINT64_C(5000000));",
        "takt_watchdog_start(&guard);",
        "TAKT_TIMERS_DEFINE(takti_timers, 8);",
    ):
        assert text in source
    assert "takt_alarm_start(&once" not in source
    lamp, once = (source[source.index(f"takti_alarm_{name}(struct") :].split("}")[0] for name in ("lamp", "once"))
    assert "takt_job_release(&takt_tasks[1]);" in lamp
    assert once.index("takt_work(UINT64_C(20000));") < once.index("once_came(alarm);")
    for text in (
        "extern struct takt_state pose;",
        "#define SIZE_pose 24u",
        "#define SIZE_samples 8u",
        "void once_came(struct takt_alarm *alarm);",
        "void blink_late(struct takt_watchdog *watchdog);",
    ):
        assert text in header
    assert generate.object_ids(services)["other"] == 7


@pytest.mark.parametrize("board", COMPILERS)
def test_services_compile_without_a_warning(services: System, tmp_path: Path, board: str) -> None:
    compile_tables(services, tmp_path, board)

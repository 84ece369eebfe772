# SPDX-License-Identifier: Apache-2.0
"""The bound on the messages that wait in an object that releases a task: against simulations, and what check says."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from takt.declare.queues import STEPS, Source, backlog

Declare = Callable[[str], Path]
SIMULATIONS = 400


@pytest.fixture
def declare(tmp_path: Path) -> Declare:
    """Writes a system.toml."""

    def write(text: str) -> Path:
        path = tmp_path / "system.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def arrivals(sources: list[Source], chance: random.Random, end_ns: int) -> list[int]:
    """Messages as the sources may send them: in bursts, or anywhere between arrival and completion of a job."""
    found = []
    for one in sources:
        at_ns = chance.choice((0, chance.randrange(one.period_ns)))
        while at_ns < end_ns:
            late_ns = one.within_ns if chance.random() < 0.3 else chance.randrange(one.within_ns + 1)
            found += [at_ns + late_ns] * one.messages
            at_ns += one.period_ns + (chance.randrange(one.period_ns) if chance.random() < 0.1 else 0)
    return sorted(found)


def waiting(came: list[int], apart_ns: int, within_ns: int, chance: random.Random) -> tuple[int, int]:
    """The most messages, and the most releases, that wait when each job receives one at its end."""
    released, received = [], []
    last = -apart_ns
    for at_ns in came:
        last = max(at_ns, last + apart_ns)
        released.append(last)
        received.append(last + (within_ns if chance.random() < 0.7 else chance.randrange(within_ns + 1)))
    received.sort()
    most = pending = 0
    for number, at_ns in enumerate(came):
        most = max(most, number + 1 - sum(one < at_ns for one in received))
        pending = max(pending, number + 1 - sum(one < at_ns or (one == at_ns and came[index] == at_ns)
                                                for index, one in enumerate(released[: number + 1])))  # fmt: skip
    return most, pending


def test_no_simulation_exceeds_the_bound() -> None:
    """And several reach it: it is tight."""
    chance, reached = random.Random(29), 0
    for _ in range(SIMULATIONS):
        apart_ns = chance.randrange(2, 12)
        within_ns = chance.randrange(1, apart_ns + 1)
        sources = [
            Source(chance.randrange(1, 4), period_ns, chance.randrange(0, period_ns))
            for period_ns in (chance.randrange(8, 60) for _ in range(chance.randrange(1, 4)))
        ]
        if sum(one.messages / one.period_ns for one in sources) > 1 / apart_ns:
            continue
        bound = backlog(sources, apart_ns, within_ns)
        pending = min(bound, backlog(sources, apart_ns, 0, ahead=1) - 1)
        most = waits = 0
        for _ in range(20):
            came = arrivals(sources, chance, 40 * apart_ns)
            seen, waited = waiting(came, apart_ns, within_ns, chance)
            most, waits = max(most, seen), max(waits, waited)
        assert most <= bound, (sources, apart_ns, within_ns)
        assert waits <= pending, (sources, apart_ns, within_ns)
        reached += most == bound
    assert reached > SIMULATIONS // 10


def brute(sources: list[Source], apart_ns: int, within_ns: int, end_ns: int) -> int:
    """The maximum of its definition, over every span."""
    return max(
        sum(one.most(span_ns) for one in sources) - max(0, (span_ns - within_ns - 1) // apart_ns + 1)
        for span_ns in range(end_ns)
    )


def test_the_maximum_is_found() -> None:
    """Also where messages come as fast as they are received, and the last step counts."""
    chance = random.Random(31)
    for _ in range(300):
        apart_ns = chance.randrange(1, 9)
        sources = [Source(1, apart_ns * 2, chance.randrange(30)), Source(1, apart_ns * 2, chance.randrange(30))]
        if chance.random() < 0.5:
            sources = [Source(chance.randrange(1, 3), chance.randrange(20, 40), chance.randrange(40)) for _ in range(2)]
        if sum(one.messages / one.period_ns for one in sources) > 1 / apart_ns:
            continue
        within_ns = chance.randrange(1, 20)
        assert backlog(sources, apart_ns, within_ns) == brute(sources, apart_ns, within_ns, 4000)


def test_many_steps_end_with_a_bound_that_is_no_less() -> None:
    """Periods without a common multiple, as fast as they are received."""
    primes = [Source(1, 1_000_003, 900_000), Source(1, 1_000_000 * 1_000_003 // 3, 0)]
    bound = backlog(primes, 1_000_003 * 1_000_000 // 1_000_003, 10)
    assert bound >= 2
    assert STEPS < 10**6


TWO = """
[[task]]
name = "a"
period = "10 ms"
wcet = "1 ms"
[[task]]
name = "b"
period = "20 ms"
wcet = "2 ms"
[[task]]
name = "handler"
min_interarrival = "4 ms"
wcet = "500 us"
trigger = "{kind} orders"
pending_max = {pending_max}
[[{kind}]]
name = "orders"
message_size = 8
capacity = {capacity}
"""
SENDERS = 'senders = [{ task = "a" }, { task = "b", messages = 2 }]\n'
KINDS = ("mailbox", "priority_mailbox")


def text(kind: str = "mailbox", capacity: int = 3, pending_max: int = 2, senders: str = SENDERS) -> str:
    return TWO.format(kind=kind, capacity=capacity, pending_max=pending_max) + senders


@pytest.mark.parametrize("kind", KINDS)
def test_check_proves_the_queue(takt: Takt, declare: Declare, kind: str) -> None:
    said = takt("check", declare(text(kind)), "--board", "host")
    assert said.code == 0
    assert f"{kind} orders: releases handler; at most 3 of 3 messages wait, and 2 of 2 releases" in said.out


@pytest.mark.parametrize("kind", KINDS)
def test_too_small_a_capacity_is_refuted(takt: Takt, declare: Declare, kind: str) -> None:
    said = takt("check", declare(text(kind, capacity=2)), "--board", "host")
    assert said.code == 1
    reason = f"every deadline holds, but {kind} orders: up to 3 messages wait, and its capacity is 2"
    assert f"Refuted: {reason}.\nEnough for what waits: capacity = 3.\n" in said.out
    document = json.loads(takt("check", declare(text(kind, capacity=2)), "--board", "host", "--json").out)
    assert (document["feasible"], document["verdict"], document["reason"]) == (False, "infeasible", reason)
    assert document["changes"] == []
    [queue] = document["queues"]
    assert (queue["messages"], queue["pending"], queue["enough"], queue["reason"]) == (3, 2, False, None)


def test_too_few_releases_that_may_wait_are_refuted(takt: Takt, declare: Declare) -> None:
    said = takt("check", declare(text(pending_max=1)), "--board", "host")
    assert said.code == 1
    assert (
        "up to 2 releases of handler wait, and its pending_max is 1.\nEnough for what waits: pending_max = 2"
        in said.out
    )


def test_a_burst_of_the_sender_comes_at_once(takt: Takt, declare: Declare) -> None:
    """Three jobs of c, with a message each, at any time."""
    of = '[[task]]\nname = "c"\nmin_interarrival = "50 ms"\nburst = 3\npending_max = 3\nwcet = "100 us"\n'
    of += text(senders='senders = [{ task = "c" }]\n')
    said = takt("check", declare(of), "--board", "host")
    assert said.code == 0
    assert "mailbox orders: releases handler; at most 3 of 3 messages wait, and 2 of 2 releases" in said.out


def test_messages_faster_than_their_task_are_refuted(takt: Takt, declare: Declare) -> None:
    said = takt("check", declare(text(senders='senders = [{ task = "a", messages = 3 }]\n')), "--board", "host")
    assert said.code == 1
    reason = "messages come faster than handler receives them: its min_interarrival is 4 ms"
    assert f"mailbox orders: {reason}, and they come 3333.333 us apart on average" in said.out
    assert 'Enough for what waits: min_interarrival = "3333.333 us" of handler.' in said.out


def test_without_senders_the_queue_is_not_proved(takt: Takt, declare: Declare) -> None:
    said = takt("check", declare(text(senders="", capacity=1)), "--board", "host")
    assert said.code == 0
    assert "mailbox orders: releases handler; how many messages wait is not proved: no senders are declared" in said.out


def test_of_a_refuted_system_nothing_is_said_of_queues(takt: Takt, declare: Declare) -> None:
    late = text(capacity=1).replace('wcet = "2 ms"', 'wcet = "19 ms"')
    said = takt("check", declare(late), "--board", "host")
    assert said.code == 1
    assert "how many messages wait is not proved: its tasks are not proved" in said.out


def test_another_process_that_may_send_leaves_it_unproved(takt: Takt, declare: Declare) -> None:
    of = '[system]\nprotection = true\n[[process]]\nname = "p"\ntasks = ["a", "b", "handler"]\n'
    of += '[[process]]\nname = "q"\ntasks = ["other"]\ngives = ["orders"]\n'
    of += '[[task]]\nname = "other"\nperiod = "50 ms"\nwcet = "1 ms"\n'
    said = takt("check", declare(of + text()), "--board", "host")
    assert said.code == 0
    assert 'not proved: process "q" may send too, and no task of it is among the senders' in said.out


def test_an_interrupt_sends_within_what_is_above_it(takt: Takt, declare: Declare) -> None:
    """It is no later than a locked section and other interrupts, not by a whole period."""
    of = text(senders='senders = [{ task = "line" }]\n', capacity=1, pending_max=1)
    of += '[[interrupt]]\nname = "line"\nnumber = 2\nmin_interarrival = "4 ms"\nwcet = "20 us"\n'
    said = takt("check", declare(of), "--board", "mps2-an385")
    assert said.code == 0
    assert "at most 1 of 1 messages wait, and 1 of 1 releases" in said.out


POSTS = TWO.replace("message_size = 8\ncapacity = {capacity}\n", "").format(
    kind="semaphore", pending_max="PENDING", capacity=""
)
POSTED = 'senders = [{ task = "a" }, { task = "b", posts = 2 }]\n'


def test_posts_of_a_semaphore_wait(takt: Takt, declare: Declare) -> None:
    """As the messages of a mailbox, of which it has no room to lose; without senders nothing is said."""
    said = takt("check", declare(POSTS.replace("PENDING", "2") + POSTED), "--board", "host")
    assert said.code == 0
    assert "semaphore orders: releases handler; at most 3 posts wait, and 2 of 2 releases" in said.out
    said = takt("check", declare(POSTS.replace("PENDING", "1") + POSTED), "--board", "host")
    assert said.code == 1
    assert "semaphore orders: up to 2 releases of handler wait, and its pending_max is 1" in said.out
    fast = POSTED.replace('{ task = "a" }', '{ task = "a", posts = 3 }')
    said = takt("check", declare(POSTS.replace("PENDING", "9") + fast), "--board", "host")
    assert (said.code, "posts come faster than handler receives them" in said.out) == (1, True)
    assert "semaphore orders: releases" not in takt("check", declare(POSTS.replace("PENDING", "1"))).out


PIPE = """
[[task]]
name = "a"
period = "10 ms"
wcet = "1 ms"
[[task]]
name = "handler"
min_interarrival = "20 ms"
deadline = "5 ms"
wcet = "500 us"
trigger = "pipe stream"
[[pipe]]
name = "stream"
capacity = 64
"""


def test_bytes_wait_for_the_next_release(takt: Takt, declare: Declare) -> None:
    """Jobs of a come 10 ms apart, within 1.5 ms: in 20.5 ms there are three."""
    said = takt("check", declare(PIPE + 'senders = [{ task = "a", bytes = 7 }]\n'), "--board", "host")
    assert said.code == 0
    assert "pipe stream: releases handler; at most 21 of 64 bytes wait\n" in said.out


def test_bytes_that_release_nothing_stay(takt: Takt, declare: Declare) -> None:
    of = PIPE + 'trigger_bytes = 5\nsenders = [{ task = "a", bytes = 21 }]\n'
    said = takt("check", declare(of), "--board", "host")
    assert said.code == 1
    assert (
        "pipe stream: up to 67 bytes wait, and its capacity is 64.\nEnough for what waits: capacity = 67." in said.out
    )


CALLS = """
[system]
scheduler = "{scheduler}"
[[task]]
name = "a"
period = "10 ms"
wcet = "1 ms"
suspension = "5 ms"
[[task]]
name = "handler"
min_interarrival = "4 ms"
wcet = "500 us"
pending_max = 4
trigger = "rendezvous meeting"
[[rendezvous]]
name = "meeting"
senders = [{{ task = "a", messages = 2 }}]
"""


def test_callers_wait(takt: Takt, declare: Declare) -> None:
    said = takt("check", declare(CALLS.format(scheduler="dm")), "--board", "host")
    assert said.code == 0
    assert "rendezvous meeting: releases handler; at most 1 message waits, and " in said.out


def test_calls_wait_in_a_cooperative_system_too(takt: Takt, declare: Declare) -> None:
    of = CALLS.format(scheduler="cooperative").replace('suspension = "5 ms"\n', "")
    said = takt("check", declare(of), "--board", "host")
    assert said.code == 2
    assert '[[rendezvous]] "meeting" blocks, but cooperative jobs run to their end' in said.err


def test_flags_release_one_job_at_a_time(takt: Takt, declare: Declare) -> None:
    of = PIPE[: PIPE.index("[[pipe]]")].replace("pipe stream", "events go") + '[[events]]\nname = "go"\n'
    document = json.loads(takt("check", declare(of), "--board", "host", "--json").out)
    [queue] = document["queues"]
    assert (queue["unit"], queue["messages"], queue["pending"], queue["enough"]) == ("releases", 1, 1, True)


ALARMED = """
[system]
board = "host"
[[task]]
name = "rx"
min_interarrival = "160 ms"
burst = 2
pending_max = {pending}
deadline = "20 ms"
wcet = "1 ms"
trigger = "mailbox queue"
[[task]]
name = "tx"
period = "200 ms"
wcet = "100 us"
[[mailbox]]
name = "queue"
message_size = 4
capacity = {capacity}
senders = [{{ task = "tx" }}, {{ task = "timer", messages = {messages} }}]
[[alarm]]
name = "timer"
period = "2 s"
handler = "came"
wcet = "50 us"
"""


def test_the_handler_of_an_alarm_sends(takt: Takt, declare: Declare) -> None:
    """In the timer's interrupt, late by what is above the bands at most: beside the task's message at the same time."""
    said = takt("check", declare(ALARMED.format(capacity=2, pending=2, messages=1)))
    assert (said.code, "at most 2 of 2 messages wait, and 2 of 2 releases" in said.out) == (0, True), said
    said = takt("check", declare(ALARMED.format(capacity=2, pending=2, messages=2)))
    assert (said.code, "mailbox queue: up to 3 messages wait" in said.out) == (1, True), said
    faster = ALARMED.format(capacity=2, pending=2, messages=1).replace('"2 s"', '"500 ms"')
    said = takt("check", declare(faster))
    assert (said.code, "messages come faster than rx receives them" in said.out) == (1, True), said

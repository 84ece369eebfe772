# SPDX-License-Identifier: Apache-2.0
"""queues/: messages that release tasks, held against the bound on what waits (takt.declare.queues)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt, documented, keys
from running import BOARDS, FIRST_MODE, FULL, HOST_AND_FIRST, SECOND_EMULATED, Run
from takt.declare.queues import Queue
from takt.observe.figures.queues import QueueFigures

FOLDER = Path(__file__).parent / "queues"
Edited = Callable[..., Path]
PENDING_1 = 'trigger = "priority_mailbox urgent"\npending_max = 1'
BOUNDS = {"urgent": 3, "orders": 2}


@pytest.mark.parametrize("board", HOST_AND_FIRST)
def test_every_queue_keeps_its_bound(run_json: Run, board: str) -> None:
    code, document = run_json(FOLDER, "--board", board)
    assert (code, document["breaches"], document["within_proof"]) == (0, [], True)
    queues = {queue["name"]: queue for queue in document["queues"]}
    assert {name: queue["bound"] for name, queue in queues.items()} == BOUNDS
    for queue in queues.values():
        assert 1 <= queue["messages_max"] <= queue["bound"] <= queue["capacity"]
        assert (queue["refused"], queue["lost"]) == (0, 0)
        assert queue["late"] >= 20  # the second message of each job of logger
    jobs = {task["name"]: task["jobs"] for task in document["tasks"]}
    assert (jobs["handler"], jobs["keeper"]) == (80, 40)  # one for each message
    assert {key for key in keys(document) if key.startswith("queues[].")} == {
        key for key in documented("run") if key.startswith("queues[].")
    }


@pytest.mark.parametrize("board", BOARDS if FULL else SECOND_EMULATED)
def test_in_processes(run_json: Run, board: str) -> None:
    """The senders have the right to send because `senders` names them, the others that to receive by `trigger`."""
    code, document = run_json(FOLDER, "--board", board, "--protection")
    assert (code, document["breaches"], document["failure"]) == (0, [], None)
    assert {queue["name"]: queue["bound"] for queue in document["queues"]} == BOUNDS
    assert all(0 < queue["messages_max"] <= queue["bound"] for queue in document["queues"])


TRIGGERS = {"flags": "releases", "stream": "bytes", "meeting": "messages", "inbox": "messages", "orders": "messages"}
JOBS = {"on_flags": 20, "on_bytes": 20, "on_call": 40, "on_signal": 40, "on_commit": 40}


@pytest.mark.parametrize("board", HOST_AND_FIRST)
def test_every_kind_releases_its_task(run_json: Run, board: str) -> None:
    """The jobs assert that what released them is there."""
    code, document = run_json(FOLDER.parent / "triggers", "--board", board)
    assert (code, document["breaches"], document["within_proof"]) == (0, [], True)
    jobs = {task["name"]: task["jobs"] for task in document["tasks"]}
    assert {name: jobs[name] for name in JOBS} == JOBS
    assert {queue["name"]: queue["unit"] for queue in document["queues"]} == TRIGGERS
    for queue in document["queues"]:
        assert (queue["refused"], queue["lost"]) == (0, 0)
        if queue["unit"] == "messages":
            assert (queue["left"], 1 <= queue["messages_max"] <= queue["bound"]) == (0, True)


@pytest.mark.parametrize("board", SECOND_EMULATED)
def test_every_kind_that_processes_have_does_so_in_them(run_json: Run, board: str) -> None:
    code, document = run_json(FOLDER.parent / "triggers_protected", "--board", board)
    assert (code, document["breaches"], document["failure"]) == (0, [], None)
    jobs = {task["name"]: task["jobs"] for task in document["tasks"]}
    assert {name: jobs[name] for name in JOBS} == JOBS


def test_without_sources_time_releases_what_nobody_sends_to(takt: Takt, run_json: Run, application: Edited) -> None:
    of = '[[task]]\nname = "h"\nmin_interarrival = "10 ms"\nwcet = "1 ms"\ntrigger = "mailbox m"\n'
    of += '[[mailbox]]\nname = "m"\nmessage_size = 4\ncapacity = 1\n'
    _, document = run_json(application(of), "--board", "host", "--duration", "100 ms")
    assert document["tasks"][0]["jobs"] == 10


@pytest.mark.parametrize("board", BOARDS if FULL else SECOND_EMULATED)
def test_messages_from_before_a_restart_release_their_task(run_json: Run, board: str) -> None:
    """While its process is stopped the mailboxes are filled; after that each message has a job again."""
    options = ("--board", board, "--protection", "--inject", "handler:assert@100ms")
    code, document = run_json(FOLDER, *options)
    assert (code, document["breaches"], len(document["faults"])) == (0, [], 1)
    assert [queue["left"] for queue in document["queues"]] == [0, 0]
    assert max(queue["messages_max"] for queue in document["queues"]) >= 2


@pytest.mark.parametrize("board", SECOND_EMULATED)
def test_signals_from_before_a_restart_release_their_task(run_json: Run, board: str) -> None:
    options = ("--board", board, "--inject", "on_signal:assert@100ms")
    code, document = run_json(FOLDER.parent / "triggers_protected", *options)
    assert (code, document["breaches"], len(document["faults"])) == (0, [], 1)
    for queue in (queue for queue in document["queues"] if queue["name"] in ("inbox", "orders")):
        assert (queue["left"], queue["refused"]) == (0, 0)
        assert queue["messages_max"] >= 2


TIMES_OUT = """/* SPDX-License-Identifier: Apache-2.0 */
#include "takt_app.h"

void call(void *argument)
{
    (void)argument;
    int value = 0;
    enum takt_status status = takt_rendezvous_call_until(&meeting, &value, sizeof value, takt_now() + TAKT_MS(2));
    TAKT_ASSERT(status == TAKT_TIMEOUT);
}

void late(void *argument)
{
    (void)argument; /* it accepts nothing */
}
"""


def test_a_call_that_times_out_waits_no_more(run_json: Run, application: Edited) -> None:
    of = '[[task]]\nname = "a"\nentry = "call"\nperiod = "10 ms"\nwcet = "1 ms"\nsuspension = "3 ms"\n'
    of += '[[task]]\nname = "h"\nentry = "late"\nmin_interarrival = "5 ms"\nwcet = "1 ms"\n'
    of += 'trigger = "rendezvous meeting"\n[[rendezvous]]\nname = "meeting"\n'
    _, document = run_json(application(of, app_dot_c=TIMES_OUT), "--board", "host", "--duration", "100 ms")
    [queue] = document["queues"]
    assert (queue["messages_max"], queue["left"], queue["refused"], queue["bound"]) == (1, 0, 10, None)


CANCELLED = (
    TIMES_OUT.replace("TAKT_TIMEOUT", "TAKT_CANCELLED").replace("TAKT_MS(2)", "TAKT_MS(9)")
    + """
void end(void *argument)
{
    (void)argument;
    TAKT_ASSERT(takt_task_cancel(TASK_a) == TAKT_OK);
}
"""
)


def test_a_call_that_is_cancelled_waits_no_more(run_json: Run, application: Edited) -> None:
    of = '[[task]]\nname = "a"\nentry = "call"\nperiod = "10 ms"\nwcet = "1 ms"\nsuspension = "6 ms"\n'
    of += '[[task]]\nname = "ends"\nentry = "end"\nperiod = "10 ms"\noffset = "5 ms"\nwcet = "1 ms"\n'
    of += '[[task]]\nname = "h"\nentry = "late"\nmin_interarrival = "5 ms"\nwcet = "1 ms"\n'
    of += 'trigger = "rendezvous meeting"\n[[rendezvous]]\nname = "meeting"\n'
    _, document = run_json(application(of, app_dot_c=CANCELLED), "--board", "host", "--duration", "100 ms")
    [queue] = document["queues"]
    assert (queue["messages_max"], queue["left"], queue["refused"], queue["bound"]) == (1, 0, 10, None)


def test_more_messages_than_declared_are_counted(takt: Takt, run_json: Run, edited: Edited) -> None:
    folder = edited(("senders.c", "ALARMS = 1", "ALARMS = 6"))
    code, document = run_json(folder)
    [urgent] = (queue for queue in document["queues"] if queue["name"] == "urgent")
    assert (code, document["within_proof"], urgent["messages_max"]) == (1, False, 3)
    assert urgent["refused"] > 0
    full = f"was full for {urgent['refused']} sends, its bound is 3"
    assert f"priority_mailbox urgent {full}" in document["breaches"]
    said = takt("run", folder)
    assert "3 of 3 messages waited at most (bound 3)" in said.out.replace("\n", " ")


def test_lost_releases_are_counted(run_json: Run, edited: Edited) -> None:
    """Nothing is promised of the queue then."""
    folder = edited(("system.toml", 'trigger = "priority_mailbox urgent"\npending_max = 3', PENDING_1))
    assert run_json(folder)[0] == 1  # refuted: not run
    code, document = run_json(folder, "--force")
    [urgent] = (queue for queue in document["queues"] if queue["name"] == "urgent")
    assert (code, urgent["bound"]) == (0, 3)
    assert urgent["lost"] > 0  # of the two messages of each job of logger one has a release that waits
    queue = Queue("mailbox", "m", "h", 3, 3, messages=3, pending=2)
    assert list(QueueFigures(queue, 0, 3, 0, 0, 9).breaches()) == []
    assert list(QueueFigures(queue, 2, 4, 0, 1, 9).breaches()) == [
        "mailbox m held 4 messages, its bound is 3",
        "mailbox m was full for 1 send, its bound is 3",
        "2 releases of h by mailbox m were lost",
    ]


def test_what_waited_is_not_known_without_a_trace(takt: Takt, run_json: Run, edited: Edited) -> None:
    folder = edited(("system.toml", 'board = "host"', 'board = "host"\npreset = "lean"'))
    code, document = run_json(folder)
    assert code == 0
    assert {(queue["messages_max"], queue["refused"], queue["late"]) for queue in document["queues"]} == {(None,) * 3}
    assert "(no trace: what waited is not known)" in takt("run", folder).out


POSTS = """
[system]
duration = "400 ms"
PROTECTION
[[task]]
name = "a"
entry = "post_twice"
period = "20 ms"
wcet = "1 ms"
[[task]]
name = "h"
entry = "served"
min_interarrival = "4 ms"
wcet = "500 us"
pending_max = 2
trigger = "semaphore knock"
[[semaphore]]
name = "knock"
senders = [{ task = "a", posts = 2 }]
[[process]]
name = "posts"
tasks = ["a"]
sources = ["posts.c"]
[[process]]
name = "serves"
tasks = ["h"]
sources = ["serves.c"]
"""
POSTING = """#include "takt_app.h"
void post_twice(void *argument)
{
    (void)argument;
    for (int post = 0; post < 2; post++) {
        (void)takt_semaphore_post(&knock);
    }
}
"""
SERVING = """#include "takt_app.h"
void served(void *argument)
{
    (void)argument;
}
"""


@pytest.mark.parametrize(("board", "protection"), FIRST_MODE)
def test_posts_keep_their_bound(run_json: Run, application: Edited, board: str, protection: bool) -> None:
    of = POSTS.replace("PROTECTION", f"protection = {str(protection and board != 'host').lower()}")
    folder = application(of, posts_dot_c=POSTING, serves_dot_c=SERVING)
    code, document = run_json(folder, "--board", board)
    assert (code, document["breaches"], document["within_proof"]) == (0, [], True)
    [queue] = document["queues"]
    assert (queue["unit"], queue["capacity"], queue["bound"], queue["left"]) == ("posts", None, 2, 0)
    assert queue["messages_max"] == 1  # the job of the first post is complete before the second comes
    assert (queue["late"] >= 19, queue["lost"]) == (True, 0)
    assert {task["name"]: task["jobs"] for task in document["tasks"]}["h"] >= 38


def test_posts_that_are_lost_are_counted(run_json: Run, application: Edited) -> None:
    """More posts than declared: their releases find no room."""
    of = POSTS.replace("PROTECTION", "").replace("pending_max = 2", "pending_max = 3")
    more = POSTING.replace("post < 2", "post < 6")
    code, document = run_json(application(of, posts_dot_c=more, serves_dot_c=SERVING), "--board", "host")
    [queue] = document["queues"]
    assert (code, document["within_proof"]) == (1, False)
    assert queue["lost"] > 0
    assert any("releases of h by semaphore knock were lost" in breach for breach in document["breaches"])

# SPDX-License-Identifier: Apache-2.0
"""chains/: reactions and ages of a run, beside a naive search in its trace; and by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from can_files import write
from command_line import Takt, documented, keys
from takt.declare import declaration
from takt.observe.figures.chains import ChainFigures, Follower
from takt.prove.proof import prove
from takt.support.c.traces import Event
from takt.trace import segments
from takt.trace.records import NONE, Entry

FOLDER = Path(__file__).parent / "chains"
MS = 1_000_000
Job = tuple[int, int, int]
"""When it was released, began and was complete."""


def jobs(entries: Sequence[Entry], task: int) -> list[Job]:
    """Those that are complete, each released when the one before it was."""
    found = []
    times = {
        event: [
            (number, entry.time_ns)
            for number, entry in enumerate(entries)
            if (entry.event, entry.task) == (event, task)
        ]
        for event in (Event.RELEASE, Event.RUN, Event.COMPLETE)
    }
    for (number, released), (_, complete) in zip(times[Event.RELEASE], times[Event.COMPLETE], strict=False):
        running = [entry.task for entry in entries[:number] if entry.event is Event.RUN]
        begun = released if running and running[-1] == task else next(at for no, at in times[Event.RUN] if no > number)
        found.append((released, begun, complete))
    return found


def origins(steps: list[list[Job]], triggered: Sequence[int]) -> list[tuple[int, Job]]:
    """Of jobs of the last step, which job of the first one it goes back to."""
    found = []
    for number, last in enumerate(steps[-1]):
        at, job = number, last
        for step in reversed(range(1, len(steps))):
            if step not in triggered:
                at = max((n for n, one in enumerate(steps[step - 1]) if one[2] <= job[1]), default=-1)
            if at < 0:
                break
            job = steps[step - 1][at]
        else:
            found.append((at, last))
    return found


def naive(steps: list[list[Job]], triggered: Sequence[int]) -> tuple[int, int]:
    """Reaction and age."""
    since = max(one[0][0] for one in steps)
    found = origins(steps, triggered)
    age = max(last[2] - steps[0][at][0] for at, last in found if steps[0][at][0] >= since)
    reaction = 0
    for number in range(1, len(steps[0])):
        ends = [last[2] for at, last in found if at >= number]
        if ends and steps[0][number][0] >= since:
            reaction = max(reaction, ends[0] - max(since, steps[0][number - 1][0]))
    return reaction, age


def test_a_run_shows_what_its_trace_has(takt: Takt, scratch_builds: Path) -> None:
    said = takt("run", FOLDER, "--json")
    document = json.loads(said.out)
    assert (said.code, document["breaches"], document["within_proof"]) == (0, [], True)
    (path,) = scratch_builds.glob("*/run/trace.takt")
    entries = segments.read(path).entries
    names = [task["name"] for task in document["tasks"]]
    paths = {"down": ["sensor", "control", "act", "store"], "back": ["act", "control", "sensor"]}
    assert [one["name"] for one in document["chains"]] == list(paths)
    for one in document["chains"]:
        steps = [jobs(entries, names.index(name)) for name in paths[one["name"]]]
        found = naive(steps, [3] if one["name"] == "down" else [])
        assert (one["reaction_observed_ns"], one["age_observed_ns"]) == found
        assert one["reaction_observed_ns"] <= one["reaction_ns"]
        assert one["age_observed_ns"] <= one["age_ns"]
        assert one["instances"] > 20
    assert {key for key in keys(document) if key.startswith("chains")} == {
        key for key in documented("run") if key.startswith("chains")
    }


SYSTEM = """[system]
board = "host"
[[task]]
name = "a"
period = "10 ms"
wcet = "1 ms"
[[task]]
name = "b"
period = "10 ms"
wcet = "1 ms"
[[task]]
name = "c"
min_interarrival = "10 ms"
wcet = "1 ms"
trigger = "mailbox box"
[[mailbox]]
name = "box"
message_size = 4
capacity = 2
senders = [{task = "b"}]
[[can]]
name = "body"
bitrate = "500 kbit/s"
[[message]]
name = "m"
bus = "body"
sender = "a"
bytes = 8
id = 0x100
deadline = "10 ms"
[[chain]]
name = "flow"
path = ["a", "b", "c"]
reaction = "1 s"
[[chain]]
name = "sent"
path = ["a", "m"]
reaction = "1 s"
"""
A, B, C = range(3)
FIRST = [(0, Event.RELEASE, A), (0, Event.RELEASE, B), (0, Event.RUN, A), (1, Event.COMPLETE, A), (1, Event.RUN, B)]
SENT = [(2, Event.SEND, B), (2, Event.RELEASE, C), (2, Event.COMPLETE, B), (2, Event.RUN, C), (4, Event.COMPLETE, C)]
# b begins before a is complete, and so uses its job before.
SECOND = [(10, Event.RELEASE, B), (10, Event.RUN, B), (10, Event.RELEASE, A), (11, Event.RUN, A),
          (12, Event.COMPLETE, A), (12, Event.RUN, B)]  # fmt: skip
SENT_AGAIN = [(12, Event.SEND, B), (12, Event.RELEASE, C), (13, Event.COMPLETE, B), (13, Event.RUN, C),
              (15, Event.COMPLETE, C)]  # fmt: skip
THIRD = [(20, Event.RELEASE, A), (20, Event.RUN, A), (21, Event.COMPLETE, A), (21, Event.RELEASE, B),
         (21, Event.RUN, B), (22, Event.SEND, B), (22, Event.RELEASE, C), (22, Event.COMPLETE, B), (22, Event.RUN, C),
         (23, Event.COMPLETE, C)]  # fmt: skip


def followed(folder: Path, events: Sequence[tuple[int, Event, int]], whole: bool = True) -> tuple[ChainFigures, ...]:
    write(folder, "system.toml", SYSTEM)
    proved = prove(declaration.load(folder / "system.toml"), left_out=True)
    found = Follower(proved.system)
    for at_ms, event, task in events:
        found.take(Entry(at_ms * MS, event, task, None, None, 0 if event is Event.SEND else NONE, 0))
    return found.figures(proved.chains, whole)


def test_instances_are_followed_by_what_they_use(tmp_path: Path) -> None:
    """From 2 on each step was released. The job of a at 10 is used by b at 21: its cause came after 0, counted from 2.
    That of 20 is used too, from 10 on: 23 - 2, and 23 - 10. The outputs of 15 and 23 are of a at 0 and at 20."""
    (flow, sent) = followed(tmp_path, [*FIRST, *SENT, *SECOND, *SENT_AGAIN, *THIRD])
    assert (flow.instances, flow.reaction_ns, flow.age_ns) == (2, 21 * MS, 3 * MS)
    assert "2 instances, the longest reaction was 21 ms (bound" in flow.line()
    assert (sent.instances, sent.as_json()["reaction_observed_ns"]) == (None, None)
    assert "messages on a bus are not in the trace" in sent.line()


@pytest.mark.parametrize(
    ("events", "whole", "why"),
    [
        ([*FIRST, (2, Event.RELEASE, C)], True, "released by something else"),
        ([*FIRST, *SENT, (12, Event.LOST, C)], True, "a release of a step was lost"),
        ([*FIRST, *SENT, (12, Event.STOP, C)], True, "a release of a step was lost"),
        ([*FIRST, *SENT], False, "no trace, or one with gaps"),
    ],
)
def test_what_is_not_followed(tmp_path: Path, events: list[tuple[int, Event, int]], whole: bool, why: str) -> None:
    flow = followed(tmp_path, events, whole)[0]
    assert flow.instances is None
    assert why in flow.line()
    assert list(flow.breaches()) == []


def test_what_waits_is_used_in_its_order(tmp_path: Path) -> None:
    """c is released at 22 by what b sent at 12, of a at 10."""
    events = [*FIRST, *SENT, (10, Event.RELEASE, A), (10, Event.RUN, A), (11, Event.COMPLETE, A),
              (11, Event.RELEASE, B), (11, Event.RUN, B), (12, Event.SEND, B), (12, Event.COMPLETE, B), *THIRD,
              (23, Event.RELEASE, C), (23, Event.RUN, C), (24, Event.COMPLETE, C)]  # fmt: skip
    flow = followed(tmp_path, events)[0]
    assert (flow.instances, flow.reaction_ns, flow.age_ns) == (2, 21 * MS, 13 * MS)


def test_times_count_from_when_each_step_was_released(tmp_path: Path) -> None:
    """c at 13: a cause of before that, which a at 10 shows, does not count; the next is seen from 13 until 23."""
    events = [(0, Event.RELEASE, A), (0, Event.RUN, A), (1, Event.COMPLETE, A), (10, Event.RELEASE, A),
              (10, Event.RUN, A), (11, Event.COMPLETE, A), (12, Event.RELEASE, B), (12, Event.RUN, B),
              (13, Event.SEND, B), (13, Event.RELEASE, C), (13, Event.COMPLETE, B), (13, Event.RUN, C),
              (14, Event.COMPLETE, C), *THIRD]  # fmt: skip
    flow = followed(tmp_path, events)[0]
    assert (flow.instances, flow.reaction_ns, flow.age_ns) == (1, 10 * MS, 3 * MS)


def test_what_is_above_its_bound_is_a_breach(tmp_path: Path) -> None:
    flow = followed(tmp_path, [*FIRST, *SENT, *SECOND, *SENT_AGAIN, *THIRD])[0]
    assert list(flow.breaches()) == []
    least = replace(flow, proof=replace(flow.proof, reaction_ns=21 * MS, age_ns=3 * MS))
    assert list(least.breaches()) == []
    above = replace(flow, proof=replace(flow.proof, reaction_ns=21 * MS - 1, age_ns=3 * MS - 1))
    assert [text.partition(", ")[0] for text in above.breaches()] == [
        "chain flow had a reaction of 21 ms",
        "chain flow had an age of 3 ms",
    ]

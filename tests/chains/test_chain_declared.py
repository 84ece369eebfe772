# SPDX-License-Identifier: Apache-2.0
"""[[chain]] of system.toml: what is refused, what is proved, and random systems beside a naive simulator.

TAKT_SETS: how many random systems (default 30, with --full 1000). A failure names the seed of its system.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest
from can_files import document, write
from can_systems import refused
from chain_jobs import Task, observed, simulate
from command_line import Takt
from takt.declare import declaration
from takt.prove.proof import Proved, prove

SYSTEMS = int(os.environ.get("TAKT_SETS", "1000" if os.environ.get("TAKT_TEST_FULL") else "30"))
MS = 1_000_000

TASKS = """[system]
board = "host"
scheduler = "rm"
[[task]]
name = "sensor"
period = "10 ms"
wcet = "1 ms"
[[task]]
name = "control"
period = "20 ms"
wcet = "2 ms"
[[task]]
name = "brake"
period = "25 ms"
wcet = "1 ms"
[[task]]
name = "store"
min_interarrival = "20 ms"
trigger = "mailbox lines"
wcet = "1 ms"
[[task]]
name = "rest"
[[task]]
name = "button"
min_interarrival = "50 ms"
wcet = "1 ms"
[[mailbox]]
name = "lines"
message_size = 8
capacity = 2
senders = [{task = "brake"}]
[[can]]
name = "body"
bitrate = "250 kbit/s"
[[message]]
name = "torque"
bus = "body"
sender = "control"
receivers = ["brake"]
bytes = 8
id = 0x100
deadline = "8 ms"
[[message]]
name = "wheel"
bus = "body"
from = "abs"
receivers = ["control"]
period = "40 ms"
bytes = 8
id = 0x200
"""


def chain(path: str, limits: str = 'reaction = "1 s"') -> str:
    names = ", ".join(f'"{name}"' for name in path.split())
    return f'[[chain]]\nname = "flow"\npath = [{names}]\n{limits}\n'


def bounds(takt: Takt, folder: Path, path: str, text: str = TASKS, limits: str = 'reaction = "1 s"') -> dict[str, Any]:
    write(folder, "system.toml", text + chain(path, limits))
    said = takt("check", folder, "--overheads", "none", "--no-sensitivity", "--json")
    found: dict[str, Any] = document(said)["chains"][0]
    return found


# A frame takes up to 135 bits of 4 us, 0.54 ms. Responses, in ms: sensor 1, control 3, store 4, brake 5, button 6;
# torque, which may wait for wheel, 3 + 0.54 + 0.54; wheel 1.08.
@pytest.mark.parametrize(
    ("path", "reaction_us", "age_us"),
    [
        ("sensor", 10_000 + 1_000, 1_000),
        ("button", 6_000, 6_000),  # the cause releases it
        ("control torque", 20_000 + 4_080, 4_080),  # the frame counts from the release of its sender
        ("sensor control", 10_000 + 20_000 + 3_000, 10_000 + 3_000),  # sensor goes first: it is not waited for
        ("control sensor", 20_000 + 3_000 + 10_000 + 1_000, 20_000 + 3_000 + 1_000),
        ("brake store", 25_000 + 5_000 + 4_000, 9_000),  # triggered: no period between
        ("control torque brake store", 24_080 + 25_000 + 9_000, 20_000 + 4_080 + 9_000),
        ("wheel control torque", 1_080 + 20_000 + 4_080, None),
        ("button sensor", 6_000 + 10_000 + 1_000, None),
    ],
)
def test_bounds_by_hand(takt: Takt, tmp_path: Path, path: str, reaction_us: int, age_us: int | None) -> None:
    found = bounds(takt, tmp_path, path)
    age_ns = None if age_us is None else age_us * 1_000
    assert (found["reaction_ns"], found["age_ns"], found["feasible"]) == (reaction_us * 1_000, age_ns, True)


def test_a_message_of_several_jobs_counts_with_its_own_period(takt: Takt, tmp_path: Path) -> None:
    text = TASKS.replace('sender = "control"', 'sender = "control"\nperiod = "60 ms"')
    assert bounds(takt, tmp_path, "control torque", text)["reaction_ns"] == 64_080_000
    found = bounds(takt, tmp_path, "sensor control torque brake", text)
    assert [step["period_ns"] for step in found["steps"]] == [10 * MS, 60 * MS, 25 * MS]


def test_offsets_count_where_they_are_used(takt: Takt, tmp_path: Path) -> None:
    """control's job at 5, 25 ... is complete by 8; that of sensor at 10 uses it, and is complete by 11. The cause came
    just after 5, and is seen from 25 on: 31 - 5."""
    text = TASKS.replace("[system]\n", "[system]\noffsets = true\n")
    text = text.replace('period = "20 ms"', 'period = "20 ms"\noffset = "5 ms"')
    found = bounds(takt, tmp_path, "control sensor", text)
    assert (found["reaction_ns"], found["age_ns"]) == (26 * MS, 16 * MS)
    assert [step["offset_ns"] for step in found["steps"]] == [5 * MS, 0]


@pytest.mark.parametrize("limit", ["reaction", "age"])
def test_the_limit_is_the_last_that_holds(takt: Takt, tmp_path: Path, limit: str) -> None:
    exact = bounds(takt, tmp_path, "sensor control")[f"{limit}_ns"]
    assert bounds(takt, tmp_path, "sensor control", limits=f'{limit} = "{exact} ns"')["feasible"]
    text = chain("sensor control", f'{limit} = "{exact - 1} ns"')
    write(tmp_path, "system.toml", TASKS + text)
    said = takt("check", tmp_path, "--overheads", "none")
    assert said.code == 1
    assert f"Refuted: every deadline holds, but chain flow has {limit} of up to {exact // MS} ms > " in said.out
    assert "the largest share has control" in said.out
    assert f'Chain flow is proved with {limit} = "{exact // MS} ms".' in said.out


def test_the_period_that_is_named_proves_it_and_a_longer_one_does_not(takt: Takt, tmp_path: Path) -> None:
    """30 = 10 + T + 3: control with 17 ms, and 17.002 ms is too long."""
    write(tmp_path, "system.toml", TASKS + chain("sensor control", 'reaction = "30 ms"'))
    said = takt("check", tmp_path, "--overheads", "none")
    assert "It is proved as declared with control: period 17 ms instead of 20 ms" in said.out
    for period, code in (("17 ms", 0), ("17.002 ms", 1)):
        text = TASKS.replace('period = "20 ms"', f'period = "{period}"')
        text = text.replace('wcet = "2 ms"', f'wcet = "2 ms"\ndeadline = "{period}"')
        write(tmp_path, "system.toml", text + chain("sensor control", 'reaction = "30 ms"'))
        assert takt("check", tmp_path, "--overheads", "none", "--no-sensitivity").code == code, period


def test_what_has_no_bound_is_undecided(takt: Takt, tmp_path: Path) -> None:
    """Best effort."""
    text = TASKS.replace('deadline = "8 ms"\n', "").replace("id = 0x100", 'id = "auto"')
    write(tmp_path, "system.toml", text + chain("control torque"))
    said = takt("check", tmp_path, "--overheads", "none")
    assert said.code == 1
    assert "Undecided: every deadline holds, but chain flow has no bound: nothing bounds the response of torque" in (
        said.out
    )
    github = takt("check", tmp_path, "--overheads", "none", "--format", "github")
    line = text.count("\n") + 1
    assert f"line={line},title=takt%3A chain::chain flow has no bound" in github.out


def test_chains_of_tasks_that_are_not_proved_are_undecided(takt: Takt, tmp_path: Path) -> None:
    text = TASKS.replace('wcet = "2 ms"', 'wcet = "19 ms"')
    found = bounds(takt, tmp_path, "sensor control", text)
    assert (found["feasible"], found["reaction_ns"], found["steps"]) == (False, None, [])
    assert "the tasks are not" in found["reason"]


@pytest.mark.parametrize(
    ("path", "limits", "said", "hint"),
    [
        ("sensor control", "", '[[chain]] "flow": no limit', "reaction"),
        ("sensor control", 'reaction = "0 ms"', "reaction", ""),
        ("sensor contrl", 'age = "1 s"', '"contrl": neither a task nor a message', '"control"'),
        ("sensor lines", 'age = "1 s"', '"lines": neither a task nor a message', ""),
        ("sensor control sensor", 'age = "1 s"', '"sensor": twice in the path', "a chain for each"),
        ("sensor torque", 'age = "1 s"', 'its sender is "control", not "sensor"', '"control" before it'),
        ("torque brake", 'age = "1 s"', 'its sender is "control", it has no step before it', '"control" before it'),
        ("control torque sensor", 'age = "1 s"', 'no receiver of "torque"', 'receivers = ["brake", "sensor"]'),
        ("sensor wheel", 'age = "1 s"', "abs sends it, another node", "begins with it"),
        ("sensor rest", 'age = "1 s"', '"rest": a background task', "a period"),
        ("sensor store", 'age = "1 s"', "its senders are not", 'senders = [{task = "sensor"}]'),
        ("sensor button", 'age = "1 s"', '"sensor" does not trigger it, and it has no period', "a mailbox or"),
        ("button sensor", 'age = "1 s"', 'age: "button" is not periodic', "reaction alone"),
        ("wheel control", 'age = "1 s"', 'age: "wheel" is not periodic', "reaction alone"),
    ],
)
def test_what_is_no_chain(takt: Takt, tmp_path: Path, path: str, limits: str, said: str, hint: str) -> None:
    refused(takt, tmp_path, chain(path, limits) + TASKS.replace("[system]", "\n[system]"), said, hint)


@pytest.mark.parametrize(
    ("put", "instead", "path", "said"),
    [
        ('"20 ms"\ntrigger', '"30 ms"\ntrigger', "brake store", "min_interarrival 30 ms, and the steps before it"),
        ('senders = [{task = "brake"}]', 'senders = [{task = "brake", messages = 2}]', "brake store", "once a job"),
        ('"50 ms"', '"50 ms"\nburst = 2', "button sensor", '"button": it has bursts'),
        ('sender = "control"', 'sender = "button"\nperiod = "100 ms"', "button torque", "some cause nothing"),
        ('name = "button"', 'name = "flow"', "sensor", "the name is taken by a task"),
    ],
)
def test_what_is_no_chain_of_these(takt: Takt, tmp_path: Path, put: str, instead: str, path: str, said: str) -> None:
    assert put in TASKS
    text = TASKS.replace(put, instead, 1).replace("[system]", "\n[system]")
    refused(takt, tmp_path, chain(path) + text, said, "")


def test_copies_of_messages_follow_these(takt: Takt, tmp_path: Path) -> None:
    """A copy counts from the release at the origin, as the message that it is of does."""
    other = '[[can]]\nname = "other"\nbitrate = "500 kbit/s"\ndriver = true\n'
    copy = '[[message]]\nname = "copy"\nbus = "other"\nforwards = "wheel"\nid = 0x300\n'
    text = TASKS.replace('bitrate = "250 kbit/s"', 'bitrate = "250 kbit/s"\ndriver = true')
    text = text.replace('receivers = ["brake"]\n', "").replace("[system]", "\n[system]")
    whole = text + other + copy
    refused(takt, tmp_path, chain("copy") + whole, 'a copy of "wheel", it has no step before it', '"wheel" before it')
    refused(takt, tmp_path, chain("control torque copy") + whole, 'not of "torque"', '"wheel" before it')
    found = document(
        takt("check", write(tmp_path, "system.toml", chain("wheel copy", 'reaction = "1 s"') + whole), "--json")
    )
    responses = {one["name"]: one["response_ns"] for one in found["messages"]}
    assert [one["reaction_ns"] for one in found["chains"]] == [responses["copy"]]
    assert responses["copy"] > responses["wheel"]


def drawn(rng: random.Random, folder: Path, wcet_of: int = 0) -> tuple[Proved, list[Task], list[int]]:
    """A system that is proved and has a chain; `wcet_of`: added to the wcet of the last of its tasks, in us."""
    while True:
        count, known = rng.randint(2, 5), rng.random() < 0.6
        tasks = [
            Task(0, 0, rng.choice((4, 5, 6, 8, 10, 12, 15, 20)), rng.randrange(8), 1, rng.randint(1, 4),
                 rng.choice((0, 0, 0, rng.randint(0, 2))))
            for _ in range(count)
        ]  # fmt: skip
        path = rng.sample(range(count), rng.randint(1, count))
        text = f'[system]\nboard = "host"\nscheduler = "rm"\noffsets = {str(known).lower()}\n'
        for index, task in enumerate(tasks):
            wcet = task.longest * 1000 + (wcet_of if index == count - 1 else 0)
            text += f'[[task]]\nname = "t{index}"\nperiod = "{task.period} ms"\nwcet = "{wcet} us"\n'
            text += f'offset = "{task.offset} ms"\n' + (f'jitter = "{task.jitter} ms"\n' if task.jitter else "")
        write(folder, "system.toml", text + chain(" ".join(f"t{index}" for index in path)))
        proved = prove(declaration.load(folder / "system.toml"), left_out=True)
        if wcet_of or proved.feasible:
            order = [name for band in proved.bands for name in band.tasks]
            for index, task in enumerate(tasks):
                task.priority = order.index(f"t{index}")
            return proved, tasks, path


def test_no_run_exceeds_what_is_proved(tmp_path: Path) -> None:
    """From the declaration on; and a longer wcet never makes a bound shorter, nor a chain of one task another response
    than its task."""
    for seed in range(SYSTEMS):
        rng = random.Random(seed)
        proved, tasks, path = drawn(rng, tmp_path)
        bound = proved.chains[0]
        assert bound.reaction_ns is not None, seed
        assert bound.age_ns is not None, seed
        for _ in range(3):
            reaction, age = observed(simulate(rng, tasks, 240, [0]), path, False)
            assert reaction * MS <= bound.reaction_ns, f"seed {seed}: a reaction of {reaction} ms"
            assert age * MS <= bound.age_ns, f"seed {seed}: an age of {age} ms"
        if len(path) == 1:
            assert bound.age_ns == proved.responses_ns[f"t{path[0]}"], seed
        longer, _, _ = drawn(random.Random(seed), tmp_path, 200)
        if longer.choice.proved and longer.chains[0].reaction_ns is not None:
            assert longer.chains[0].reaction_ns >= bound.reaction_ns, seed
            assert (longer.chains[0].age_ns or 0) >= bound.age_ns, seed

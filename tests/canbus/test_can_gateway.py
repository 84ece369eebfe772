# SPDX-License-Identifier: Apache-2.0
"""Messages that a system forwards between buses: bounds against a model of their own, refusals, and what runs do."""

from __future__ import annotations

import json
import random
import statistics
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from can_driven import frames_of, seen
from can_files import document, write
from can_gateway import HANDLED_NS, RATES, Made, Simulation, chosen, least_fixed_point
from command_line import Takt, documented, keys, refusal
from running import FULL, only_full
from running import takt as run_takt
from takt.declare import declaration
from takt.declare.buses import can_costs
from takt.declare.schema import boards
from takt.prove.bus import handling

MS = 1_000_000
HEAD = '[system]\nboard = "{board}"\nduration = "{duration}"\n[[task]]\nname = "t"\nperiod = "10 ms"\nwcet = "{wcet}"\n'
BUSES = "".join(f'[[can]]\nname = "{bus}"\nbitrate = "{{{bus}}} kbit/s"\ndriver = true\n' for bus in ("power", "body"))


def table(name: str, bus: str, keys: str) -> str:
    return f'[[message]]\nname = "{name}"\nbus = "{bus}"\n{keys}\n'


SPEED = table("speed", "power", 'from = "engine"\nbytes = 8\nid = 0x100\nperiod = "10 ms"\njitter = "4 ms"')
TORQUE = table("torque", "power", 'from = "engine"\nbytes = 6\nid = 0x90\nperiod = "5 ms"')
COPY = table("speed_body", "body", 'forwards = "speed"\nid = 0x200\ndeadline = "20 ms"')
DOOR = table("door", "body", 'from = "doors"\nbytes = 3\nid = 0x80\nperiod = "20 ms"')
BACK = table("door_power", "power", 'forwards = "door"')
LAMP = table("lamp", "body", 'sender = "t"\nbytes = 8\nid = 0x120\ndeadline = "10 ms"')


def system(text: str, power: int = 500, body: int = 250, **values: str) -> str:
    head = HEAD.format(**{"board": "host", "duration": "1 s", "wcet": "100 us", **values})
    return head + BUSES.format(power=power, body=body) + text


def proved(takt: Takt, folder: Path, text: str) -> dict[str, dict[str, Any]]:
    write(folder, "system.toml", text)
    found = document(takt("check", folder, "--json", "--no-sensitivity"))
    assert set(keys({"messages": found["messages"]})) <= documented("check")
    return {one["name"]: one for one in found["messages"]}


def test_the_responses_are_those_that_are_worked_out(takt: Takt, tmp_path: Path) -> None:
    """speed, alone on its bus, ends 4 ms + 270 us after its release, and is queued 2 us later; 8 bytes take 540 us on
    body. The copy has the identifier, length and period of speed, and its period as its deadline."""
    found = proved(takt, tmp_path, system(SPEED + table("copy", "body", 'forwards = "speed"')))
    one = found["copy"]
    assert (found["speed"]["response_ns"], found["speed"]["forwards"]) == (4_270_000, None)
    assert (one["jitter_ns"], one["response_ns"]) == (4_272_000, 4_272_000 + 540_000)
    assert (one["id"], one["period_ns"], one["deadline_ns"], one["forwards"]) == (0x100, 10 * MS, 10 * MS, "speed")
    assert one["send_ns"] == 540_000


def test_a_late_copy_is_refuted_with_its_parts(takt: Takt, tmp_path: Path) -> None:
    text = system(SPEED + TORQUE + table("copy", "body", 'forwards = "speed"\ndeadline = "5 ms"') + DOOR)
    write(tmp_path, "system.toml", text)
    said = takt("check", tmp_path, "--no-sensitivity")
    # speed: 4 ms + 230 us for torque (115 bits) + 270 us; door: 3 bytes, 85 bits of 4 us
    assert said.code == 1
    parts = "4.502 ms until speed is forwarded + 340 us for other frames + 540 us for its own > its deadline of 5 ms"
    assert f"message copy (0x100) of {tmp_path.name} may take 5.382 ms: {parts}" in " ".join(said.out.split())


def test_what_has_no_bound_is_refuted(takt: Takt, tmp_path: Path) -> None:
    flood = table("flood", "power", 'from = "engine"\nbytes = 8\nid = 1\nperiod = "200 us"')
    write(tmp_path, "system.toml", system(SPEED + flood + COPY))
    said = takt("check", tmp_path, "--no-sensitivity")
    assert said.code == 1
    assert "nothing bounds when speed_body is forwarded: speed has no bound on power" in " ".join(said.out.split())


def test_what_the_search_does_not_end_for_is_undecided(takt: Takt, tmp_path: Path) -> None:
    """At a load of exactly 1 no busy period ends: whether there is a bound is not known, on one bus and on two that
    forward to each other. A message that is late already refutes."""
    full = table("speed", "power", 'from = "engine"\nbytes = 8\nid = 0x100\nperiod = "300 us"\njitter = "1 us"')
    door = DOOR.replace("20 ms", "1700 us")  # 170 us on power
    late = door.replace('1700 us"', '1700 us"\ndeadline = "80 us"')
    other = table("other", "power", 'from = "engine"\nbytes = 3\nid = 0x80\nperiod = "1700 us"')
    for text, verdict in (
        (full + door + COPY, "feasible"),
        (full + other + door + COPY, "undecided"),
        (full + door + BACK + COPY, "undecided"),
        (full + late + BACK + COPY, "infeasible"),
    ):
        write(tmp_path, "system.toml", system(text, 500, 1000))
        said = takt("check", tmp_path, "--json", "--no-sensitivity")
        found = document(said)
        assert (found["verdict"], said.code) == (verdict, int(verdict != "feasible")), found["reason"]
        searched = "speed_body is forwarded: the limit of the search was reached for speed on power" in found["reason"]
        assert searched == (verdict != "feasible")
        assert ("door is late already" in found["reason"]) == (verdict == "infeasible")


@pytest.mark.parametrize(
    ("table_of", "said", "hint"),
    [
        ('bus = "body"\nforwards = "sped"', "no such message", '"speed"'),
        ('bus = "body"\nforwards = "copy"', "this system sends that, itself a copy of copy", "another node"),
        ('bus = "body"\nforwards = "door_power"', "itself a copy of door", 'forwards = "door"'),
        ('bus = "power"\nforwards = "lamp"', '"t" of this system sends that', 'sender = "t"'),
        ('bus = "power"\nforwards = "speed"', "it is on power, too", "another bus"),
        ('bus = "body"\nforwards = "speed"\nbytes = 4', "bytes = 4, and that has 8", "bytes = 8"),
        ('bus = "body"\nforwards = "speed"\nsender = "t"', "sender with forwards", "remove sender"),
        ('bus = "body"\nforwards = "speed"\nfrom = "x"', "from with forwards", "remove from"),
        ('bus = "body"\nforwards = "speed"\nperiod = "20 ms"', "period with forwards", "remove period"),
        ('bus = "body"\nforwards = "speed"\njitter = "1 ms"', "jitter with forwards", "remove jitter"),
        ('bus = "body"\nforwards = "speed"\nreceivers = ["t"]', "receivers with forwards", "remove receivers"),
        ('bus = "body"\nforwards = "speed"\nqueue = 2', "queue with forwards", "remove queue"),
        ('bus = "body"\nforwards = "free"', 'id is missing, and that of "free" is not known', 'id = "auto"'),
        ('bus = "body"\nforwards = "speed"\nid = 0x80', 'id = 0x80 is that of "door"', "another one"),
        ('bus = "body"\nforwards = "speed"\nid = 0x900\nextended = false', "more than 11 bits", "extended = true"),
        ('bus = "body"\nforwards = "wide"\nextended = false', "the id of that has 29 bits", "of its own"),
        ('bus = "bdy"\nforwards = "speed"', "no such [[can]]", '"body"'),
        ('bus = "plain"\nforwards = "speed"', '[[can]] "plain" has none', 'driver = true in [[can]] "plain"'),
        ('bus = "body"\nforwards = "quiet"', '[[can]] "plain" has none', 'driver = true in [[can]] "plain"'),
        ('bus = "body"\nsender = "t"\nid = 3', '"bytes" is missing', "bytes = 8"),
        ('bus = "body"\nsender = "t"\nbytes = 3', '"id" is missing', "id = 0x123"),
    ],
)
def test_what_is_refused(takt: Takt, tmp_path: Path, table_of: str, said: str, hint: str) -> None:
    text = system(SPEED + DOOR + BACK + LAMP) + '[[can]]\nname = "plain"\nbitrate = "500 kbit/s"\n'
    text += table("free", "power", 'from = "x"\nbytes = 1\nid = "auto"\nperiod = "50 ms"')
    text += table("wide", "power", 'from = "x"\nbytes = 1\nid = 0x12345\nperiod = "50 ms"')
    text += table("quiet", "plain", 'from = "x"\nbytes = 1\nid = 7\nperiod = "50 ms"')
    write(tmp_path, "system.toml", f'{text}[[message]]\nname = "copy"\n{table_of}\n')
    problem, tried = refusal(takt("check", tmp_path, "--no-sensitivity"))
    assert (said in problem, hint in tried) == (True, True), problem
    assert "system.toml:" in problem
    assert '[[message]] "copy"' in problem


def test_the_clocks_of_the_origin_count(takt: Takt, tmp_path: Path) -> None:
    """Where they may be wrong, they may be so of the copies."""
    both = system(SPEED + COPY).replace("driver", "drift = 1000\ndriver")
    found = proved(takt, tmp_path, both)
    assert found["speed_body"]["jitter_ns"] > found["speed"]["response_ns"] + HANDLED_NS
    write(
        tmp_path,
        "system.toml",
        both.replace("drift = 1000", "drift = 999", 2).replace("drift = 999", "drift = 1000", 1),
    )
    said = takt("check", tmp_path)
    assert (said.code, 'drift = 1000 in [[can]] "body"' in said.err) == (2, True)


def test_errors_at_random_leave_a_copy_without_a_bound(takt: Takt, tmp_path: Path) -> None:
    """On the bus that it comes from; on the other one its misses have a probability, as those of any."""
    for bus, code in (("power", 2), ("body", 0)):
        changed = system(SPEED + COPY).replace(f'name = "{bus}"', f'name = "{bus}"\nerrors = "random:1e-7"')
        write(tmp_path, "system.toml", changed)
        found = takt("check", tmp_path, "--no-sensitivity")
        assert (found.code, "leave no bound on when it comes" in found.err) == (code, code == 2), found.err


def test_tasks_at_run_time_are_refused(takt: Takt, tmp_path: Path) -> None:
    write(tmp_path, "system.toml", system(SPEED + COPY).replace("duration", "runtime_tasks = 2\nduration"))
    found = takt("check", tmp_path)
    assert (found.code, "started at run time leave no bound" in found.err) == (2, True)


def text_of(messages: list[Made], auto: bool = False) -> str:
    text = ""
    for one in messages:
        text += table(one.name, one.bus, 'id = "auto"' if auto and one.of else f"id = {one.number}")
        if one.of is None:
            text += f'from = "node"\nbytes = {one.size}\nperiod = "{one.period_ns} ns"\njitter = "{one.jitter_ns} ns"\n'
        else:
            text += f'forwards = "{one.of}"\n'
        text += 'deadline = "200 ms"\n'
    return system(text, RATES["power"], RATES["body"])


@pytest.mark.parametrize("seed", range(40 if FULL else 4))
def test_bounds_of_random_systems(takt: Takt, tmp_path: Path, seed: int) -> None:
    """Equal to the equations, solved for both buses at once, and never exceeded by a simulation."""
    chance, ratios = random.Random(seed), []
    for _ in range(3):
        messages = chosen(chance)
        wanted, found = least_fixed_point(messages), proved(takt, tmp_path, text_of(messages))
        if wanted is None:
            continue
        assert {name: one["response_ns"] for name, one in found.items()} == wanted
        longest = dict.fromkeys(wanted, 0)
        for index in range(60):
            for name, took in Simulation(messages, chance, index % 3 > 0).run().items():
                longest[name] = max(longest[name], took)
        assert all(longest[name] <= wanted[name] for name in wanted), messages
        ratios += [longest[one.name] / wanted[one.name] for one in messages if one.of]
    assert statistics.median(ratios) > 0.5, ratios


@pytest.mark.parametrize("seed", range(20 if FULL else 2))
def test_auto_on_both_buses(takt: Takt, tmp_path: Path, seed: int) -> None:
    """The bounds are those of the identifiers that were given."""
    messages = chosen(random.Random(1000 + seed))
    found = proved(takt, tmp_path, text_of(messages, auto=True))
    assert all(one["feasible"] for one in found.values())
    given = [Made(**{**vars(one), "number": found[one.name]["id"]}) for one in messages]
    assert len({(one.bus, one.number) for one in given}) == len(given)
    assert {name: one["response_ns"] for name, one in found.items()} == least_fixed_point(given)


def test_buses_in_the_order_of_their_dependence(takt: Takt, tmp_path: Path) -> None:
    """What comes over two buses; the last one is declared first, and its identifiers are searched with that."""
    rates = (("b", 250), ("a", 500))
    buses = [f'[[can]]\nname = "{name}"\nbitrate = "{rate} kbit/s"\ndriver = true\n' for name, rate in rates]
    text = HEAD.format(board="host", duration="1 s", wcet="100 us") + "".join(buses)
    text += SPEED.replace("power", "a") + table("copy", "b", 'forwards = "speed"\nid = "auto"\ndeadline = "20 ms"')
    found = proved(takt, tmp_path, text)
    assert found["copy"]["response_ns"] == 4_272_000 + 540_000
    assert found["copy"]["id"] is not None


@dataclass
class Load:
    wcet_ns: int = 0
    min_interarrival_ns: int = 1
    release_cost_ns: int = 0
    period_ns: int = 0
    jitter_ns: int = 0
    deadline_ns: int = 0
    burst_more: int = 0


def test_how_long_a_handler_may_wait() -> None:
    """A locked section, two interrupts, and releases of a task that come together by their jitter."""
    ranked = [SimpleNamespace(task=SimpleNamespace(waits=0, on_miss="continue", on_budget="none"))]
    problem = SimpleNamespace(
        interrupts=[Load(wcet_ns=10, min_interarrival_ns=1000), Load(wcet_ns=20, min_interarrival_ns=50)],
        tasks=[Load(release_cost_ns=5, period_ns=500, jitter_ns=600, deadline_ns=2000)],
        ranked=ranked,
        locked_ns=40,
        at_once_ns=3,
    )
    # 43 + 10 + 20 * 2 + 5 * 2 = 103 -> 20 * 3: 123; three releases would need 900 ns
    assert handling.within_ns(problem) == 123
    ranked[0].task.waits = 1  # timers of jobs that were released before: within 600 + 2000 ns
    assert handling.within_ns(problem) == 43 + 10 + 20 * 3 + 5 * 6
    problem.interrupts[1].wcet_ns = 50
    assert handling.within_ns(problem) is None


def least_ns(frames: list[Any], period_ns: int) -> list[int]:
    """When frames ended, as if all had been released at one time."""
    return [one.time_ns - index * period_ns for index, one in enumerate(frames)]


def test_a_run_forwards_both_ways(tmp_path: Path) -> None:
    folder = tmp_path / "gateway"
    folder.mkdir()
    write(folder, "system.toml", system(SPEED + TORQUE + COPY + DOOR + BACK + LAMP))
    code, ran = run_takt("run", folder)
    assert (code, ran["within_proof"], ran["breaches"]) == (0, True, [])
    found = seen(ran)
    assert found["speed"]["sent"] is False
    assert found["speed_body"]["sent"] is True
    assert (found["speed_body"]["lost"], found["door_power"]["lost"]) == (0, 0)
    logs = {bus: frames_of(folder, ran["scheduler"], bus=bus) for bus in ("power", "body")}
    for source, copy, there, here, period_ns in (
        ((0x100, "power"), (0x200, "body"), "speed", "speed_body", 10 * MS),
        ((0x80, "body"), (0x80, "power"), "door", "door_power", 20 * MS),
    ):
        came = [one for one in logs[source[1]] if one.identifier == source[0]]
        went = [one for one in logs[copy[1]] if one.identifier == copy[0]]
        assert found[there]["count"] - 1 <= found[here]["count"] == len(went) <= len(came)
        assert [one.data for one in went] == [one.data for one in came][: len(went)]
        observed_ns = found[here]["response_ns_max"]
        # released no later than that frame whose response was the shortest ended, its shortest length before
        spread_ns = max(least_ns(went, period_ns)) - min(least_ns(came, period_ns))
        assert spread_ns < observed_ns <= found[here]["bound_ns"]
        late_ns = 4 * MS if here == "speed_body" else 0
        assert observed_ns > 0.8 * late_ns


@only_full
def test_a_fast_clock_of_the_origin_loses_nothing(tmp_path: Path) -> None:
    """Its frames come more often than declared, by the clock of the node that forwards them."""
    folder = tmp_path / "gateway_drifts"
    folder.mkdir()
    write(folder, "system.toml", system(SPEED + COPY, duration="4 s").replace("driver", "drift = 5000\ndriver"))
    code, ran = run_takt("run", folder, "--seed", "2")
    assert (code, ran["breaches"]) == (0, [])
    assert seen(ran)["speed_body"]["count"] > 401


@pytest.mark.parametrize("board", ["mps2-an385", "rv32-virt"])
def test_the_interrupt_counts_what_it_forwards(board: str, tmp_path: Path) -> None:
    """To receive the message, and to send its copy on the other bus."""
    write(tmp_path, "system.toml", system(SPEED + COPY + LAMP, power=125, body=125, board=board))
    found = declaration.load(tmp_path / "system.toml")
    kept = can_costs.read(boards.load(board))
    assert kept is not None
    entry = next(one for one in kept["entry"] if one["mailboxes"] == 8)
    receive = max(entry["receive_state"][0], entry["receive_queue"][0]) + can_costs.SEARCH
    send = max(entry[name][0] for name in can_costs.SENDS)
    cost = next(one.wcet_ns for one in found.interrupts if one.bus == "power")
    assert cost == (receive + send + can_costs.FORWARD) * kept["instruction"]


@only_full
@pytest.mark.parametrize("board", ["mps2-an385", "rv32-virt"])
def test_a_board_forwards_within_its_bounds(board: str, tmp_path: Path) -> None:
    folder = tmp_path / f"gateway_on_{board}"
    folder.mkdir()
    text = system(SPEED + TORQUE + COPY + DOOR + BACK, 125, 125, board=board, duration="200 ms")
    write(folder, "system.toml", text)
    code, ran = run_takt("run", folder)
    assert (code, ran["breaches"]) == (0, []), json.dumps(ran["breaches"])
    found = seen(ran)
    assert found["speed_body"]["count"] >= 19
    assert 0 < found["speed_body"]["response_ns_max"] <= found["speed_body"]["bound_ns"]

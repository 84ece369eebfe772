# SPDX-License-Identifier: Apache-2.0
"""`--scheduler mts`: the choice of the epoch, the bounds beside two simulations, the command, and what is refused.

One simulation is that of the tool, in which every node runs the protocol itself; the other one is below, with clocks
that are right and identifiers as they are meant.
"""

from __future__ import annotations

import random
import statistics
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from can_files import document, write
from can_texts import HEADER
from command_line import Takt, documented, keys
from running import FULL
from takt.can.check import Question
from takt.can.files import read
from takt.can.lengths import Rate
from takt.can.messages import Message
from takt.can.mts import judge, protocol, seen_words, simulation
from takt.can.mts.judge import Judged
from takt.can.mts.settings import Nodes
from takt.can.simulation.bus import Asked
from takt.support.durations import show

MS, US = 1_000_000, 1_000
MIXED = Path(__file__).parent / "mixed.csv"
BUSES = 150 if FULL else 5
NAIVE_TRIALS = 12
SIMULATED_MS = 400 if FULL else 120
MEDIAN = 0.5  # of the longest response that is seen, as a share of its bound: frames, ticks and clocks are seldom worst
ONE_MBIT = Question(Rate(1_000_000))


def random_messages(source: random.Random, extended: bool = False) -> list[Message]:
    """Fast ones with deadlines of 0.8 to 2.5 ms, and slow ones, of four nodes."""
    found = []
    for number in range(source.randint(9, 16)):
        fast = number < 9
        deadline = source.randint(8, 25) * 100 * US if fast else source.randint(5, 60) * MS
        found.append(
            Message(
                f"m{number}",
                number,
                extended,
                (f"n{number % 4}",),
                source.randint(0, 8),
                period_ns=deadline * source.randint(10, 15) // 10,
                deadline_ns=deadline,
                jitter_ns=source.choice((0, deadline // 8)),
            )
        )
    return found


def naive(judged: Judged, source: random.Random, duration_ns: int) -> list[int]:
    """The longest response of each message, where each frame is as long as it may be."""
    rows, setting = judged.rows, judged.setting
    region_ns, epoch_ns = setting.bus.region_ns, setting.epoch_ns
    tick_ns, filler_ns = setting.bus.plan.tick_max_ns, setting.bus.plan.tick_max_ns
    coming: list[tuple[int, tuple[int, int, int], int, int]] = []  # queued, key, message, released
    together = 2 * MS
    for index, row in enumerate(rows):
        due = together - row.jitter_ns if source.random() < 0.7 else source.randrange(2 * row.period_ns)
        first = True
        while due < duration_ns:
            late = row.jitter_ns if first else source.choice((0, 0, row.jitter_ns))
            high = (1, (due + row.deadline_ns - row.send_ns) // region_ns, index)
            coming.append((due + late, high if judged.is_high(index) else (2, index, 0), index, due))
            due, first = due + row.period_ns, False
    for at in range(source.randrange(epoch_ns), duration_ns, epoch_ns):
        coming.append((at, (0, 0, 0), -1, at))
    coming.sort()
    waiting: list[tuple[tuple[int, int, int], int, int]] = []
    longest, now, next_ = [0] * len(rows), 0, 0
    while next_ < len(coming) or waiting:
        if not waiting and coming[next_][0] > now:
            now = coming[next_][0] - 1 + source.choice((1, filler_ns))
        while next_ < len(coming) and coming[next_][0] <= now:
            _, key, index, due = coming[next_]
            waiting.append((key, index, due))
            next_ += 1
        best = min(waiting)
        waiting.remove(best)
        _, index, due = best
        now += tick_ns if index < 0 else rows[index].send_ns
        if index >= 0:
            longest[index] = max(longest[index], now - due)
    return longest


def test_no_response_is_above_its_bound() -> None:
    """Of random buses, some with 29 bits and clocks that are wrong, by the protocol itself and by a naive bus."""
    source, shares, proved = random.Random(32), [], 0
    while proved < BUSES:
        messages = random_messages(source, extended=source.random() < 0.2)
        question = replace(ONE_MBIT, drift_ppm=source.choice((0, 0, 200)))
        prepare_ns = source.choice((10, 40, 90)) * US
        nodes = Nodes(source.choice((1, 2, 3)), prepare_ns=prepare_ns, write_ns=source.choice((5, 15)) * US)
        epoch_ns = source.choice((None, 8 * MS, 16 * MS))
        judged = judge.choose(messages, question, nodes, epoch_ns, enough=source.random() < 0.5)
        if not judged.feasible:
            continue
        proved += 1
        bounds = [one.response_ns or 0 for one in judged.found]
        assert all(bound <= row.deadline_ns for bound, row in zip(bounds, judged.rows, strict=True))
        seen = [naive(judged, source, 40 * MS) for _ in range(NAIVE_TRIALS)]
        longest = [max(responses) for responses in zip(*seen, strict=True)]
        assert all(one <= bound for one, bound in zip(longest, bounds, strict=True)), (longest, bounds, messages)
        how = Asked(SIMULATED_MS * MS, seed=proved, payload="worst", offsets=source.choice((None, {})))
        found = simulation.run(judged, how, None)
        assert found.from_ns is not None
        assert (found.above, found.doubled) == ([], 0), messages
        assert sum(found.ticks) >= 0.9 * (SIMULATED_MS * MS - found.from_ns) / judged.setting.epoch_ns
        shares += [one / bound for one, bound in zip(longest, bounds, strict=True)]
    assert statistics.median(shares) > MEDIAN


def mixed() -> list[Message]:
    return read.load(MIXED)


@cache
def best() -> Judged:
    return judge.choose(mixed(), ONE_MBIT, Nodes())


def test_a_master_that_dies_makes_none_late() -> None:
    """The next one sends the ticks; without any master nothing is proved any more."""
    judged = judge.choose(mixed(), ONE_MBIT, Nodes(), enough=True)
    first, second, *_ = simulation.Simulation(judged, Asked(MS)).nodes
    found = simulation.run(judged, Asked(200 * MS, dead=((first, 80 * MS),), payload="worst"), None)
    assert (found.above, found.doubled) == ([], 0)
    assert all(count > 15 for count in found.ticks)
    assert not seen_words.broken(found)
    found = simulation.run(judged, Asked(200 * MS, dead=((first, 80 * MS), (second, 90 * MS))), None)
    assert sum(found.ticks) < 90 * MS / judged.setting.epoch_ns + 2
    assert found.doubled == 0
    assert seen_words.broken(found)
    high = judged.setting.high
    assert sum(one.apart for one in found.seen[:high]) > sum(one.sent for one in found.seen[:high]) // 3


def test_the_epoch_has_room_for_what_the_plan_says() -> None:
    """By another calculation than the search: the field reaches an epoch and the rest."""
    judged = best()
    bus, layout = judged.setting.bus, judged.setting.bus.layout
    assert judged.feasible
    fields = 2**layout.deadline_bits - 1
    assert 1 + layout.deadline_bits + layout.unique_bits == 11
    assert judged.setting.high <= 2**layout.unique_bits
    assert fields * bus.region_ns >= judged.setting.epoch_ns + bus.plan.rest_ns
    assert (fields - bus.regions) * (bus.region_ns - 1) < bus.plan.rest_ns, "no region is longer than it must be"
    longest = max(row.deadline_ns for row in judged.rows[: judged.setting.high])
    assert bus.plan.rest_ns > longest


def test_long_regions_lose_the_order() -> None:
    """Six messages, three that are due later, and one that is due at 2.2 ms. It ends in time only if the six that come
    again at 1.3 ms, due at 2.6 ms, are not ahead of it: fixed below them, it takes 65 us of blocking, a tick, and 16
    frames; with long regions they go first as well."""
    periods = [(1_300, 1_300)] * 6 + [(10_000, 1_900)] * 3 + [(10_000, 2_200)]
    messages = [
        Message(f"m{number}", number, False, (f"n{number}",), 8, period_ns=period * US, deadline_ns=deadline * US)
        for number, (period, deadline) in enumerate(periods)
    ]
    short = judge.choose(messages, ONE_MBIT, Nodes(), 4 * MS)
    assert short.feasible
    assert short.setting.bus.region_ns + short.setting.bus.plan.error_ns < 600 * US
    long = judge.choose(messages, ONE_MBIT, Nodes(), 40 * MS)
    assert not long.feasible
    fixed = next(bound for bound, row in zip(long.found, long.rows, strict=True) if row.message.name == "m9")
    assert fixed.response_ns == (65 + 65 + 16 * 135) * US


def test_no_epoch_that_is_asked_for_leaves_much_more_margin() -> None:
    largest = best().largest
    assert largest is not None
    for tenths in (15, 20, 25, 30, 40, 60):
        asked = judge.choose(mixed(), ONE_MBIT, Nodes(), epoch_ns=tenths * 100 * US)
        assert asked.setting.epoch_ns == tenths * 100 * US
        assert asked.largest is None or asked.largest > largest * 97 / 100


def test_a_bus_that_fixed_identifiers_cannot_do(takt: Takt) -> None:
    """docs/can.md."""
    asked = (MIXED, "--bitrate", "1M")
    said = takt("can", "assign", *asked)
    assert said.code == 1
    assert said.out.startswith("Refuted: with no assignment of identifiers 43 messages at 1000 kbit/s")
    said = takt("can", "check", *asked, "--scheduler", "mts")
    assert said.code == 0
    assert said.out.startswith("Proved with deadlines in identifiers: 43 messages at 1000 kbit/s")
    assert "With fixed identifiers in the order of the deadlines 5 messages may be late." in said.out
    assert f"Epochs of {show(best().setting.epoch_ns)} in " in said.out, "the same each time"
    found = document(takt("can", "check", *asked, "--scheduler", "mts", "--epoch", "2.5ms", "--json"))
    assert set(keys(found)) == documented("can check FILE --scheduler mts")
    assert (found["epoch_ns"], found["feasible"], found["late_with_fixed_identifiers"]) == (2_500_000, True, 5)
    high = [one for one in found["messages"] if one["speed"] == "high"]
    low = [one for one in found["messages"] if one["speed"] == "low"]
    assert [one["unique"] for one in high] == list(range(len(high)))
    assert len({one["id"] for one in found["messages"]}) == 43
    assert all(0x400 <= one["id"] < 0x400 + 2 ** found["unique_bits"] for one in high)
    assert all(0x400 + 2 ** found["unique_bits"] <= one["id"] < 0x600 for one in low)
    assert max(one["deadline_ns"] for one in high) < min(one["deadline_ns"] for one in low)
    assert found["load"] > found["tick_load"] == pytest.approx(65_000 / 2_500_000)


def test_too_much_for_deadlines_as_well(takt: Takt, tmp_path: Path) -> None:
    rows = "".join(f"m{number},{number},0,n{number % 3},8,1,,1\n" for number in range(8))
    said = takt("can", "check", write(tmp_path, "a.csv", HEADER + rows), "--bitrate", "1M", "--scheduler", "mts")
    assert said.code == 1
    assert said.out.startswith("Refuted: 8 of 8 messages at 1000 kbit/s (load 1.")
    assert "LATE" in said.out
    assert "not proved" in said.out


def test_simulated_by_the_command(takt: Takt, tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    options = ("--bitrate", "1M", "--scheduler", "mts", "--epoch", "2.5ms", "--duration", "60ms")
    found = document(takt("can", "simulate", MIXED, *options, "--json", "--log", log))
    assert set(keys(found)) == documented("can simulate FILE --scheduler mts")
    assert (found["verdict"], found["doubled_identifiers"]) == ("within", 0)
    assert found["frames"] == sum(one["sent"] for one in found["messages"]) + sum(found["ticks"]) + found["fillers"]
    lines = log.read_text().splitlines()
    assert len(lines) == found["frames"]
    identifiers = [int(line.split()[2].split("#")[0], 16) for line in lines]
    assert any(16 <= one < 0x400 for one in identifiers), "deadlines"
    assert sum(one < 2 for one in identifiers) == sum(found["ticks"])
    again = document(takt("can", "simulate", MIXED, *options, "--json"))
    assert {**again, "times_real_time": 0} == {**found, "times_real_time": 0}
    said = takt("can", "simulate", MIXED, *options, "--dead", "A@10ms", "--payload", "worst")
    assert said.code == 0
    assert said.out.startswith("Within the bounds: no response was longer than what is proved of it.")


@pytest.mark.parametrize(
    ("options", "said", "hint"),
    [
        (("--epoch", "4ms"), "--epoch without --scheduler mts", "--scheduler mts"),
        (("--masters", "3"), "--masters without --scheduler mts", "--scheduler mts"),
        (("--scheduler", "mts", "--errors", "10ms"), "errors: the condition", "without errors"),
        (("--scheduler", "mts", "--errors", "random:1e-6"), "errors: the condition", "without errors"),
        (("--scheduler", "mts", "--controller", "fifo"), "queue by priority", "without another"),
        (("--scheduler", "mts", "--fd"), "FD frames: ", "at most 8 bytes"),
        (("--scheduler", "mts", "--drift", "501"), "wrong by 501 ppm", "drift of 500 ppm"),
        (("--scheduler", "mts", "--epoch", "soon"), "--epoch: not a duration", "1.2 ms"),
        (("--scheduler", "mts", "--epoch", "90s"), "no epoch can be 90 s long", " to "),
        (("--scheduler", "mts", "--epoch", "10us"), "no epoch can be 10 us long", " to "),
        (("--scheduler", "mts", "--handlers", "5us"), '--handlers: "5us" is not three times', "5us/40us/20us"),
        (("--scheduler", "mts", "--handlers", "5us/x/20us"), "--handlers: not a duration", ""),
        (("--scheduler", "mts", "--handlers", "2s/2s/2s"), "--handlers: 2 s is too long", "1 s"),
        (("--scheduler", "mts", "--handlers", "9us/40us/20us"), "nodes take 29 us to react and write", "bit rate"),
        (("--scheduler", "mts", "--handlers", "5us/900us/20us"), "compute new identifiers for 900 us", "shorter"),
        (("--scheduler", "mts", "--offsets", "a.csv"), "--offsets: they do not count", "without --offsets"),
    ],
)
def test_what_is_refused(takt: Takt, options: tuple[str, ...], said: str, hint: str) -> None:
    found = takt("can", "check", MIXED, "--bitrate", "1M", *options)
    assert (found.code, found.out) == (2, "")
    problem, _, tried = found.err.partition("try: ")
    assert said in problem
    assert hint in tried


@pytest.mark.parametrize(
    "option", [("--flips", "1e-6"), ("--babble", "fast_1"), ("--vcd", "a.vcd"), ("--html", "a.html")]
)
def test_what_is_not_simulated(takt: Takt, option: tuple[str, str]) -> None:
    said = takt("can", "simulate", MIXED, "--bitrate", "1M", "--scheduler", "mts", *option)
    assert said.code == 2
    assert f"{option[0]}: not simulated with --scheduler mts" in said.err


def test_deadlines_that_fit_into_no_identifier(takt: Takt, tmp_path: Path) -> None:
    asked = ("--bitrate", "1M", "--scheduler", "mts")
    slow = write(tmp_path, "slow.csv", HEADER + "a,1,0,n,8,2000,,\nb,2,0,n,8,5,,9\n")
    said = takt("can", "check", slow, *asked)
    assert said.code == 2
    assert "no message's deadline fits into identifiers" in said.err
    none = write(tmp_path, "none.csv", HEADER + "a,1,0,n,8,,,\n")
    assert "no message has a cycle time" in takt("can", "check", none, *asked).err


def test_identifiers_of_29_bits(takt: Takt, tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", HEADER + "a,1,0,n,8,2,,\nb,0x10000,1,m,8,5,,\nc,3,0,m,2,50,,\n")
    found = document(takt("can", "check", path, "--bitrate", "1M", "--scheduler", "mts", "--json"))
    assert (found["extended"], found["feasible"]) == (True, True)
    assert 1 + found["deadline_bits"] + found["unique_bits"] == 29
    assert {one["bits_max"] for one in found["messages"]} == {160, 100}
    assert protocol.layout(True, 256).deadline_bits == 20

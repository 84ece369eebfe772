# SPDX-License-Identifier: Apache-2.0
"""Networks whose nodes run together: what was seen beside what was proved, and beside a bus that is worked out here."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from can_files import write
from command_line import documented, keys
from networks import left, network, ran, seen
from running import only_full
from takt.can.logs import read as logs

HEAD = '[system]\nboard = "host"\nscheduler = "dm"\n'
BIT_NS = 2_000
INTERMISSION_NS = 3 * BIT_NS
MS = 1_000_000
HANDLER_NS = 1_000  # of the interrupt of a controller, on host


def bus_of(name: str) -> str:
    return f'[[can]]\nname = "{name}"\nbitrate = "500 kbit/s"\ndriver = true\n'


def task(name: str, *values: str) -> str:
    return f'[[task]]\nname = "{name}"\n' + "".join(f"{value}\n" for value in values)


def message(name: str, bus: str, size: int, identifier: int, *values: str) -> str:
    text = f'[[message]]\nname = "{name}"\nbus = "{bus}"\nbytes = {size}\nid = {identifier}\n'
    return text + "".join(f"{value}\n" for value in values)


PEDAL = (
    HEAD
    + task("sample", 'period = "5 ms"', 'wcet = "400 us"')
    + bus_of("chassis")
    + message("demand", "chassis", 4, 0x100, 'sender = "sample"', 'deadline = "2 ms"')
)
WHEEL = (
    HEAD
    + task("control", 'trigger = "message demand"', 'min_interarrival = "4 ms"', 'wcet = "800 us"', "pending_max = 2")
    + task("report", 'period = "20 ms"', 'wcet = "1 ms"')
    + bus_of("chassis")
    + message("demand", "chassis", 4, 0x100, 'from = "pedal"', 'period = "5 ms"', 'jitter = "500 us"',
              'receivers = ["control"]')
    + message("speed", "chassis", 8, 0x200, 'sender = "report"', 'deadline = "20 ms"')
)  # fmt: skip


def test_two_nodes_run_together_and_the_same_again(tmp_path: Path) -> None:
    folder = network(tmp_path, {"pedal": PEDAL, "wheel": WHEEL})
    code, document = ran(folder)
    assert (code, document["passed"]) == (0, True)
    listed = documented("run NETWORK")
    assert {one for one in keys(document) if one.count(".") <= 1 and not one.startswith("nodes[].")} <= listed
    found = seen(document)
    assert (found["pedal", "demand"]["count"], found["wheel", "demand"]["count"]) == (200, 200)
    assert found["wheel", "speed"]["response_ns_max"] <= found["wheel", "speed"]["bound_ns"] == 2_272_000
    assert found["pedal", "demand"]["bound_ns"] == 863_000  # beside speed, which pedal does not know
    control = next(one for one in document["nodes"][1]["tasks"] if one["name"] == "control")
    assert control["jobs"] == 200
    logs_of = [left(folder, node, "chassis.log") for node in ("pedal", "wheel")]
    assert logs_of[0] == logs_of[1]
    traces = [left(folder, node, "trace.takt") for node in ("pedal", "wheel")]
    assert ran(folder)[0] == 0
    assert [left(folder, node, "chassis.log") for node in ("pedal", "wheel")] == logs_of
    assert [left(folder, node, "trace.takt") for node in ("pedal", "wheel")] == traces


@dataclass(frozen=True)
class Sender:
    """A node with one task, which queues a message at the end of each job."""

    period_ns: int
    wcet_ns: int
    identifier: int
    size: int

    def queued_ns(self, job: int, ends_ns: Sequence[int]) -> int:
        """The end of a job, which the interrupts of frames delay: each controller has one a bit before their end."""
        now_ns, left_ns = job * self.period_ns, self.wcet_ns
        for end_ns in ends_ns:
            at_ns = end_ns - BIT_NS
            if at_ns + HANDLER_NS <= now_ns:
                continue
            if at_ns >= now_ns + left_ns:
                break
            left_ns -= max(0, at_ns - now_ns)
            now_ns = at_ns + HANDLER_NS
        return now_ns + left_ns

    def system(self, name: str) -> str:
        text = HEAD + task("run", f'period = "{self.period_ns} ns"', f'wcet = "{self.wcet_ns} ns"') + bus_of("b")
        return text + message(name, "b", self.size, self.identifier, 'sender = "run"', 'deadline = "10 ms"')


def bits_of(identifier: int, data: bytes) -> int:
    """Of a frame from its start to the last bit of its end: written down and stuffed (ISO 11898-1)."""
    text = f"0{identifier:011b}000{len(data):04b}" + "".join(f"{byte:08b}" for byte in data)
    crc = 0
    for bit in text:
        crc = ((crc << 1) ^ (0x4599 if (int(bit) ^ crc >> 14 & 1) else 0)) & 0x7FFF
    text += f"{crc:015b}"
    stuffed, run, last = 0, 0, ""
    for bit in text:
        run = run + 1 if bit == last else 1
        last = bit
        if run == 5:
            stuffed, run, last = stuffed + 1, 1, "10"[int(bit)]
    return len(text) + stuffed + 1 + 2 + 7  # delimiter of the CRC, acknowledgement and its delimiter, end


def worked_out(senders: Sequence[Sender], data: Sequence[list[bytes]]) -> list[tuple[int, int]]:
    """Ends and identifiers of frames: whenever the bus is idle the pending one with the lowest identifier, as far as is
    known what they carry."""
    free_bit, sent = 11, [0] * len(senders)  # nodes wait for 11 bits at their start
    ends_ns: list[int] = []
    found: list[tuple[int, int]] = []
    while True:
        pending = [(one.queued_ns(sent[index], ends_ns), index) for index, one in enumerate(senders)]
        start = max(free_bit, -(-min(pending)[0] // BIT_NS))
        ready = [index for at_ns, index in pending if at_ns <= start * BIT_NS]
        index = min(ready, key=lambda index: senders[index].identifier)
        if sent[index] == len(data[index]):
            return found
        end = start + bits_of(senders[index].identifier, data[index][sent[index]])
        found.append((end * BIT_NS, senders[index].identifier))
        ends_ns.append(end * BIT_NS)
        sent[index] += 1
        free_bit = end + 3


SENDERS = (
    Sender(1_000_000, 100_000, 0x300, 8),
    Sender(1_500_000, 100_001, 0x123, 3),
    Sender(700_000, 50_000, 0x0F0, 0),
    Sender(2_000_000, 99_999, 0x555, 7),
)


def test_frames_are_where_they_are_worked_out(tmp_path: Path) -> None:
    """Four nodes whose messages collide. What they carry is read from the log, when and in which order is not."""
    folder = network(tmp_path, {f"n{index}": one.system(f"m{index}") for index, one in enumerate(SENDERS)})
    code, document = ran(folder, "--duration", "100ms")
    assert (code, document["passed"]) == (0, True)
    texts = [left(folder, f"n{index}", "b.log") for index in range(len(SENDERS))]
    entries = logs.entries(write(tmp_path, "b.log", max(texts, key=len)))
    frames = [(round(entry.time_ns, -3), entry.identifier, entry.data) for entry in entries]
    data = [[one for _, identifier, one in frames if identifier == sender.identifier] for sender in SENDERS]
    wanted = worked_out(SENDERS, data)
    assert [(end // 1000 * 1000, identifier) for end, identifier in wanted][: len(frames)] == [
        one[:2] for one in frames
    ]
    assert len(frames) > 350
    assert all(text == max(texts, key=len)[: len(text)] for text in texts)
    assert len({len(text) // 2000 for text in texts}) <= 2


FAULT = """#include "takt_app.h"
#include "takt/fault.h"
void sample_job(void *argument)
{
    static unsigned jobs;
    const uint8_t value[4] = {0};
    (void)argument;
    (void)takt_can_send_demand(value);
    if (++jobs == 20) {
        takt_fault_raise(TAKT_FAULT_ASSERTION, "sample", 1, 0);
    }
}
"""


def test_a_node_that_ends_early_holds_nobody_up(tmp_path: Path) -> None:
    folder = network(tmp_path, {"pedal": PEDAL.replace('wcet = "400 us"', 'wcet = "400 us"\nentry = "sample_job"'),
                                "wheel": WHEEL})  # fmt: skip
    write(folder / "pedal", "code.c", FAULT)
    code, document = ran(folder)
    assert (code, document["passed"]) == (1, False)
    assert document["nodes"][0]["failure"] is not None
    found = seen(document)
    assert found["wheel", "speed"]["count"] in (49, 50)
    assert found["wheel", "demand"]["count"] in (19, 20)


@only_full
def test_a_bus_of_one_node_is_acknowledged(tmp_path: Path) -> None:
    own = task("light", 'period = "10 ms"', 'wcet = "100 us"') + bus_of("lamps")
    own += message("lamp", "lamps", 1, 0x10, 'sender = "light"', 'deadline = "10 ms"')
    code, document = ran(network(tmp_path, {"pedal": PEDAL, "wheel": WHEEL + own}), "--duration", "100ms")
    assert (code, document["passed"]) == (0, True)
    assert seen(document)["wheel", "lamp"]["count"] == 10


def test_nodes_on_two_buses(tmp_path: Path) -> None:
    """The first node has opened one bus before the second knows it, and forwards what that sends there: copies end when
    they do, by the log, and their responses count from the release of the job that sent the original."""
    systems = {}
    for index, name in enumerate(("left", "right")):
        systems[name] = HEAD + bus_of("a") + bus_of("b")
        for bus in ("a", "b"):
            systems[name] += task(f"on_{bus}", 'period = "10 ms"', 'wcet = "100 us"')
            keys_of = (f'sender = "on_{bus}"', 'deadline = "10 ms"')
            systems[name] += message(f"{name}_{bus}", bus, 2, 0x100 + index, *keys_of)
    often = 'period = "10 ms"\njitter = "1 ms"'
    systems["left"] += message("right_a", "a", 2, 0x101, 'from = "right"', often)
    systems["left"] += message("copy", "b", 2, 0x50, 'forwards = "right_a"')
    systems["right"] += message("copy", "b", 2, 0x50, 'from = "left"', often, 'receivers = ["on_b"]')
    folder = network(tmp_path, systems)
    code, document = ran(folder, "--duration", "100ms")
    assert (code, document["passed"]) == (0, True)
    assert {one["count"] for one in seen(document).values()} == {10}
    for bus, least in (("a", 19), ("b", 29)):
        texts = sorted((left(folder, name, f"{bus}.log") for name in systems), key=len)
        assert texts[1].startswith(texts[0])
        assert texts[0].count(b"\n") >= least
    entries = logs.entries(write(tmp_path, "b.log", left(folder, "left", "b.log")))
    ends_ns = [entry.time_ns for entry in entries if entry.identifier == 0x50]
    longest_ns = max(end_ns - 10 * MS * index for index, end_ns in enumerate(ends_ns)) + INTERMISSION_NS
    copy = seen(document)["left", "copy"]
    assert copy["response_ns_max"] == pytest.approx(longest_ns, abs=BIT_NS + 2 * HANDLER_NS)
    assert copy["response_ns_max"] <= copy["bound_ns"]


def drawn(seed: int, nodes: int, buses: int) -> dict[str, str]:
    """Systems with tasks that send and tasks that messages release."""
    draw = random.Random(seed)
    identifiers = draw.sample(range(1, 0x7EF), 100)
    texts, on, sent = {}, {}, []
    for name in (f"n{index}" for index in range(nodes)):
        on[name] = sorted(draw.sample(range(buses), draw.randint(1, buses)))
        texts[name] = HEAD + "".join(bus_of(f"b{bus}") for bus in on[name])
        for index in range(draw.randint(1, 3)):
            period, bus, size = draw.choice((5, 10, 20)), draw.choice(on[name]), draw.randint(0, 8)
            texts[name] += task(f"t{index}", f'period = "{period} ms"', f'wcet = "{draw.randint(20, 600)} us"')
            sent.append((name, f"{name}_m{index}", bus, size, identifiers.pop(), period))
            texts[name] += message(*_sent(sent[-1]), f'sender = "t{index}"', f'deadline = "{period} ms"')
    for name in texts:
        others = [one for one in sent if one[0] != name and one[2] in on[name] and draw.random() < 0.5]
        for index, one in enumerate(others[:4]):
            period = one[5]
            released = (f'trigger = "message {one[1]}"', f'min_interarrival = "{period} ms"', f'jitter = "{period} ms"')
            texts[name] += task(f"r{index}", *released, f'deadline = "{3 * period} ms"', 'wcet = "50 us"',
                                "pending_max = 8")  # fmt: skip
            contract = (f'from = "{one[0]}"', f'period = "{period} ms"', f'jitter = "{period} ms"')
            texts[name] += message(*_sent(one), *contract, f'receivers = ["r{index}"]', "queue = 8")
    return texts


def _sent(one: tuple[str, str, int, int, int, int]) -> tuple[str, str, int, int]:
    return one[1], f"b{one[2]}", one[3], one[4]


RANDOM = [
    pytest.param(seed, nodes, marks=only_full) for seed, nodes in ((2, 3), *((seed, 5) for seed in range(10, 20)))
]


@pytest.mark.parametrize(("seed", "nodes"), RANDOM)
def test_random_networks_stay_within_their_bounds(tmp_path: Path, seed: int, nodes: int) -> None:
    systems = drawn(seed, nodes, 2)
    folder = network(tmp_path, systems)
    code, document = ran(folder, "--duration", "500ms")
    assert (code, document["passed"]) == (0, True), [node["breaches"] for node in document["nodes"]]
    for bus in ("b0", "b1"):
        texts = [left(folder, name, f"{bus}.log") for name, text in systems.items() if bus_of(bus) in text]
        if len(texts) > 1:  # else the node plays the others itself
            assert all(text == max(texts, key=len)[: len(text)] for text in texts)
            assert max(texts, key=len)

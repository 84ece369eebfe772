# SPDX-License-Identifier: Apache-2.0
"""Faults between a sender and a receiver that are protected end to end, and what the receiver makes of them.

A cycle of both is 10 ms. A fault is tolerated if a status says it and the state stays VALID, detected if the state does
not, and missed if wrong or old data is accepted, or if every status is OK although something was lost."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from e2e_room import COUNTERS, PROTECTION, Config, Ours, Result, State, Status

CYCLE_NS = 10_000_000
WARM, AFTER = 20, 24  # cycles before and after a fault begins
CLASSES = ("tolerated", "detected", "missed")


@dataclass
class Run:
    """One sender with all that it sent."""

    choose: random.Random
    config: Config

    def __post_init__(self) -> None:
        self.ours, self.counter, self.sent = Ours(self.config), 0, list[bytes]()

    def send(self) -> bytes:
        head = bytes(PROTECTION[self.config.profile])
        data = self.ours.protected(head + self.choose.randbytes(self.config.size - len(head)), self.counter)
        self.counter = self.ours.next(self.counter)
        self.sent.append(data)
        return data

    def skip(self, count: int) -> None:
        """Others that are sent and do not arrive."""
        for _ in range(count):
            self.send()

    def changed(self, bits: list[int]) -> bytes:
        data = bytearray(self.send())
        for bit in bits:
            data[bit // 8] ^= 1 << bit % 8
        return bytes(data)


Channel = Iterator[bytes | None]


def _then(*first: bytes | None) -> Channel:
    yield from first


def one_bit(run: Run) -> Channel:
    return _then(run.changed([run.choose.randrange(8 * run.config.size)]))


def burst(run: Run) -> Channel:
    """Of 2 to 8 bits, in the order in which bytes are sent."""
    length = run.choose.randint(2, 8)
    first = run.choose.randint(0, 8 * run.config.size - length)
    inner = [bit for bit in range(first + 1, first + length - 1) if run.choose.random() < 0.5]
    return _then(run.changed([bit ^ 7 for bit in (first, *inner, first + length - 1)]))


def noise(run: Run) -> Channel:
    run.send()
    return _then(run.choose.randbytes(run.config.size))


def noise_for_long(run: Run) -> Channel:
    for _ in range(10):
        run.send()
        yield run.choose.randbytes(run.config.size)


def repeated(run: Run) -> Channel:
    return _then(run.sent[-1])


def hanging(run: Run) -> Channel:
    while True:
        yield run.sent[-1]


def one_lost(run: Run) -> Channel:
    run.skip(1)
    return _then(None)


def several_lost(run: Run) -> Channel:
    for _ in range(5):
        run.skip(1)
        yield None


def all_counters_lost(run: Run) -> Channel:
    """As many as there are counters, at once: a gateway that empties its buffers."""
    run.skip(COUNTERS[run.config.profile])
    return _then()


def silent(run: Run) -> Channel:
    while True:
        yield None


def swapped(run: Run) -> Channel:
    first, second = run.send(), run.send()
    return _then(second, first)


def old(run: Run) -> Channel:
    run.send()
    return _then(run.choose.choice(run.sent[-15:-1]))


def old_of_any_age(run: Run) -> Channel:
    """As a recording is played."""
    run.skip(300)
    first = run.choose.randrange(200)
    for data in run.sent[first : first + 10]:
        run.send()
        yield data


def masquerade(run: Run) -> Channel:
    """One message of another sender, whose counter is any."""
    run.send()
    return _then(_other(run).protected(run.choose.randbytes(run.config.size), _any_counter(run)))


def masquerade_for_long(run: Run) -> Channel:
    """The other sender's counter is in step."""
    other = _other(run)
    for _ in range(10):
        counter = run.counter
        run.send()
        yield other.protected(run.choose.randbytes(run.config.size), counter)


def restart(run: Run) -> Channel:
    """Nothing for 30 ms, then from the first counter on."""
    run.counter = 0
    return _then(None, None, None)


def _any_counter(run: Run) -> int:
    return run.choose.randrange(COUNTERS[run.config.profile])


def _other(run: Run) -> Ours:
    config = replace(run.config, data_id=run.config.data_id ^ run.choose.randint(1, 0xFFFF))
    return Ours(replace(config, data_ids=run.choose.randbytes(16)))


FAULTS: dict[str, Callable[[Run], Channel]] = {
    "one wrong bit": one_bit,
    "a burst of up to 8 wrong bits": burst,
    "random bits in one message": noise,
    "random bits in ten": noise_for_long,
    "one repeated": repeated,
    "all repeated: the sender hangs": hanging,
    "one lost": one_lost,
    "five lost": several_lost,
    "all counters lost at once": all_counters_lost,
    "silence": silent,
    "two swapped": swapped,
    "one old message": old,
    "ten old ones in order": old_of_any_age,
    "one of another sender": masquerade,
    "ten of another sender": masquerade_for_long,
    "restart of the sender": restart,
}


def outcome(fault: str, config: Config, choose: random.Random) -> str:
    """The class of one fault."""
    run, receiver = Run(choose, config), Ours(config)
    now_ns, results, wrong, newest = 0, list[Result](), False, -1

    def cycle(data: bytes | None) -> None:
        nonlocal now_ns, wrong, newest
        now_ns += CYCLE_NS
        result = receiver.receive(data, now_ns, now_ns)
        results.append(result)
        if result.accepted:
            number = max((at for at, one in enumerate(run.sent) if one == data), default=-1)
            wrong |= number <= newest
            newest = max(newest, number)

    for _ in range(WARM + choose.randrange(300)):
        cycle(run.send())
    results.clear()
    channel = FAULTS[fault](run)
    for _ in range(AFTER):
        data = next(channel, b"")
        cycle(run.send() if data == b"" else data)
    if wrong or all(one.status == Status.OK for one in results):
        return "missed"
    return "tolerated" if all(one.state == State.VALID for one in results) else "detected"


def counted(profile: int, fault: str, trials: int, seed: int = 1) -> Counter[str]:
    choose = random.Random(f"{seed} {profile} {fault}")
    config = Config(
        profile,
        delta_max=2,
        no_new_max=8,
        window=8,
        quorums=((1, 1),) * 3,
        fresh_ns=25_000_000,
        data_ids=bytes(choose.sample(range(256), 16)),
    )
    return Counter(outcome(fault, config, choose) for _ in range(trials))


def table(trials: int) -> list[str]:
    """Rows of docs/e2e.md."""
    rows = []
    for fault in FAULTS:
        found = [counted(profile, fault, trials) for profile in sorted(COUNTERS)]
        rows.append(f"| {fault} | {' | '.join(' / '.join(str(one[name]) for name in CLASSES) for one in found)} |")
    return rows

# SPDX-License-Identifier: Apache-2.0
"""The task manager as docs/rtm-registers.md has it, record by record: no cycles, no tree. The oracle of the RTL."""

from __future__ import annotations

from dataclasses import dataclass, field

from takt.hardware import registers
from takt.hardware.simulate import Parameters

MAP = registers.load()
BITS = {bit.name: 1 << bit.bit for bit in MAP.status}
VALID, DELAYED, EVENT, SUSPENDED, TIMEOUT, EDF = (
    BITS[name] for name in ("VALID", "DELAYED", "EVENT", "SUSPENDED", "TIMEOUT", "EDF")
)
STATUS_MASK = sum(BITS.values())
SOME = 1 << 31


@dataclass
class Record:
    """A task. `order`: the deadline, or the stamp of when it became ready."""

    status: int = 0
    level: int = 0
    order: int = 0
    event: int = 0
    wake: int = 0

    @property
    def ready(self) -> bool:
        return self.status & (VALID | DELAYED | EVENT | SUSPENDED) == VALID

    @property
    def due_to_wait(self) -> bool:
        return self.status & (VALID | DELAYED) == VALID | DELAYED

    @property
    def state(self) -> str:
        """Its state in a word, for counting which were seen."""
        if not self.status & VALID:
            return "invalid"
        waits = {0: "ready", DELAYED: "delayed", EVENT: "waiting", DELAYED | EVENT: "waiting with a limit"}
        return waits[self.status & (DELAYED | EVENT)] + (", suspended" if self.status & SUSPENDED else "")


@dataclass
class Model:
    """All records. Commands are (write, address, data), answers (data, error)."""

    parameters: Parameters
    records: list[Record] = field(default_factory=list)
    running: int | None = None
    stamp: int = 0

    def __post_init__(self) -> None:
        self.records = [Record() for _ in range(self.parameters.records)]

    def before(self, a: Record, b: Record) -> bool:
        """Whether a is better than b."""
        if a.level != b.level:
            return a.level < b.level
        span = 1 << self.parameters.order_width
        return (a.order - b.order) % span >= span // 2

    def best(self, among: list[int]) -> int | None:
        """The best of these records; of equals the first."""
        found: int | None = None
        for index in among:
            if found is None or self.before(self.records[index], self.records[found]):
                found = index
        return found

    def ready(self) -> list[int]:
        return [index for index, record in enumerate(self.records) if record.ready]

    def next(self) -> int | None:
        return self.best(self.ready())

    def after(self) -> int | None:
        first = self.next()
        return self.best([index for index in self.ready() if index != first])

    def waiting_for(self, event: int) -> list[int]:
        both = VALID | EVENT
        return [i for i, record in enumerate(self.records) if record.status & both == both and record.event == event]

    def due(self, now: int) -> list[int]:
        """The records whose time has come, and that do not know it yet."""
        return [
            index for index, record in enumerate(self.records) if record.due_to_wait and self.has_come(record.wake, now)
        ]

    def has_come(self, wake: int, now: int) -> bool:
        return wake == 0 if self.parameters.classic else (now - wake) % (1 << 32) < 1 << 31

    def set_status(self, record: Record, status: int) -> None:
        was_ready = record.ready
        record.status = status
        if record.ready and not was_ready:
            self.give_order(record)

    def give_order(self, record: Record) -> None:
        """First ready, first served, among those of a level that is not edf."""
        if not record.status & EDF and not self.parameters.classic:
            record.order = self.stamp
            self.stamp = (self.stamp + 1) % (1 << self.parameters.order_width)

    def end_of_wait(self, index: int) -> None:
        """Its time has come."""
        record = self.records[index]
        if record.due_to_wait:
            late = TIMEOUT if record.status & EVENT else 0
            self.set_status(record, record.status & ~(DELAYED | EVENT) | late)

    def release(self, event: int) -> int | None:
        winner = self.best(self.waiting_for(event))
        if winner is not None:
            record = self.records[winner]
            self.set_status(record, record.status & ~(DELAYED | EVENT | TIMEOUT))
        return winner

    def command(self, write: bool, address: int, data: int, now: int) -> tuple[int, bool]:
        """Does a command, and says what it answers."""
        sizes = MAP.map
        try:
            if address % 4:
                raise LookupError
            if address < sizes["globals"]:
                index, word = divmod(address, sizes["record_bytes"])
                name = next(row.name for row in MAP.record if 4 * row.word == word)
                return self._record(self.records[index], name, data if write else None), False
            if address >= sizes["release"]:
                event = (address - sizes["release"]) // 4
                if write or event >= 1 << self.parameters.event_width:
                    raise LookupError
                return _number(self.release(event)), False
            word = (address - sizes["globals"]) // 4
            name = next((row.name for row in MAP.unit if row.word == word), "")
            return self._unit(name, data if write else None, now), False
        except LookupError:
            return 0, True

    def _record(self, record: Record, name: str, data: int | None) -> int:
        size = self.parameters
        order_mask = (1 << size.order_width) - 1
        if data is None:
            values = {"STATUS": record.status, "EVENT": record.event, "WAKE": record.wake}
            values["KEY"] = record.level << 24 | record.order
            return values.get(name, 0)
        masks = dict.fromkeys(("STATUS", "SET", "CLEAR"), STATUS_MASK)
        masks["KEY"] = ((1 << size.level_width) - 1) << 24 | order_mask
        masks["EVENT"] = masks["WAIT"] = (1 << size.event_width) - 1
        masks["WAKE"] = masks["SLEEP"] = 0xFFFF if size.classic else 0xFFFFFFFF
        if data & ~masks[name]:
            raise LookupError
        if name == "KEY":
            record.level, record.order = data >> 24, data & order_mask
            self.give_order(record)
        if name in ("EVENT", "WAIT"):
            record.event = data
        if name in ("WAKE", "SLEEP"):
            record.wake = data
        after = {
            "STATUS": data,
            "SET": record.status | data,
            "CLEAR": record.status & ~data,
            "SLEEP": record.status & ~TIMEOUT | DELAYED,
            "WAIT": record.status & ~TIMEOUT | EVENT,
        }
        if name in after:
            self.set_status(record, after[name])
        return 0

    def _unit(self, name: str, data: int | None, now: int) -> int:
        size = self.parameters
        known = {row.name: row for row in MAP.unit}
        if name not in known or (data is not None and known[name].access == "ro"):
            raise LookupError
        if known[name].classic == ("never" if size.classic else "only"):
            raise LookupError
        if name == "RUNNING" and data is not None:
            if data & ~(SOME | 0xFF) or data & 0xFF >= size.records:
                raise LookupError
            self.running = data & 0xFF if data & SOME else None
        elif name == "TICK" and data is not None:
            if data > 0xFFFF:
                raise LookupError
            for record in self.records:
                if record.due_to_wait:
                    record.wake = max(0, record.wake - data)
        elif name == "TAKE":
            self.running = self.next()
        info = size.records | size.level_width << 8 | size.order_width << 16 | size.event_width << 24
        values = {"INFO": info | (SOME if size.classic else 0), "NOW": now, "TICK": 0}
        if name in values:
            return values[name] if data is None else 0
        numbers = {"NEXT": self.next(), "TAKE": self.running, "RUNNING": self.running}
        return 0 if data is not None else _number(numbers[name] if name in numbers else self.after())


def _number(index: int | None) -> int:
    return 0 if index is None else SOME | index

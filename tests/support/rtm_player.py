# SPDX-License-Identifier: Apache-2.0
"""Random commands for the task manager and its oracle."""

from __future__ import annotations

import random
from collections import Counter

from rtm_lockstep import LockStep
from rtm_model import DELAYED, EDF, EVENT, MAP, SOME, STATUS_MASK, SUSPENDED, TIMEOUT, VALID
from takt.hardware.simulate import Parameters


class Player:
    """Draws commands that keep what the unit asks for: times and orders of a level within half of their range."""

    def __init__(self, parameters: Parameters, seed: int) -> None:
        self.random = random.Random(seed)
        self.step = LockStep(parameters, now=self.random.randrange(1 << 32))
        self.seen: Counter[tuple[str, str]] = Counter()
        self.parameters = parameters
        self.deadlines = 0  # around which deadlines are drawn

    def some(self) -> int:
        """A record; of the states that there are each as often, or the common ones would be all."""
        records = self.step.model.records
        state = self.random.choice(sorted({record.state for record in records}))
        return self.random.choice([index for index, record in enumerate(records) if record.state == state])

    def key(self, edf: bool) -> int:
        """Odd levels are edf."""
        level = self.random.randrange(0, min(8, 1 << self.parameters.level_width), 2) + edf
        span = 1 << self.parameters.order_width
        order = (self.deadlines + self.random.randrange(span // 4)) % span if edf else 0
        if self.parameters.classic:
            order = self.random.randrange(span // 4)
        return level << 24 | order

    def event(self) -> int:
        """One of a few, so that several wait for the same."""
        return self.random.randrange(min(4, 1 << self.parameters.event_width))

    def begin(self) -> None:
        """Each record with a key and an event: memory is not cleared by a reset."""
        for index in range(self.parameters.records):
            edf = self.random.random() < 0.4
            self.write(index, "STATUS", EDF if edf else 0)
            self.write(index, "KEY", self.key(edf))
            self.write(index, "EVENT", self.event())
            self.write(index, "WAKE", 0)

    def write(self, index: int, name: str, data: int) -> None:
        self.seen[name, self.step.model.records[index].state] += 1
        self.step.do(True, MAP.record_address(index, name), data)

    def time(self) -> int:
        """What to wait for: soon, now, or long ago."""
        if self.parameters.classic:
            return self.random.choice((0, 1, 2, 3, 9, 0xFFFF))
        return (self.step.now + self.random.choice((-1000, -1, 0, 1, 2, 5, 40, 10_000))) % (1 << 32)

    def keep_order(self) -> None:
        """Orders of half of the range ago are no longer distinguished from later ones: those tasks are queued anew.
        Each that is makes the others older by one, as a command of a turn may."""
        span = 1 << self.parameters.order_width
        margin = 8 + self.parameters.records
        model = self.step.model
        for index, record in enumerate(model.records if not self.parameters.classic else ()):
            edf = bool(record.status & EDF)
            age = (self.deadlines - record.order + span // 4 if edf else model.stamp - record.order) % span
            if age > span // 2 - (8 if edf else margin):
                self.step.do(True, MAP.record_address(index, "KEY"), self.key(edf))

    def turn(self) -> None:
        index, model = self.some(), self.step.model
        edf = bool(model.records[index].status & EDF)
        self.look_for_wrap()
        draw = self.random.random()
        if self.random.random() < 0.01:
            for each in range(self.parameters.records):
                self.write(each, "CLEAR", VALID)
        if draw < 0.1:
            other, kind = self.random.randrange(self.parameters.records), EDF if self.random.random() < 0.5 else 0
            self.write(other, "STATUS", kind)  # first, since an order is of the one kind or the other
            self.write(other, "KEY", self.key(bool(kind)))
            self.write(other, "STATUS", VALID | kind)
        elif draw < 0.55:
            name = self.random.choice(
                ("STATUS", "SET", "CLEAR", "KEY", "EVENT", "WAKE", "SLEEP", "WAIT", "SLEEP", "WAIT")
            )
            bits = self.random.choice((VALID, VALID, DELAYED, EVENT, SUSPENDED, TIMEOUT, VALID | SUSPENDED))
            values = {"KEY": self.key(edf), "EVENT": self.event(), "WAIT": self.event()}
            values |= {"WAKE": self.time(), "SLEEP": self.time()}
            values["STATUS"] = self.random.choice((0, VALID, VALID | bits, VALID | (DELAYED | EVENT | SUSPENDED))) | (
                EDF if edf else 0
            )
            self.write(index, name, values.get(name, bits))
        elif draw < 0.65:
            event = self.event()
            winner = model.best(model.waiting_for(event))
            self.seen["release", "nobody" if winner is None else model.records[winner].state] += 1
            self.step.do(False, MAP.release_address(event))
        elif draw < 0.78:
            name = self.random.choice(("NEXT", "AFTER", "TAKE", "RUNNING", "NOW", "INFO", "TICK"))
            self.seen[name, f"{min(2, len(model.ready()))} ready"] += 1
            self.step.do(False, MAP.unit_address(name))
        elif draw < 0.82:
            self.step.do(True, MAP.unit_address("RUNNING"), self.random.choice((0, SOME | index)))
        elif draw < 0.88:
            self.seen["read", model.records[index].state] += 1
            self.step.do(False, MAP.record_address(index, self.random.choice(("STATUS", "KEY", "EVENT", "WAKE"))))
        elif draw < 0.90:
            self.wrong()
        elif self.parameters.classic:
            self.step.do(True, MAP.unit_address("TICK"), self.random.choice((0, 1, 1, 2, 5, 0xFFFF)))
        elif draw < 0.98:
            self.step.now = (self.step.now + self.random.choice((1, 1, 2, 7))) % (1 << 32)
            self.step.idle(self.random.choice((0, 0, 1, 2, 5)))
        else:
            self.step.wait(self.step.now + self.random.randrange(30))
        self.deadlines += 1
        self.keep_order()

    def look_for_wrap(self) -> None:
        """Counts it when NEXT is better than an equal of its level by the wrap alone."""
        model = self.step.model
        best = model.next()
        for index in model.ready() if best is not None else ():
            first, other = model.records[best or 0], model.records[index]
            if first.level == other.level and first.order > other.order:
                self.seen["wrap", "edf" if first.status & EDF else "fixed"] += 1

    def wrong(self) -> None:
        """What must change nothing: any address, any data, as the model has it an error or not; mostly an error."""
        index = self.some()
        cases = [
            (True, self.random.randrange(0x1020, 0x1400), 0),
            (False, MAP.unit_address("NEXT") + self.random.randrange(1, 4), 0),
            (True, MAP.unit_address(self.random.choice(("NEXT", "AFTER", "TAKE", "NOW", "INFO"))), 0),
            (True, MAP.unit_address("RUNNING"), SOME | self.parameters.records),
            (True, MAP.unit_address("RUNNING"), 1 << self.random.randrange(8, 31)),
            (True, MAP.record_address(index, "STATUS"), STATUS_MASK + 1 << self.random.randrange(20)),
            (True, MAP.record_address(index, "WAIT"), 1 << self.random.randrange(self.parameters.event_width, 32)),
            (True, MAP.release_address(0), 0),
            (False, MAP.release_address(self.random.randrange(1 << self.parameters.event_width, 1024)), 0),
        ]
        beyond = range(self.parameters.records, MAP.map["records_max"])
        if beyond:
            cases.append((False, MAP.record_address(self.random.choice(beyond), "STATUS"), 0))
        self.seen["wrong", "error" if self.step.do(*self.random.choice(cases))[1] else "none"] += 1

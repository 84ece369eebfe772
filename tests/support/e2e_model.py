# SPDX-License-Identifier: Apache-2.0
"""A receiver of AUTOSAR's E2E profiles, as plain as can be: it keeps all that it ever saw, and works each cycle out
from that. Checks are those of autosar-e2e."""

from __future__ import annotations

from e2e_room import COUNTERS, NEVER, Config, Result, State, Status, Theirs

RIGHT = (Status.OK, Status.OKSOMELOST, Status.SYNC)


class Model:
    def __init__(self, config: Config) -> None:
        self.config, self.theirs = config, Theirs(config)
        self.cycles: list[Status] = []
        self.counted: list[tuple[int, int]] = []  # cycle and counter of the data whose counter counts
        self.silent: list[bool] = []  # cycles without new data since the last one that reset them
        self.to_sync = 0
        self.states = [State.NODATA]
        self.noted: list[Status] = []  # what is in the window
        self.accepted_ns = NEVER

    def receive(self, data: bytes | None, came_ns: int, now_ns: int) -> Result:
        before = self.counted[-1][1] if self.counted else (255 if self.config.profile == 5 else 0)
        status = self._status_5(data) if self.config.profile == 5 else self._status(data)
        self.cycles.append(status)
        self.states.append(self._state(status))
        accepted = status in (*RIGHT, Status.INITIAL)
        lost = (self.counted[-1][1] - before - 1) % COUNTERS[self.config.profile] if status in RIGHT else 0
        if accepted:
            self.accepted_ns = came_ns
        age_ns = NEVER if self.accepted_ns == NEVER else now_ns - self.accepted_ns
        state = self.states[-1]
        if state == State.VALID and age_ns > self.config.fresh_ns:
            state = State.STALE
        return Result(status, state, lost, accepted, age_ns)

    def counter_of(self, data: bytes) -> int:
        if self.config.profile == 5:
            return data[self.config.offset + 2]
        return data[self.config.offset + 1] & 0x0F

    def _allowed(self) -> int:
        """How far ahead a counter may be: one more for each cycle since data last counted."""
        cycles = len(self.cycles) - self.counted[-1][0]
        return int(min(self.config.delta_max + cycles, COUNTERS[self.config.profile] - 1))

    def _status(self, data: bytes | None) -> Status:
        """Of profiles 1 and 2."""
        if data is None:
            self.silent.append(True)
            return Status.NONEWDATA
        if not self.theirs.is_right(data):
            return Status.ERROR
        counter, now = self.counter_of(data), len(self.cycles)
        if not self.counted:
            self.counted.append((now, counter))
            return Status.INITIAL
        delta = (counter - self.counted[-1][1]) % COUNTERS[self.config.profile]
        if delta > self._allowed():
            self.silent = []
            self.to_sync = self.config.sync
            self.counted += [(now, counter)] if self.to_sync else []
            return Status.WRONGSEQUENCE
        if delta == 0:
            self.silent.append(True)
            return Status.REPEATED
        self.counted.append((now, counter))
        return self._in_order(delta)

    def _in_order(self, delta: int) -> Status:
        silent, self.silent = min(len(self.silent), COUNTERS[self.config.profile] - 1), []
        if silent > self.config.no_new_max:
            self.to_sync = self.config.sync
            return Status.SYNC
        if self.to_sync > 0:
            self.to_sync -= 1
            return Status.SYNC
        return Status.OK if delta == 1 else Status.OKSOMELOST

    def _status_5(self, data: bytes | None) -> Status:
        if data is None:
            return Status.NONEWDATA
        if not self.theirs.is_right(data):
            return Status.ERROR
        counter, before = self.counter_of(data), self.counted[-1][1] if self.counted else 255
        self.counted.append((len(self.cycles), counter))
        delta = (counter - before) % 256
        if delta > self.config.delta_max:
            return Status.WRONGSEQUENCE
        return (Status.REPEATED, Status.OK)[delta] if delta < 2 else Status.OKSOMELOST

    def _state(self, status: Status) -> State:
        state = self.states[-1]
        if state == State.NODATA:
            return State.NODATA if status in (Status.ERROR, Status.NONEWDATA) else State.INIT
        self.noted.append(status)
        window = self.noted[-self.config.window :]
        right, errors = sum(one in RIGHT for one in window), window.count(Status.ERROR)
        ok_min, error_max = self.config.quorums[(State.INIT, State.VALID, State.INVALID).index(state)]
        if errors <= error_max and right >= ok_min:
            return State.VALID
        return State.INIT if state == State.INIT and errors <= error_max else State.INVALID

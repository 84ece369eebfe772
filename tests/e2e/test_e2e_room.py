# SPDX-License-Identifier: Apache-2.0
"""net/e2e: bytes beside those of the package autosar-e2e, statuses and states beside a plain model.

TAKT_E2E_FRAMES: how many random frames of each profile (default 900, with --full 100000). TAKT_SEED: the first seed.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import fuzzing
import pytest
from e2e_model import Model
from e2e_room import COUNTERS, Config, Ours, State, Theirs, random_config, with_counter
from takt.support.provision import ROOT

FULL = bool(os.environ.get("TAKT_TEST_FULL"))
FRAMES = int(os.environ.get("TAKT_E2E_FRAMES", "100000" if FULL else "900"))
SEED = int(os.environ.get("TAKT_SEED", "1"))
PROFILES = sorted(COUNTERS)


@pytest.mark.parametrize("profile", PROFILES)
def test_bytes_of_random_frames(profile: int) -> None:
    """What one writes the other takes, and nothing that it does not."""
    choose, rights = random.Random(SEED), 0
    for number in range(FRAMES):
        if number % 10 == 0:
            config = random_config(choose, profile)
            ours, theirs = Ours(config), Theirs(config)
        where = f"frame {number} of TAKT_SEED={SEED}: {config}"
        counter, data = choose.randrange(COUNTERS[profile]), choose.randbytes(config.size)
        found = ours.protected(data, counter)
        assert found == theirs.protected(with_counter(config, data, counter)), where
        assert ours.is_right(found), where
        assert theirs.is_right(found), where
        assert theirs.after(found) == ours.protected(found, ours.next(counter)), where
        spoilt = bytearray(found)
        for _ in range(choose.randint(1, 4)):
            spoilt[choose.randrange(config.size)] ^= 1 << choose.randrange(8)
        right = theirs.is_right(bytes(spoilt))
        assert ours.is_right(bytes(spoilt)) == right, where
        rights += right
    assert rights < FRAMES / 20


def test_counters_that_profile_1_does_not_have() -> None:
    config = Config(1)
    theirs = Theirs(config)
    wrong = theirs.protected(b"\0\x0f" + bytes(6))
    assert wrong[1] == 15
    assert (Ours(config).is_right(wrong), theirs.is_right(wrong)) == (False, False)


class Channel:
    """What may become of the messages of a sender."""

    def __init__(self, choose: random.Random, config: Config) -> None:
        self.choose, self.config, self.theirs = choose, config, Theirs(config)
        self.last = self.theirs.protected(with_counter(config, bytes(config.size), 0))
        self.sent = [self.last]
        self.disturbed = choose.choice([0.0, 0.6])

    def send(self) -> bytes:
        data = with_counter(
            self.config, self.choose.randbytes(self.config.size), Model(self.config).counter_of(self.last)
        )
        self.last = self.theirs.after(data)
        self.sent.append(self.last)
        return self.last

    def cycle(self) -> bytes | None:
        """What one cycle of the receiver finds."""
        if self.choose.random() < 0.05:
            self.disturbed = self.choose.choice([0.0, 0.0, 0.2, 0.6])
        if self.choose.random() >= self.disturbed:
            return self.send()
        what = self.choose.randrange(7)
        if what <= 2:
            return (None, self.sent[-1], self.choose.choice(self.sent[-40:]))[what]
        if what == 3:
            spoilt = bytearray(self.send())
            spoilt[self.choose.randrange(self.config.size)] ^= self.choose.randint(1, 255)
            return bytes(spoilt)
        if what == 4:  # a restart
            self.last = with_counter(self.config, self.last, COUNTERS[self.config.profile] - 1)
            return self.send()
        for _ in range(self.choose.choice([1, 1, 2, 3, self.choose.randint(1, 300)])):
            self.send()
        return self.send()


@pytest.mark.parametrize("profile", PROFILES)
def test_statuses_and_states_of_random_sequences(profile: int) -> None:
    choose = random.Random(SEED)
    statuses, states = set(), set()
    for number in range(max(8, FRAMES // 150)):
        config = random_config(choose, profile)
        ours, model, channel = Ours(config), Model(config), Channel(choose, config)
        now_ns = 100
        for cycle in range(150):
            now_ns += choose.randint(1, 10)
            came_ns, data = now_ns - choose.randint(0, 5), channel.cycle()
            found, wanted = ours.receive(data, came_ns, now_ns), model.receive(data, came_ns, now_ns)
            assert found == wanted, f"cycle {cycle} of sequence {number} of TAKT_SEED={SEED}: {config}"
            statuses.add(found.status)
            states.add(found.state)
    assert len(statuses) == (6 if profile == 5 else 8)
    assert states | {State.NODATA} == set(State)  # that only lasts where nothing comes at first


def test_a_channel_that_does_anything(tmp_path: Path) -> None:
    room = ROOT / "net" / "e2e"
    sources = [*sorted((room / "src").glob("*.c")), room / "test" / "e2e_fuzz.c"]
    program = fuzzing.build(tmp_path / "fuzz", sources, room / "include")
    assert fuzzing.run(program, tmp_path, fuzzing.inputs("TAKT_FUZZ_E2E", 1500, 300_000), 400) > 100

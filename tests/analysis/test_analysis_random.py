# SPDX-License-Identifier: Apache-2.0
"""The analysis against a naive simulator and against the kernel itself, over random systems with every list of up to
four bands; and over absurd ones, under the sanitizers.

TAKT_SETS: how many systems of each kind (default 4000, with --full 100000, and of absurd ones 10^6). A failure prints
its seed; `campaign MODE 1 SEED` replays it.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

FULL = bool(os.environ.get("TAKT_TEST_FULL"))
SETS = int(os.environ.get("TAKT_SETS", "100000" if FULL else "4000"))
WILD = SETS * 10 if FULL else SETS


def run(program: Path, mode: str, sets: int, seed: int, *features: str) -> dict[str, int]:
    """Counts of a campaign; fails with its output when the analysis and the simulator disagree."""
    return counted([program, mode, str(sets), str(seed), *features], sets)


def counted(command: list[str | Path], sets: int) -> dict[str, int]:
    """What a program that looked at so many systems counted."""
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    counts: dict[str, int] = json.loads(result.stdout)
    assert counts["sets"] == sets
    return counts


def assert_shares(counts: dict[str, int]) -> None:
    """A campaign that refuses or accepts nearly all, or all from afar, tests little."""
    sets = counts["sets"]
    print(f"accepted {counts['accepted'] / sets:.1%}, refused {counts['refused'] / sets:.1%}, ", end="")
    print(f"within 5 % of the boundary {counts['near'] / sets:.1%}")
    assert counts["accepted"] >= 0.3 * sets
    assert counts["refused"] >= 0.3 * sets
    assert counts["near"] >= sets / 3
    assert counts["undecided"] <= sets / 1000


def test_exact(campaign: Path) -> None:
    """No accepted system misses, no refused one is schedulable, fixed bounds are reached at the synchronous release."""
    counts = run(campaign, "exact", SETS, 1)
    assert_shares(counts)
    assert counts["undecided"] == 0
    assert counts["shape_min"] >= SETS // 30


def test_all_offsets_of_tiny_systems(campaign: Path) -> None:
    """With all offsets tried, no accepted system misses and every bound, in edf bands too, is reached."""
    counts = run(campaign, "tiny", SETS, 1)
    assert counts["reached"] == counts["bounds"] > 0


def test_all_phases_of_tiny_systems(campaign: Path) -> None:
    """With offsets between tasks of one period and all phases of the rest tried, every bound of a fixed level is
    reached."""
    counts = run(campaign, "phases", SETS // 4, 1)
    assert counts["tighter"] >= SETS / 100


def test_exact_on_the_kernel(kernel_campaign: Path) -> None:
    """The same of runs of the kernel on the host port: what is refused misses there, what is accepted does not."""
    counts = run(kernel_campaign, "exact", SETS // 2, 1)
    assert_shares(counts)
    assert counts["undecided"] == 0


def test_sound_on_the_kernel(kernel_campaign: Path) -> None:
    assert_shares(run(kernel_campaign, "sound", SETS // 4, 1))


def test_mutexes_on_the_kernel(kernel_campaign: Path) -> None:
    """It hands a mutex to the best waiter, which the simulator does not: so more of them come after each other."""
    counts = run(kernel_campaign, "sound", SETS // 4, 7, "144")
    assert counts["reached"] >= 0.15 * counts["bounds"]


def test_fifo_mutexes_on_the_kernel(kernel_campaign: Path) -> None:
    counts = run(kernel_campaign, "sound", SETS // 8, 7, "32912")
    assert counts["reached"] >= 0.1 * counts["bounds"]


def test_ceilings_on_the_kernel(kernel_campaign: Path) -> None:
    for features in ("2048", "65536"):  # of all mutexes, and of some
        counts = run(kernel_campaign, "sound", SETS // 8, 7, features)
        assert counts["reached"] >= 0.3 * counts["bounds"]


def test_waits_on_the_kernel(kernel_campaign: Path) -> None:
    counts = run(kernel_campaign, "sound", SETS // 4, 7, "1024")
    assert counts["reached"] >= 0.5 * counts["bounds"]


def test_sound(campaign: Path) -> None:
    """Jitter, interrupts, kernel time, locked sections, mutexes, equals and long deadlines, in any mixture."""
    counts = run(campaign, "sound", SETS, 1)
    assert_shares(counts)
    assert counts["shape_min"] >= SETS // 30


def test_sound_with_everything(campaign: Path) -> None:
    """Waits, ceilings, offsets, bursts and servers with any of these: 10^5 systems with --full, 10^6 once."""
    counts = run(campaign, "every", SETS, 1)
    print(f"accepted {counts['accepted'] / SETS:.1%}, reached {counts['reached'] / counts['bounds']:.1%}")
    assert counts["shape_min"] >= SETS // 30
    assert counts["undecided"] <= SETS / 1000  # loads next to 1, of bursts with a distance
    assert min(counts["accepted"], counts["refused"]) >= 0.2 * SETS
    assert counts["reached"] >= 0.1 * counts["bounds"]


@pytest.mark.parametrize(
    ("name", "feature", "reached"),
    [
        ("jitter", 1, 0.8),
        ("interrupts", 2, 0.8),
        ("release cost", 4, 0.8),
        ("locked section", 8, 0.8),
        ("mutexes", 16, 0.3),
        ("mutexes and background", 144, 0.15),
        ("fifo mutexes", 32784, 0.2),
        ("fifo mutexes and background", 32912, 0.1),
        ("fifo mutexes, jitter, equals", 32817, 0.1),
        ("fifo mutexes, waits", 33808, 0.02),
        ("equals", 32, 0.6),
        ("long deadlines", 64, 0.8),
        ("waits", 1024, 0.5),
        ("ceilings", 2048, 0.3),
        ("waits and ceilings", 3072, 0.1),
        ("some ceilings", 65536, 0.3),
        ("some ceilings, fifo mutexes, jitter", 98305, 0.2),
        ("offsets", 4096, 0.4),
        ("offsets, jitter", 4097, 0.3),
        ("offsets, mutexes", 4112, 0.15),
        ("offsets, releases", 4100, 0.15),
        ("offsets, waits, ceilings", 7168, 0.05),
        ("bursts", 8192, 0.7),
        ("bursts, jitter", 8193, 0.7),
        ("bursts, long deadlines", 8256, 0.7),
        ("bursts, mutexes", 8208, 0.2),
        ("bursts, waits", 9216, 0.4),
        ("bursts, ceilings, offsets", 14336, 0.1),
        ("servers", 16384, 0.25),
        ("servers, mutexes", 16400, 0.05),
        ("servers, ceilings", 18432, 0.05),
        ("servers, waits", 17408, 0.15),
        ("servers, bursts, jitter", 24577, 0.15),
        ("servers, offsets", 20480, 0.1),
    ],
)
def test_sound_alone(campaign: Path, name: str, feature: int, reached: float) -> None:
    """Each feature by itself; and its bounds are not so loose that none is ever reached."""
    counts = run(campaign, "sound", max(SETS // 8, 500), 7, str(feature))
    print(f"{name}: {counts['reached'] / counts['bounds']:.1%} of the bounds were reached")
    assert counts["reached"] >= reached * counts["bounds"]


def test_bursts_exactly(campaign: Path) -> None:
    """Bounds of fixed levels are reached when all bursts come together, and what is refused misses there."""
    counts = run(campaign, "exact", SETS // 4, 11, "8192")
    assert_shares(counts)
    assert counts["undecided"] == 0


def test_bursts_on_the_kernel(kernel_campaign: Path) -> None:
    counts = run(kernel_campaign, "sound", SETS // 8, 7, "8192")
    assert counts["reached"] >= 0.5 * counts["bounds"]


def test_cooperative_bursts(campaign: Path) -> None:
    assert_shares(run(campaign, "cooperative", SETS // 8, 3, "8192"))


def test_servers(campaign: Path) -> None:
    """Of all kinds in all bands; with bounds of what most of them serve."""
    counts = run(campaign, "sound", SETS // 4, 11, "16384")
    assert_shares(counts)
    assert counts["served"] >= 0.5 * counts["sets"]


def test_waits_are_more_than_jitter_of_their_length(campaign: Path) -> None:
    """A system whose lowest task responds later than a bound that takes suspensions as release jitter."""
    counts = run(campaign, "sound", 1, 65953, "1024")
    assert counts["tighter"] > 0


def test_ceilings_with_late_releases(campaign: Path) -> None:
    """Jobs released late are due before the ceilings of locks that came first: systems where more than one section
    blocks."""
    run(campaign, "sound", 1, 10558, "2049")
    run(campaign, "every", 1, 1235327)  # in a level below: one that blocks waits for another within its section


def test_cooperative(campaign: Path) -> None:
    """Jobs that do not preempt each other."""
    assert_shares(run(campaign, "cooperative", SETS // 2, 1))


@pytest.mark.parametrize("mode", ["exact", "tiny", "sound", "cooperative"])
def test_sanitized(sanitized_campaign: Path, mode: str) -> None:
    """The same under the address and undefined-behaviour sanitizers, on fewer systems."""
    run(sanitized_campaign, mode, min(SETS // 20, 1000), 1)


def test_absurd_systems(wild: Path) -> None:
    """No finding of the sanitizers; broken rules are distinguished, and an answer stays the same when asked again."""
    counts = counted([wild, str(WILD), "1"], WILD)
    assert counts["invalid"] >= WILD / 20
    assert min(counts["feasible"], counts["infeasible"], counts["scaled"]) >= WILD / 5
    assert counts["shorter"] >= WILD / 10
    assert min(counts["undecided"], counts["limits"], counts["unbounded"], counts["bounds"]) >= WILD / 500

# SPDX-License-Identifier: Apache-2.0
"""Durations are exact in both directions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from takt.support import durations
from takt.support.errors import UserError


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("250 us", 250_000),
        ("1.2 ms", 1_200_000),
        ("20ms", 20_000_000),
        (" 1 s ", 1_000_000_000),
        ("64 ns", 64),
        ("2 min", 120_000_000_000),
        ("0 ns", 0),
        ("0.1 us", 100),
        ("0.123456789 s", 123_456_789),
        ("1.50000000000000000000000000 us", 1500),
        ("007 ms", 7_000_000),
        ("4611686018427387904 ns", 2**62),
    ],
)
def test_parse(text: str, nanoseconds: int) -> None:
    assert durations.parse(text) == nanoseconds


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "not a duration"),
        ("ms", "not a duration"),
        ("1,5 ms", "not a duration"),
        (".5 ms", "not a duration"),
        ("1. ms", "not a duration"),
        ("1 ms ms", "not a duration"),
        ("-1 ms", "a duration cannot be negative"),
        ("5", "the unit is missing"),
        ("5 weeks", 'unknown unit "weeks"'),
        ("1.5 ns", "a fraction of a nanosecond"),
        ("0.00000000000000000000000000001 s", "a fraction of a nanosecond"),
        ("4611686018427387905 ns", "longer than 4611686018427387904 ns, the longest duration that Takt supports"),
        ("9" * 5000 + " s", "longer than 4611686018427387904 ns, the longest duration that Takt supports"),
        ("٣ ms", "not a duration"),
    ],
)
def test_refused(text: str, problem: str) -> None:
    with pytest.raises(UserError) as caught:
        durations.parse(text)
    assert caught.value.problem == problem


@pytest.mark.parametrize(("unit", "meant"), [("µs", "us"), ("usec", "us"), ("sec", "s"), ("Ms", "ms"), ("m", "min")])
def test_near_units(unit: str, meant: str) -> None:
    with pytest.raises(UserError) as caught:
        durations.parse(f"3 {unit}")
    assert caught.value.hint.startswith(f'"{meant}"')


@given(st.integers(0, durations.MAX_NS))
def test_show_is_exact(nanoseconds: int) -> None:
    assert durations.parse(durations.show(nanoseconds)) == nanoseconds


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [(0, "0 ns"), (999, "999 ns"), (1500, "1.5 us"), (1_200_000, "1.2 ms"), (1_000_000_001, "1000000.001 us")],
)
def test_show(nanoseconds: int, text: str) -> None:
    assert durations.show(nanoseconds) == text


@pytest.mark.parametrize(
    ("text", "rate"),
    [("500k", 500_000), ("500 kbit/s", 500_000), ("83.333 kbps", 83_333), (" 1M ", 1_000_000), ("0.5Mbit", 500_000)],
)
def test_bit_rates_have_two_spellings(text: str, rate: int) -> None:
    assert durations.bit_rate(text) == rate


@pytest.mark.parametrize("text", ["500", "500 kb", "5 k bit/s", "k", "1.5 bit/s", "kbitbps", "-5k", "1e6"])
def test_no_bit_rates(text: str) -> None:
    with pytest.raises(UserError):
        durations.bit_rate(text)
    assert durations.bit_rate("500", bare=True) == 500

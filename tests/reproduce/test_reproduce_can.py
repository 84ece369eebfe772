# SPDX-License-Identifier: Apache-2.0
"""`takt reproduce can`: its curves lie where another program's do; each verdict is that of the seed's words."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt, documented, keys
from takt.bench import documents
from takt.reproduce.can import command, figures, study
from takt.reproduce.can.judge import ALL, FREE, START, TESTS, TICKED, Setting, judge
from takt.reproduce.can.workloads import Kind, Lengths, Message, Workload, draw
from takt.support import compile

US = 1000


@pytest.fixture(scope="module", autouse=True)
def library() -> None:
    compile.host_library()


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    document: dict[str, Any] = documents.results(command.KEPT)
    return document


def plain(found: Iterable[str]) -> set[str]:
    """Cases, policies and tests are not written out in docs/json.md, only the whole path is."""
    policies, tests = "|".join((*ALL, START, FREE, TICKED)), "|".join(TESTS)
    paths = {re.sub(r"^cases\.[\w-]+\.", "cases.C.", key) for key in found}
    paths = {re.sub(rf"^(cases.*)\.({tests})(\.|$)", r"\1.T\3", key) for key in paths}
    paths = {re.sub(rf"^(cases.*)\.({policies})$", r"\1.P", key) for key in paths}
    return {key for key in paths if not re.fullmatch(r"cases\.[\w-]+|cases\.C\.(feasible|undecided)\.T", key)}


# The printed conditions in their own words, of frames in bits at 1 Mbit/s: what of judge.py is not of analysis/.


def frames(streams: Sequence[Message]) -> list[tuple[int, int, int]]:
    """Send, period, deadline in ns: 47 bits and the data."""
    return [((47 + 8 * one.size) * US, one.period_ns, one.deadline_ns) for one in streams]


def up(time: int, period: int) -> int:
    return -(-time // period)


def fixed(rows: Sequence[tuple[int, int, int]], index: int) -> bool:
    """For some release or D - C: what goes first, and 111 us, is there by then."""
    send, _, deadline = rows[index]
    last = deadline - send
    times = {last, *(at for _, period, _ in rows[:index] for at in range(period, last + 1, period))}
    return any(sum(up(t, period) * c for c, period, _ in rows[:index]) + 111 * US <= t for t in sorted(times))


def mixed(rows: Sequence[tuple[int, int, int]], index: int, region: int, epoch: int) -> bool:
    """The same of the first message of a high-speed stream; 16 bits at the begin of each epoch go before all."""
    own = rows[index][2] - rows[index][0]

    def count(t: int, other: int) -> int:
        send, period, deadline = rows[other]
        found = up(t, period)
        theirs = (found - 1) * period + deadline - send
        return found if theirs < own or (own < theirs <= own + region and other < index) else found - 1

    others = [other for other in range(len(rows)) if other != index]
    times = {own, *(at for _, period, _ in (*rows, (0, epoch, 0)) for at in range(period, own + 1, period))}
    return any(
        sum(count(t, other) * rows[other][0] for other in others) + 16 * US * up(t, epoch) + 111 * US < t for t in times
    )


def due(rows: Sequence[tuple[int, int, int]], until: int) -> bool:
    """Zheng and Shin: at every deadline what is due by then, and 111 us."""
    times = {at for _, period, deadline in rows for at in range(deadline, until, period)}
    return all(
        sum(((t - deadline) // period + 1) * send for send, period, deadline in rows if t >= deadline) + 111 * US <= t
        for t in times
    )


@pytest.mark.parametrize("streams", [9, 12, 14])
def test_verdicts_are_those_of_the_printed_words(streams: int) -> None:
    seen = set()
    for number in range(6):
        workload = draw(1, Kind(low_ms=20), streams, number)
        high, low = frames(workload.high), frames(workload.low)
        slow = all(fixed([*high, *low], len(high) + index) for index in range(len(low)))
        fast = all(fixed(high, index) for index in range(len(high)))
        region = up(2_000_000 + max(deadline for _, _, deadline in high), 32)
        wanted = {
            "dm": fast and slow,
            "mts": all(mixed(high, index, region, 2_000_000) for index in range(len(high)))
            and all(fixed([(16 * US, 2_000_000, 0), *high, *low], 1 + len(high) + index) for index in range(len(low))),
            "ed": due([*high, *low], 20_000_000),
        }
        found = {policy: judge(workload, Setting(), "historic", policy).feasible for policy in wanted}
        assert found == wanted, number
        seen |= set(wanted.items())
    assert len(seen) >= 4


def test_frames_have_the_bits_of_the_standard() -> None:
    """With 3 bits of intermission: 135 and 160 bits of 8 bytes (Davis and others 2007); 47 to 111: 7.4.4, 7.5.5."""
    assert [Lengths.PLAIN.bits(size) for size in (0, 8)] == [47, 111]
    assert [Lengths.STUFFED.bits(8), Lengths.STUFFED_LONG.bits(8), Lengths.PLAIN_LONG.bits(8)] == [135, 160, 131]


def test_workloads_are_those_of_7_5_1() -> None:
    workload = draw(1, Kind(), 12, 5)
    assert workload == draw(1, Kind(), 12, 5) != draw(1, Kind(), 12, 6)
    for part, periodic, sporadic, least, most in ((workload.high, 12, 2, 0.5, 2), (workload.low, 25, 4, 2, 100)):
        assert [sum(one.periodic == kind for one in part) for kind in (True, False)] == [periodic, sporadic]
        assert all(least * 1e6 <= one.deadline_ns <= most * 1e6 and 0 <= one.size <= 8 for one in part)
        assert all(
            one.deadline_ns <= one.period_ns <= 1.5 * one.deadline_ns if one.periodic else one.period_ns == 2 * 10**9
            for one in part
        )
    longer = draw(1, Kind(low_ms=200, sporadic=4), 12, 5)
    assert [one.size for one in longer.low] != []
    assert set(workload.high) <= set(longer.high)


def test_what_the_settings_change() -> None:
    """One stream that just fits: any frame that is longer makes it late."""
    fits = Workload((Message(0, 10**7, (111 + 47) * US, False),), ())
    assert judge(fits, Setting(), "historic", "dm").feasible
    for setting in (Setting(inheritance=True), Setting(idle_us=47)):
        assert not judge(fits, setting, "historic", "dm").feasible
    assert judge(fits, Setting(idle_us=47, idle_low=True), "historic", "dm").feasible
    for bits, feasible in ((111 + 47 + 94, True), (111 + 47 + 93, False)):  # both are 47 us longer
        one = Workload((Message(0, 10**7, bits * US, False),), ())
        assert judge(one, Setting(idle_us=47), "historic", "dm").feasible == feasible
    assert not judge(fits, Setting(), "historic", "mts").feasible
    room = Workload((Message(0, 10**7, (111 + 16 + 47) * US + 1, False),), ())
    assert judge(room, Setting(), "historic", "mts").feasible
    assert not judge(room, Setting(), "historic", TICKED).feasible
    assert judge(fits, Setting(), "historic", "ed").feasible
    long = Workload((Message(0, 10**7, (131 + 16 + 67 + 1) * US, False),), ())
    assert judge(long, Setting(), "historic", "ed29").feasible
    short = Workload((Message(0, 10**7, (131 + 16 + 67 + 1) * US - 1, False),), ())
    assert not judge(short, Setting(), "historic", "ed29").feasible


def test_a_point_is_as_kept(kept: dict[str, Any]) -> None:
    """All workloads of one, by two conditions that take little time."""
    count = {"dm": 0, "mts": 0}
    for number in range(kept["workloads"]):
        workload = draw(kept["seed"], Kind(), 12, number)
        for policy in count:
            count[policy] += judge(workload, Setting(), "historic", policy).feasible
    at = kept["streams"].index(12)
    found = {policy: kept["cases"]["low-100"]["feasible"]["historic"][policy][at] for policy in count}
    assert found == {policy: 100 * feasible / kept["workloads"] for policy, feasible in count.items()}


def test_what_is_kept_lies_where_the_reference_does(kept: dict[str, Any]) -> None:
    rows = study.gaps(kept)
    assert {(row["case"], row["policy"]) for row in rows if row["test"] == "historic"} == {
        (case, policy) for case in ("low-50", "low-100", "low-200") for policy in ("ed", "mts", "dm")
    }
    for test, most, share in (("historic", 3.5, 0.95), ("sound", 1.0, 1.0), ("stuffed", 5.0, 0.6)):
        gaps = [abs(row["here"] - row["reference"]) for row in rows if row["test"] == test]
        assert max(gaps) <= most, test
        assert sum(gap <= study.NEAR for gap in gaps) >= share * len(gaps), test
    assert kept["far"] == study.far(kept)
    assert kept["statements"] == study.statements(kept)


def test_what_is_kept_is_in_order(kept: dict[str, Any]) -> None:
    """What proves accepts no more than what does not; a dearer update, or a worse policy, no more than another one."""
    for name, case in kept["cases"].items():
        for policy in study.CASES[name].policies:
            printed, sound, stuffed = (case["feasible"][test][policy] for test in TESTS)
            assert all(a >= b >= c for a, b, c in zip(printed, sound, stuffed, strict=True)), (name, policy)
            assert max(case["undecided"]["stuffed"][policy]) < 1
        for by_policy in case["feasible"].values():
            for better, worse in (("ed", "mts"), ("mts", "dm"), (FREE, "mts"), ("mts", TICKED), ("ed", "ed29")):
                if {better, worse} <= by_policy.keys():
                    assert all(a >= b for a, b in zip(by_policy[better], by_policy[worse], strict=True))


def test_a_curve_between_its_points() -> None:
    document = {"cases": {"low-50": {"load": [50.0, 60.0, 70.0]}}}
    assert study.at_load(document, "low-50", 65, [0.0, 10.0, 20.0]) == 15
    assert study.at_load(document, "low-50", 65, [0.0, None, 20.0]) == 15
    assert study.at_load(document, "low-50", 75, [0.0, 10.0, 20.0]) is None


def test_the_keys_are_documented(takt: Takt, kept: dict[str, Any]) -> None:
    rows = {f"{name}[].{key}" for name in ("costs", "update") for key in kept[name][0]}
    words = ("--workloads", 1, "--figure", "7.7", "--figure", "7.8", "--seed", 7)
    said = takt("reproduce", "can", *words, "--json")
    assert said.code == 0, said.err
    document = json.loads(said.out)
    assert plain(keys(document)) == plain(keys(kept)) - rows
    assert plain(keys(kept)) == documented("reproduce can")
    assert (document["seed"], document["workloads"], list(document["cases"])) == (7, 1, ["low-100", "low-200"])
    assert document["costs"] == document["update"] == []


def test_what_it_says(takt: Takt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "picture", lambda _document, figure: figure)
    said = takt("reproduce", "can", "--kept", "--out", tmp_path)
    assert said.code == 0
    assert "Figure 7.6: low-speed to 50 ms: feasible workloads, percent" in said.out
    assert "up to -10" in said.out
    assert "for each message that waits there" in said.out
    assert "second frame, a node rejects the signal" in said.out
    assert [path.name for path in sorted(tmp_path.iterdir())] == sorted(
        f"reproduction-can-{figure}.svg" for figure in study.FIGURES
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--workloads", "0"), "--workloads"),
        (("--figure", "7.5"), "--figure"),
        (("--kept", "--seed", "1"), "--kept computes nothing, so other options have no effect"),
        (("--costs", "--figure", "7.6"), "--costs draws no workloads, so other options have no effect"),
    ],
    ids=["none", "no figure", "kept", "costs"],
)
def test_misuse(takt: Takt, words: tuple[str, ...], message: str) -> None:
    said = takt("reproduce", "can", *words)
    assert said.code == 2
    assert message in said.err


def test_a_point_that_is_far_is_named(kept: dict[str, Any]) -> None:
    document = copy.deepcopy(kept)
    at = document["streams"].index(12)
    document["cases"]["low-50"]["feasible"]["historic"]["dm"][at] = 47.1
    row = {"case": "low-50", "policy": "dm", "test": "historic", "streams": 12, "here": 47.1, "reference": 44}
    assert [one for one in study.far(document) if one not in kept["far"]] == [row]
    document["cases"]["low-50"]["feasible"]["historic"]["dm"][at] = 47
    assert row | {"here": 47} not in study.far(document)

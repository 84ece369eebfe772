# SPDX-License-Identifier: Apache-2.0
"""`takt reproduce csd`: its curves lie where another program's do, its statements are those of the curves."""

from __future__ import annotations

import json
import os
import random
import re
import signal
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from children import children, ended_by, work_s
from command_line import Takt, documented, keys
from running import only_full
from takt.bench import documents
from takt.reproduce import campaign, csd, queues
from takt.reproduce.campaign import Case
from takt.reproduce.search import Found
from takt.support import compile

FULL = bool(os.environ.get("TAKT_TEST_FULL"))
WORKLOADS = 20
TASKS = campaign.TASKS if FULL else (5, 20)
SEEDS = csd.SEEDS if FULL else (1,)


@pytest.fixture(scope="module", autouse=True)
def library() -> None:
    compile.host_library()


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    document: dict[str, Any] = documents.results("reproduction-csd")
    return document


def plain(found: Iterable[str]) -> set[str]:
    """Divisors, schedulers, numbers of tasks and seeds are not written out in docs/json.md, only the whole path is."""
    texts = {re.sub(r"^by_seed\.\d+", "by_seed.S", key) for key in found}
    paths = {re.sub(r"\.\d\.(edf|rm|csd\d)\.\d+$", ".D.S.N", key) for key in texts}
    paths = {re.sub(r"^printed\.\d\.\d+$", "printed.D.N", key) for key in paths}
    return {key for key in paths if not re.search(r"\.\d(\.(edf|rm|csd\d))?$", key)}


def test_twenty_workloads_lie_where_the_reference_does() -> None:
    """Within half a point and three standard errors, for so many points. The reference shares no code with this. It
    charges CSD-3 another way, which shows with many tasks (docs/reproduction.md)."""
    parts = campaign.chunks(SEEDS, TASKS, WORKLOADS)
    results = campaign.run(parts, lambda: None)
    document = skeleton(results)
    known = csd.reference()["curves"]
    assert [row for row in csd.far(document, known) if row["scheduler"] != "csd3" or row["tasks"] < 40] == []
    half = max(
        value for by in document["half_width"]["historic"].values() for row in by.values() for value in row.values()
    )
    assert half < 6
    moved = {
        **known,
        **{key: {name: [v + 8 for v in row] for name, row in known[key].items()} for key in ("1", "2", "3")},
    }
    assert len(csd.far(document, moved)) == 3 * len(queues.SCHEDULERS) * len(TASKS)


def skeleton(results: campaign.Results) -> dict[str, Any]:
    """Without statements: not every number of tasks is there. Widths are of three standard errors."""

    def width(items: list[Found]) -> float:
        return 3 / 1.96 * (campaign.half_width(campaign.percents(items, "historic")) or 0.0)

    seeds = sorted({seed for seed, _ in results})
    return {
        "historic": campaign.curves(results, seeds, lambda items: campaign.mean(campaign.percents(items, "historic"))),
        "half_width": {"historic": campaign.curves(results, seeds, width)},
    }


def test_the_kept_figures_are_of_these_workloads(kept: dict[str, Any]) -> None:
    """A small part of what is kept is computed anew."""
    assert kept["seeds"] == list(csd.SEEDS)
    number = kept["workloads"] if FULL else 60
    tasks = 5
    results = campaign.run(campaign.chunks([2], [tasks], number), lambda: None)
    for divisor in campaign.DIVISORS:
        for name in queues.SCHEDULERS:
            items = results[2, Case(divisor, name, tasks)]
            for test in campaign.TESTS:
                mean = campaign.mean(campaign.percents(items, test))
                wanted = kept["by_seed"]["2"][test][str(divisor)][name][str(tasks)]
                half = campaign.half_width(campaign.percents(items, test)) or 0.0
                assert mean == pytest.approx(wanted, abs=0.001 if FULL else 2 * half)


def test_what_is_kept_agrees_with_itself(kept: dict[str, Any]) -> None:
    assert kept["far"] == csd.far(kept, csd.reference()["curves"])
    assert kept["statements"] == csd.statements(kept, csd.reference()["lower"])
    for divisor, by_name in kept["historic"].items():
        for name, by_tasks in by_name.items():
            for tasks, percent in by_tasks.items():
                seeds = [found["historic"][divisor][name][tasks] for found in kept["by_seed"].values()]
                assert percent == pytest.approx(sum(seeds) / len(seeds), abs=0.001)
                assert kept["exact"][divisor][name][tasks] <= percent


def test_edf_converges_to_the_limit_of_its_precision(kept: dict[str, Any]) -> None:
    """Without a workload: the mean of 1 / period by hand."""
    rate = (0.1491270 + 0.0260934 + 0.0025634) / 3
    assert csd.expected_edf(40, 3) == pytest.approx(100 * (1 - 40 * 3 * rate * 0.0378), abs=0.001)
    for divisor, by_name in kept["historic"].items():
        for tasks, percent in by_name["edf"].items():
            half = kept["half_width"]["historic"][divisor]["edf"][tasks]
            assert percent == pytest.approx(csd.expected_edf(int(tasks), int(divisor)), abs=1.6 * half + 0.01)


def test_overheads_are_those_of_table_4_3() -> None:
    """By hand, us: 15 tasks under EDF, under RM, in CSD-2 5 and 10, in CSD-3 3, 4 and 8."""
    cases = {
        ("edf", (15,)): [1.5 * (1.6 + 1.2 + 2 * (1.2 + 0.25 * 15))],
        ("rm", ()): [1.5 * (1.0 + 0.36 * 15 + 1.4 + 2 * 0.6)],
        ("csd2", (5,)): [
            1.5 * (1.6 + 1.2 + 2 * (1.2 + 0.25 * 5 + 0.55)),
            1.5 * (1.0 + 0.36 * 10 + 0.6 + 1.1 + 1.4 + 1.2 + 0.25 * 5 + 0.55),
        ],
        ("csd3", (3, 7)): [
            1.5 * (1.6 + 1.2 + 0.25 * 4 + 1.1 + 1.2 + 1.2 + 0.25 * 3 + 0.55),
            1.5 * (1.6 + 1.2 + 2 * (1.2 + 0.25 * 4 + 1.1)),
            1.5 * (1.0 + 0.36 * 8 + 0.6 + 1.65 + 1.4 + 1.2 + 0.25 * 4 + 1.1),
        ],
    }
    for (name, cuts), wanted in cases.items():
        known = queues.partitions(name, 15)
        index = known.cuts.tolist().index(list(cuts))
        assert known.costs_ns[index][: len(wanted)].tolist() == pytest.approx([1000 * us for us in wanted])
    printed = queues.partitions("csd3", 15, "position, O(r)")
    index = printed.cuts.tolist().index([3, 7])
    assert printed.costs_ns[index][1] == pytest.approx(1000 * 1.5 * (1.6 + 1.2 + 2 * (1.2 + 0.25 * 4 + 1.1) + 0.25 * 3))


def test_a_confidence_interval_covers_the_mean_as_often_as_it_says() -> None:
    chance = random.Random(1)
    covered = 0
    for _ in range(2000):
        values = [chance.uniform(0, 2) ** 2 for _ in range(60)]
        covered += abs(campaign.mean(values) - 4 / 3) <= (campaign.half_width(values) or 0)
    assert 0.93 < covered / 2000 < 0.96
    assert campaign.half_width([1.0]) is None


def test_how_much_lower_an_overhead_is() -> None:
    curve = {"edf": {"15": 98.0}, "csd4": {"15": 98.5}, "rm": {"15": 90.0}}
    assert campaign.lower(curve, "csd4", "edf", 15) == 25.0
    assert campaign.lower(curve, "csd4", "rm", 15) == 85.0


def test_means_are_over_the_workloads_of_all_seeds() -> None:
    results = {
        (seed, Case(1, "edf", 5)): [Found(steps, steps - 10, steps == 9000) for steps in values]
        for seed, values in ((1, (9000, 9200)), (2, (9400, 9600)))
    }
    found = campaign.curves(results, [1, 2], lambda items: campaign.mean(campaign.percents(items, "historic")))
    assert found == {"1": {"edf": {"5": 93.0}}}
    one = campaign.curves(results, [2], lambda items: campaign.mean(campaign.percents(items, "exact")))
    assert one == {"1": {"edf": {"5": 94.9}}}


@only_full
def test_the_keys_are_documented(takt: Takt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign, "TASKS", (15, 40))
    monkeypatch.setattr(campaign, "SEARCHES", 1)
    monkeypatch.setattr(campaign, "LARGE", (15, 40))
    said = takt("reproduce", "csd", "--workloads", "1", "--seed", "7", "--json", "--out", tmp_path)
    assert said.code == 0, said.err
    document = json.loads(said.out)
    listed = documented("reproduce csd")
    assert plain(keys(document)) | {key for key in listed if key.startswith("far[].")} == listed
    assert document["seeds"] == [7]
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"reproduction-4.{n}.svg" for n in (3, 4, 5)]


def test_what_it_says(takt: Takt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: dict[str, Any]) -> None:
    monkeypatch.setattr(csd, "measure", lambda *_: kept)
    said = takt("reproduce", "csd", "--out", tmp_path)
    assert said.code == 0
    assert "Figure 4.5: breakdown utilization" in said.out
    assert len(list(tmp_path.iterdir())) == 3


@only_full  # tests/tool/test_exits.py has it of other commands
def test_an_interrupt_ends_it_at_once(tmp_path: Path) -> None:
    """It leaves neither a process nor a figure."""
    words = ["-m", "takt", "reproduce", "csd", "--out", str(tmp_path)]
    end = ended_by(signal.SIGINT, words, lambda process: sum(work_s(child) > 1 for child in children(process)) >= 2)
    assert (end.code, end.out, end.err.strip(), end.left) == (130, "", "takt: interrupted", 0)
    assert end.seconds < 5  # half a second on a machine that does nothing else
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--seed", "1", "--seed", "1"), "--seed: one seed is given twice"),
        (("--workloads", "0"), "--workloads"),
        (("--workloads", "9" * 24), "is not in the range"),
        (("--seed", "-1"), "--seed"),
    ],
    ids=["twice", "none", "too many", "negative"],
)
def test_misuse(takt: Takt, words: tuple[str, ...], message: str) -> None:
    said = takt("reproduce", "csd", *words)
    assert said.code == 2
    assert message in said.err

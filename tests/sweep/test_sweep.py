# SPDX-License-Identifier: Apache-2.0
"""`takt sweep` on this machine: its rows, its files, and what it refuses. With results there: test_sweep_goes_on.py."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path

import pytest
from command_line import Takt, documented, keys
from running import only_full
from small_study import SMALL, Write, load, results, table
from takt.declare.schema import boards
from takt.declare.schema.model import Band, System, Verdict
from takt.prove import breakdown, overheads, schedulers
from takt.prove.choose import Choice, Prover
from takt.support import provision
from takt.sweep import rows as computing
from takt.sweep import study as studies
from takt.sweep.rows import COLUMNS

pytestmark = pytest.mark.usefixtures("analysis_library")


def test_a_row_for_each_point_set_and_scheduler(takt: Takt, study: Write) -> None:
    path = study(SMALL)
    said = takt("sweep", path, "--jobs", "2", "--no-plots")
    assert said.code == 0, said.err
    found = table(results(path))
    assert list(found[0]) == list(COLUMNS)
    keys = {(row["overheads"], row["tasks"], row["utilization"][:4], row["scheduler"], row["set"]) for row in found}
    assert len(found) == 2 * 2 * 2 * 12 * 2
    assert len({key[:2] + key[3:] for key in keys}) == 2 * 2 * 12 * 2
    bare = [row for row in found if row["overheads"] == "none"]
    full = [row for row in bare if row["scheduler"] == "edf"]
    assert all(abs(float(row["utilization"]) - 0.7) < 1e-5 or float(row["utilization"]) > 0.9999 for row in full)
    assert all(row["verdict"] == "feasible" for row in full if float(row["utilization"]) <= 1)
    assert {row["verdict"] for row in bare if row["scheduler"] == "rm"} == {"feasible", "infeasible"}
    assert {row["kernel"] for row in bare} == {""}
    assert all(0 < float(row["kernel"]) < 0.2 for row in found if row["overheads"] != "none")
    assert {row["bands"] for row in found} == {"fixed 3", "fixed 5", "edf 3", "edf 5"}
    assert {row["breakdown"] for row in found} == {""}


def test_points_share_their_sets_and_seeds_tell_all_others_apart(study: Write) -> None:
    read = load(study(SMALL.replace("sets = 12", "sets = 12\ndivisors = [1, 2]")))
    seeds: dict[tuple[object, ...], set[int]] = {}
    for point in read.points:
        for number in range(read.sets):
            seeds.setdefault((point.tasks, point.utilization, number), set()).add(read.set_seed(point, number))
    assert all(len(found) == 1 for found in seeds.values())
    assert len({seed for found in seeds.values() for seed in found}) == len(seeds) == 2 * 2 * 12
    point = read.points[0]
    assert replace(read, seed=2).set_seed(point, 0) != read.set_seed(point, 0)
    assert read.set_seed(point, 0) == 68186377865338644  # from one version to the next


def test_rows_do_not_depend_on_how_they_are_computed(takt: Takt, study: Write, tmp_path: Path) -> None:
    """One process or three; each row says which."""
    path = study(SMALL)
    for jobs in ("1", "3"):
        assert takt("sweep", path, "--out", tmp_path / jobs, "--jobs", jobs, "--no-plots").code == 0
    one, three = table(tmp_path / "1"), table(tmp_path / "3")
    assert len({row.pop("worker") for row in one}) == 1
    assert all(":" in row.pop("worker") for row in three)
    assert one == three


def every_csd(system: System, bands: int) -> int:
    """The highest step at which any csd list of so many bands is proved with overheads."""
    measured = overheads.load(boards.load("mps2-an385"), system.preset)
    assert measured is not None
    prover, count = Prover(system, partial(measured.of, system)), len(system.tasks)
    lists = [schedulers.csd_bands(system, cuts) for cuts in combinations(range(1, count), bands - 1)]

    def reaches(found: tuple[Band, ...]) -> int:
        return breakdown.of(prover, Choice("bands", found, False, prover.judge(found)))

    return max(map(reaches, lists))


@only_full
def test_breakdown_is_that_of_the_best_list(study: Write) -> None:
    text = 'generator = "seed000"\nn = [10]\nsets = 6\nbreakdown = true\nschedulers = ["csd2", "csd3"]\n'
    chunk = computing.chunks(load(study(text + 'overheads = ["mps2-an385"]')))[0]
    found = computing.compute(chunk)
    assert len(found) == 12
    for row in found:
        item, _ = computing.item(chunk, row["set"])
        best = every_csd(replace(item.system(1.0), preset="lean"), int(row["scheduler"][3:]))
        assert row["breakdown"] == best / breakdown.STEPS, f"set {row['set']}"
        assert (row["verdict"], row["utilization"]) == (None, None)


def test_auto_breaks_down_no_earlier_than_others(study: Write) -> None:
    text = 'generator = "waters"\nn = [8]\nsets = 5\nbreakdown = true\nschedulers = ["rm", "edf", "csd", "auto"]\n'
    found = computing.compute(computing.chunks(load(study(text + 'overheads = ["mps2-an385"]')))[0])
    for number in range(5):
        by_name = {row["scheduler"]: row["breakdown"] for row in found if row["set"] == number}
        assert by_name["auto"] == max(by_name.values())
        assert 0 < min(by_name.values()) <= max(by_name.values()) < 1


def test_sets_of_a_file(takt: Takt, study: Write, tmp_path: Path) -> None:
    """The seed's table: rm misses, edf does not."""
    rows = ["C,T", "1 ms,4 ms", "1 ms,5 ms", "1 ms,6 ms", "1 ms,7 ms", "2 ms,9 ms"]
    (tmp_path / "sets.csv").write_text("\n".join(rows), encoding="utf-8")
    path = study('generator = "file"\nfile = "sets.csv"\nschedulers = ["rm", "edf"]')
    said = takt("sweep", path, "--jobs", "1", "--json")
    assert [(point["tasks"], point["proved"]) for point in json.loads(said.out)["points"]] == [(None, 0), (None, 1)]
    assert [(row["scheduler"], row["verdict"], row["seed"]) for row in table(results(path))] == [
        ("rm", "infeasible", ""),
        ("edf", "feasible", ""),
    ]
    (tmp_path / "sets.csv").write_text("\n".join(rows[:-1]), encoding="utf-8")
    said = takt("sweep", path, "--jobs", "1")
    assert (said.code, "it differs in file" in said.err) == (2, True)


def test_a_chunk_of_a_file_has_its_own_sets(study: Write, tmp_path: Path) -> None:
    lines = [f"{number},1 ms,{number + 2} ms" for number in range(25)]
    (tmp_path / "sets.csv").write_text("set,C,T\n" + "\n".join(lines), encoding="utf-8")
    chunks = computing.chunks(load(study('generator = "file"\nfile = "sets.csv"\nschedulers = ["rm"]')))
    found = [row for chunk in chunks for row in computing.compute(chunk)]
    assert [row["utilization"] for row in found] == pytest.approx([1 / (number + 2) for number in range(25)])


def test_the_keys_are_documented(takt: Takt, study: Write) -> None:
    path = study(SMALL)
    said = takt("sweep", path, "--json")
    document = json.loads(said.out)
    assert set(keys(document)) == documented("sweep STUDY")
    assert document["files"] == ["rows.csv", "proved-none.svg", "proved-mps2-an385.svg"]
    point = document["points"][0]
    same = [row for row in table(results(path)) if (row["overheads"], row["tasks"]) == ("none", "3")]
    proved = [row["verdict"] == Verdict.FEASIBLE for row in same if row["scheduler"] == "rm"][: point["sets"]]
    assert (point["scheduler"], point["sets"], point["proved"]) == ("rm", 12, round(sum(proved) / 12, 6))
    page = (provision.ROOT / "docs" / "sweep.md").read_text(encoding="utf-8")
    assert [name for name in COLUMNS if f"| `{name}` |" not in page] == []
    assert [key.name for key in studies.STUDY.keys if f"| `{key.name}` |" not in page] == []


def test_pictures_show_every_scheduler(takt: Takt, study: Write) -> None:
    text = 'generator = "seed000"\nn = [3, 4]\nsets = 2\nbreakdown = true\ndivisors = [1, 2]\n'
    path = study(text + 'schedulers = ["rm", "dm", "edf", "csd2", "csd3"]')
    said = takt("sweep", path)
    assert said.code == 0, said.err
    assert "Mean breakdown utilization, percent." in said.out
    picture = (results(path) / "breakdown-none.svg").read_text(encoding="utf-8")
    for word in ("rm", "dm", "edf", "csd2", "csd3", "periods / 1", "periods / 2", "breakdown utilization, percent"):
        assert f">{word}</text>" in picture
    assert ">0</text>" not in picture


@only_full
def test_parquet_has_what_csv_has(takt: Takt, study: Write) -> None:
    path = study(SMALL)
    assert takt("sweep", path, "--no-plots").code == 0
    assert takt("sweep", path, "--no-plots", "--format", "parquet").code == 0
    import pyarrow.parquet

    found = pyarrow.parquet.read_table(results(path) / "rows.parquet")
    assert found.column_names == list(COLUMNS)
    text = [{name: "" if value is None else str(value) for name, value in row.items()} for row in found.to_pylist()]
    assert text == table(results(path))
    assert {str(found.schema.field(name).type) for name in ("set", "utilization", "verdict")} == {
        "int64",
        "double",
        "string",
    }


REFUSED = [
    ("sets = 12", "sets = 0", ":4: sets = 0: out of range"),
    ("sets = 12", "", 'generator = "uunifast" needs "sets"'),
    ("sets = 12", "sets = 12\nset = 1", ':5: unknown key "set"'),
    ("[0.7, 1.0]", "[0.7, 1.1]", ":5: utilizations = [0.7, 1.1]: it must be above 0 and at most 1"),
    ("[0.7, 1.0]", "[0.7, 0.7]", ":5: utilizations = [0.7, 0.7]: a value occurs twice"),
    ("[0.7, 1.0]", "[0.7]\nbreakdown = true", "exclude each other"),
    ("utilizations = [0.7, 1.0]", "", 'neither "utilizations" nor breakdown'),
    ('"rm", "edf"', '"rm", "efd"', ':6: schedulers = ["rm", "efd"]: "efd" is not a scheduler'),
    ('"rm", "edf"', '"bands"', '"bands" is not a scheduler'),
    ('"rm", "edf"', '"csd4"', ":6: csd4 needs at least 4 tasks, but a set has 3"),
    ("mps2-an385", "moon", ":7: overheads"),
    ("mps2-an385", "host", "overheads of host are not measured"),
    ("[3, 5]", "[3, 180]", "a set has 180"),
    ("sets = 12", 'sets = 12\nperiod_min = "10 ms"\nperiod_max = "9 ms"', "periods from 10 ms to 9 ms"),
    ('"uunifast"', '"file"', 'generator = "file" needs "file"'),
    ('"uunifast"', '"seed000"\nperiod_min = "1 ms"', '"period_min" is not a key for generator = "seed000"'),
    ("sets = 12", "sets = 1000000", ":4: the study has 16000000 rows"),
    ('"uunifast"', '"ununifast"', ":2: generator"),
]


@pytest.mark.parametrize(("old", "new", "message"), REFUSED, ids=[message for _, _, message in REFUSED])
def test_a_malformed_study(takt: Takt, study: Write, old: str, new: str, message: str) -> None:
    assert old in SMALL
    path = study(SMALL.replace(old, new))
    said = takt("sweep", path)
    assert said.code == 2
    assert message in said.err
    assert "  try: " in said.err
    assert said.out == ""
    assert not results(path).exists()


def test_misuse(takt: Takt, study: Write, tmp_path: Path) -> None:
    assert takt("sweep", tmp_path / "nowhere.toml").code == 2
    assert "only one of the two" in takt("sweep", study(SMALL), "--jobs", "2", "--cluster", "tcp://x:1").err
    assert takt("sweep", "--help").code == 0

# SPDX-License-Identifier: Apache-2.0
"""What is said of a document: the seed's words, the curves, and how far they lie from another program's."""

from __future__ import annotations

from takt.reproduce.can.study import CASES, FIGURES, NEAR, Document, gaps
from takt.support.tables import Cell, Table

NAMES = {
    "ed": "ED*",
    "mts": "MTS",
    "dm": "DM",
    "ed29": "ED, 29 bits",
    "ed_start": "ED* by latest start",
    "mts_free": "MTS, free update",
    "mts_tick": "MTS, tick",
}
TESTS = {"historic": "printed", "sound": "sound", "stuffed": "stuffed"}
"""By test: what it is called on the page and in pictures."""
VARIED = {  # by case: what differs from figure 7.7
    "low-50": "low-speed to 50 ms",
    "low-100": "",
    "low-200": "low-speed to 200 ms",
    "sporadic-0": "no sporadic",
    "sporadic-4": "4 sporadic",
    "epoch-4": "epoch 4 ms",
    "sporadic-6": "6 sporadic",
    "sporadic-6-epoch-4": "6 sporadic, epoch 4 ms",
    "idle-47": "L = 2",
    "idle-94": "L = 1",
    "idle-47-all": "L = 2, all",
    "idle-94-all": "L = 1, all",
    "inheritance": "inheritance",
}


BESIDE = {"7.11": "epoch 2 ms", "7.12": "L = 3", "7.12-all": "L = 3", "7.13": "preemption"}
"""By figure: what figure 7.7 has in place of what it varies."""


def title_of(figure: str, policy: str, case: str) -> str:
    """Of a line of a figure: the policy, and what the case varies unless all lines of the figure do."""
    if len(FIGURES[figure]) == 1:
        return NAMES[policy]
    return f"{NAMES[policy]}, {VARIED[case] or BESIDE[figure]}"


def _range(found: list[float] | None) -> str:
    if found is None:
        return ""
    low, high = found
    return f"{low:.1f}" if low == high else f"{low:.1f} to {high:.1f}"


def statement_table(document: Document) -> Table:
    rows: list[list[Cell]] = [
        [row["figure"], row["words"], row["says"], *(_range(row[test]) for test in TESTS)]
        for row in document["statements"]
    ]
    return Table("What the seed says in words, and here", ["", "", "the seed", *TESTS.values()], rows, words=3)


def curve_tables(document: Document) -> list[Table]:
    """By case: percent of the workloads that are feasible, by policy and test, for each number of streams."""
    found = []
    for case in CASES:
        if case in document["cases"]:
            figures = [figure for figure, cases in FIGURES.items() if case in cases]
            known = document["cases"][case]
            rows: list[list[Cell]] = [
                ["", "load, percent", *known["load"]],
                ["", "with stuff bits", *known["load_stuffed"]],
            ]
            rows += [
                [NAMES[policy], words, *known["feasible"][test][policy]]
                for policy in CASES[case].policies
                for test, words in TESTS.items()
            ]
            title = (
                f"Figure {', '.join(figures)}{': ' if VARIED[case] else ''}{VARIED[case]}: feasible workloads, percent"
            )
            found.append(Table(title, ["", "test", *map(str, document["streams"])], rows, words=2))
    return found


def gap_table(document: Document) -> Table:
    """The points that lie further than NEAR from the reference."""
    rows: list[list[Cell]] = [
        [row["case"], NAMES[row["policy"]], TESTS[row["test"]], str(row["streams"]), row["here"], row["reference"]]
        for row in document["far"]
    ]
    heads = ["case", "policy", "test", "streams", "here", "reference"]
    return Table(f"Points that lie further than {NEAR:g} points from the reference", heads, rows, words=4)


def near(document: Document) -> str:
    """How many points lie near the reference, by test."""
    rows = gaps(document)
    said = []
    for test, words in TESTS.items():
        there = [row for row in rows if row["test"] == test]
        if there:
            count = sum(abs(row["here"] - row["reference"]) <= NEAR for row in there)
            said.append(f"{words}: {count} of {len(there)}")
    return "; ".join(said)


def cost_table(document: Document, number: str) -> Table:
    rows: list[list[Cell]] = [
        [
            row["words"],
            "" if row["us"] is None else f"{row['us']:g}",
            _ratio(row["seed"]),
            row["instructions"],
            _ratio(row["here"]),
        ]
        for row in document["costs"]
        if row["table"] == number
    ]
    title = f"Table {number}: us of the seed and our instructions, each also by a message with a mailbox of its own"
    return Table(title, ["", "us", "by it", "instructions", "by it"], rows)


def _ratio(found: float | None) -> str:
    return "" if found is None else f"{found:.2f}"


UPDATES = {
    "ideal": "no signal: all change at the epoch",
    "first": "first frame, at once",
    "slow": "first frame, in 65 us",
    "second": "second frame",
    "skew": "second frame, begun up to 88 us late",
    "disturbed": "second frame, a node rejects the signal",
}


def update_table(document: Document) -> Table:
    names = ("frames", "late", "inverted", "lost", "epochs", "unheard", "apart")
    rows: list[list[Cell]] = [
        [UPDATES[row["variant"]], str(row["streams"]), *(row[name] for name in names)] for row in document["update"]
    ]
    return Table("The update of 7.3.5 on a simulated bus", ["identifiers change in", "streams", *names], rows)


def text(document: Document) -> str:
    costs = [cost_table(document, number) for number in ("7.3", "7.4")]
    tables = [*curve_tables(document), statement_table(document), *costs, update_table(document)]
    known = gaps(document)
    if known:
        tables.append(gap_table(document))
    words = [f"Points within {NEAR:g} of the reference: {near(document)}."] if known else []
    return "\n\n".join([*(table.text() for table in tables if table.rows), *words])

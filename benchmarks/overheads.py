# SPDX-License-Identifier: Apache-2.0
"""Measures boards/B/overheads.toml: what a proof adds for the kernel itself, per preset.

PYTHONPATH=tools .venv/bin/python benchmarks/overheads.py [--board B] [--seeds N]

Method. benchmarks/overheads runs random sets of 1 to 32 tasks whose code looks at the clock all the time, and sorts the
gaps between two looks by what happened in them. With the definitions of model.Overheads:
- release: the longest gap with one release and no end of a job, or, where that is more, the share of each of several;
- complete: the longest gap from a job's end to the next task, nothing else between;
- a gap with both, or with several releases, must not be longer than the sum: else release is raised until it is not;
- timer: a deadline that passes (policy notify) and switches nothing, and at least what arming and cancelling that timer
  adds to release and complete, which are measured without it;
- interrupt: an interrupt that calls the kernel with an empty handler, and the timer that stands for its device. It does
  not depend on the tasks, so the least of the runs' maxima counts: in the others a release fell into the same gap;
- lock: how long such an interrupt waits while nothing else does, and at least `complete`: a switch is a locked section.
Looking itself (some 15 instructions) is in every figure, which errs on the safe side. On top come 5 percent for what
random sets did not hit: the heaps' worst case is logarithmic, so a little more is all that there is.
"""

from __future__ import annotations

import argparse
import sys

import images
from reviewed import Rows
from takt import boards, overheads
from takt.model import Overheads
from takt.schema import DEFAULT_BOARD

PRESETS = ("standard", "lean")
TASKS = (1, 2, 4, 8, 16, 24, 32)
KINDS = ("fixed", "edf")
SEEDS = 4
MARGIN_PERCENT = 5
GRAIN_NS = 100


def longest(board: str, preset: str, kind: str, seeds: int, notify: int) -> Rows:
    """Every row's maximum over all runs, ns (of `interrupt_0`: the minimum of them)."""
    image = images.build("overheads", board, preset)
    rows: Rows = {}
    for tasks in TASKS:
        for seed in range(1, seeds + 1):
            options = {"tasks": tasks, "edf": KINDS.index(kind), "seed": seed, "notify": notify}
            found = images.run(image, board, **options)
            interrupt = min(found["interrupt_0"], rows.get("interrupt_0", found["interrupt_0"]))
            rows = {name: max(value, rows.get(name, 0)) for name, value in found.items()} | {"interrupt_0": interrupt}
    return rows


def release_and_complete(rows: Rows) -> tuple[int, int]:
    """The two bounds, ns, under which every gap with releases and at most one completion stays."""
    complete = rows["complete_release_0"]
    release = max(rows["release_0"], rows["release_1"])
    for count in range(1, 8):
        for gap in (rows[f"release_{count}"], rows[f"complete_release_{count}"] - complete):
            release = max(release, -(-gap // count))
    return release, complete


def with_margin(value_ns: int) -> int:
    return -(-value_ns * (100 + MARGIN_PERCENT) // 100 // GRAIN_NS) * GRAIN_NS


def measure(board: str, preset: str, seeds: int) -> Overheads:
    rows = {kind: longest(board, preset, kind, seeds, 0) for kind in KINDS}
    armed = {kind: longest(board, preset, kind, seeds, 1) for kind in KINDS}
    pairs = {kind: release_and_complete(rows[kind]) for kind in KINDS}
    extra = {kind: sum(release_and_complete(armed[kind])) - sum(pairs[kind]) for kind in KINDS}
    lock = max(max(rows[kind]["latency_0"], pairs[kind][1]) for kind in KINDS)
    return Overheads(
        board=board,
        preset=preset,
        tasks_max=max(TASKS),
        interrupt_ns=with_margin(max(rows[kind]["interrupt_0"] for kind in KINDS)),
        timer_ns=with_margin(max(max(armed[kind]["timer_0"], extra[kind]) for kind in KINDS)),
        lock_ns=with_margin(lock),
        release_ns={kind: with_margin(pairs[kind][0]) for kind in KINDS},
        complete_ns={kind: with_margin(pairs[kind][1]) for kind in KINDS},
    )


def as_toml(measured: list[Overheads]) -> str:
    lines = [
        "# SPDX-License-Identifier: Apache-2.0",
        "# Written by benchmarks/overheads.py, which says how it is measured.",
        f"format = {overheads.FORMAT}",
    ]
    for item in measured:
        lines += [
            "",
            "[[preset]]",
            f'preset = "{item.preset}"',
            f"tasks_max = {item.tasks_max}",
            f'interrupt = "{item.interrupt_ns} ns"',
            f'timer = "{item.timer_ns} ns"',
            f'lock = "{item.lock_ns} ns"',
        ]
        for name, values in (("release", item.release_ns), ("complete", item.complete_ns)):
            lines.append(f'{name} = {{fixed = "{values["fixed"]} ns", edf = "{values["edf"]} ns"}}')
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures boards/B/overheads.toml.")
    measurable = [name for name in boards.names() if not boards.load(name).zero_overheads]
    parser.add_argument("--board", default=DEFAULT_BOARD, choices=measurable)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="random sets for each number of tasks")
    asked = parser.parse_args()
    text = as_toml([measure(asked.board, preset, asked.seeds) for preset in PRESETS])
    path = boards.FOLDER / asked.board / "overheads.toml"
    path.write_text(text, encoding="utf-8")
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""`takt sweep`: a parameter study on all cores or a Dask cluster, resumable. Exit 0 finished, 2 misuse.

study.py reads the study file, rows.py computes, workers.py says where, store.py keeps what is finished; experiments.py
is another kind of study, whose rows are simulated runs.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from takt.support.options import json_option

if TYPE_CHECKING:
    from takt.sweep.rows import Chunk
    from takt.sweep.store import Store
    from takt.sweep.study import Study
    from takt.sweep.summary import Mean

HELP_FORMAT = "Format of the rows: parquet needs PyArrow, which is installed when first used."
HELP_CLUSTER = "Use the workers of this Dask scheduler, tcp://HOST:PORT, instead of this machine's cores."


def _compute(store: Store, missing: list[Chunk], cluster: str | None, jobs: int | None) -> None:
    from takt.support import compile, console, parallel
    from takt.sweep import workers

    compile.host_library()
    if cluster is not None:
        finished = workers.on_cluster(missing, cluster)
    else:
        finished = workers.on_this_machine(missing, jobs or parallel.cores())
    with closing(finished), console.counting("chunks of the sweep", len(missing)) as done:
        for number, rows in finished:
            store.keep(number, rows)
            done()


def run(
    study: Study, folder: Path, kind: str, cluster: str | None, jobs: int | None, draw: bool
) -> tuple[dict[str, Any], list[Mean]]:
    """The document of `takt sweep --json` (docs/json.md), and its means. UserError: see takt.sweep's modules."""
    from takt.support.compile import locked
    from takt.sweep import plots
    from takt.sweep.rows import chunks, program
    from takt.sweep.store import Store, refuse_foreign
    from takt.sweep.summary import means

    refuse_foreign(folder)
    with locked(folder):
        store = Store(folder, study.facts(), program())
        everything = chunks(study)
        there = store.finished()
        missing = [chunk for chunk in everything if chunk.number not in there]
        if missing:
            _compute(store, missing, cluster, jobs)
        rows = store.rows(len(everything))
        found = means(study, rows)
        paths = [store.write(rows, kind), *(plots.write(folder, study, found) if draw else [])]
    computed = sum(len(chunk.numbers) for chunk in missing) * len(study.cases)
    document = {
        "folder": str(folder),
        "hash": store.hash,
        "rows": len(rows),
        "computed": computed,
        "workers": sorted({row["worker"] for row in rows}),
        "files": [path.name for path in paths],
        "points": [mean.as_json(study.breakdown) for mean in found],
    }
    return document, found


def show(document: dict[str, Any], study: Study, found: list[Mean]) -> None:
    """A table of the means, and where everything is."""
    from rich.table import Table

    from takt.support import console
    from takt.sweep.summary import label

    table = Table()
    names = [label(*case) for case in study.cases]
    head = ["overheads", "tasks", "periods", *([] if study.breakdown else ["utilization"]), *names]
    for name in head:
        table.add_column(name, justify="left" if name == "overheads" else "right")
    width = len(names)
    for start in range(0, len(found), width):
        first = found[start]
        cells = [first.overheads, str(first.tasks or "any"), f"/ {first.divisor}"]
        if not study.breakdown:
            cells.append("as given" if first.utilization is None else f"{first.utilization:g}")
        table.add_row(*cells, *(f"{100 * mean.value:.2f}" for mean in found[start : start + width]))
    out = console.out()
    out.print(table)
    title = "Mean breakdown utilization" if study.breakdown else "Sets that are proved"
    undecided = sum(mean.undecided for mean in found)
    more = f" {undecided} verdicts are undecided and count as not proved." if undecided else ""
    out.print(f"{title}, percent.{more}", markup=False)
    kept = document["rows"] - document["computed"]
    out.print(
        f"{document['rows']} rows, {kept} of them kept from earlier runs, in {document['folder']}: ",
        end="",
        markup=False,
    )
    out.print(", ".join(document["files"]), markup=False, soft_wrap=True)


def experiment(path: Path, folder: Path, kind: str, cluster: str | None, jobs: int | None, as_json: bool) -> None:
    """A study whose rows are runs, and what there is to say of it. UserError: see takt.sweep.experiments."""
    from takt.support import console, parallel
    from takt.support.errors import UserError
    from takt.sweep import experiments

    if cluster is not None:
        raise UserError(
            "a study of runs cannot use --cluster: runs are simulated on this machine", "leave out --cluster"
        )
    if kind != "csv":
        raise UserError("a study of runs cannot use --format: its rows are written as CSV", "leave out --format")
    document, _ = experiments.sweep(experiments.load(path), folder, jobs or parallel.cores())
    if as_json:
        console.print_json(document)
        return
    for one in document["overload"]:
        said = f"late with {one['late']} channels" if one["late"] else f"in time with {one['in_time']} channels"
        click.echo(f"{one['kernel']}, {one['kind']}, {one['codec']}: {said}")
    kept = document["rows"] - document["computed"]
    click.echo(f"{document['rows']} rows, {kept} of them kept from earlier runs, in {document['folder']}: rows.csv")


def add_command(cli: click.Group) -> None:
    @cli.command(name="sweep")
    @click.argument("study_file", metavar="STUDY", type=click.Path(path_type=Path))
    @click.option(
        "--out",
        type=click.Path(path_type=Path),
        metavar="FOLDER",
        help="Folder for the results (default: STUDY-results).",
    )
    @click.option("--cluster", metavar="ADDRESS", help=HELP_CLUSTER)
    @click.option(
        "--jobs", type=click.IntRange(1, 1024), help="Processes on this machine (default: one for each core)."
    )
    @click.option("--format", "kind", type=click.Choice(["csv", "parquet"]), default="csv", help=HELP_FORMAT)
    @click.option("--no-plots", is_flag=True, help="Draw no pictures.")
    @json_option
    def command(
        study_file: Path,
        out: Path | None,
        cluster: str | None,
        jobs: int | None,
        kind: str,
        no_plots: bool,
        as_json: bool,
    ) -> int:
        """Test many task sets: the verdict or breakdown utilization of each set of STUDY under each scheduler.

        STUDY is a TOML file (docs/sweep.md). Finished parts are kept; the same command continues after an interruption.
        """
        from takt.support import console
        from takt.support.errors import UserError
        from takt.sweep import experiments, study

        if cluster is not None and jobs is not None:
            raise UserError("--jobs and --cluster exclude each other", "only one of the two")
        folder = out if out is not None else study_file.with_name(f"{study_file.stem}-results")
        if experiments.is_one(study_file):
            experiment(study_file, folder, kind, cluster, jobs, as_json)
            return 0
        read = study.load(study_file)
        document, found = run(read, folder, kind, cluster, jobs, not no_plots)
        if as_json:
            console.print_json(document)
        else:
            show(document, read, found)
        return 0

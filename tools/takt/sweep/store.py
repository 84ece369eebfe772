# SPDX-License-Identifier: Apache-2.0
"""The results folder of a sweep: what is finished stays there, whatever is killed.

study.json       what the results depend on, and its hash; written first
chunks/N.json    the rows of chunk N, written whole or not at all
rows.csv or rows.parquet, *.svg: made of the chunks when all are there
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from takt.support import provision
from takt.support.errors import UserError
from takt.support.files import read_text, shown_path, write_whole
from takt.sweep.rows import COLUMNS, Row
from takt.sweep.study import digest

FORMATS = ("csv", "parquet")


def refuse_foreign(folder: Path, mark: str = "study.json", problem: str = "but not the results of a sweep") -> None:
    """UserError: there is something, and not what has the file `mark`."""
    mine = not folder.exists() or (folder.is_dir() and {path.name for path in folder.iterdir()} <= {".lock"})
    if not mine and not (folder / mark).exists():
        raise UserError(f"{shown_path(folder)} exists, {problem}", "another --out")


class Store:
    """A results folder, made if there is none; one process at a time has it. UserError: it belongs to another study
    or version of Takt."""

    def __init__(self, folder: Path, facts: dict[str, Any], made_by: str) -> None:
        """`facts`: what its results depend on besides the program. `made_by`: hash of that."""
        self.folder = folder
        self.chunks = folder / "chunks"
        self.facts = facts
        self.made_by = made_by
        kept = folder / "study.json"
        if kept.exists():
            self._compare(kept)
        self.chunks.mkdir(parents=True, exist_ok=True)
        for rest in self.chunks.glob(".*"):  # of a kill in the middle of a write
            rest.unlink()
        if not kept.exists():
            document = {"hash": self.hash, "program": made_by, "study": self.facts}
            write_whole(kept, json.dumps(document, indent=2) + "\n")

    @property
    def hash(self) -> str:
        """Of what the study says."""
        return digest(self.facts)

    def _compare(self, kept: Path) -> None:
        name = shown_path(self.folder)
        try:
            document = json.loads(read_text(kept))
            old, facts, hashed = document["program"], document["study"], document["hash"]
        except (ValueError, KeyError, TypeError):
            raise UserError(f"{shown_path(kept)} is damaged", "another --out, or remove the folder") from None
        if hashed != self.hash:
            changed = [key for key in self.facts if facts.get(key) != self.facts[key]]
            raise UserError(
                f"{name} has results of another study: it differs in {', '.join(changed) or 'its stored settings'}",
                "another --out, the earlier study, or remove the folder",
            )
        if old != self.made_by:
            problem = f"{name} has results of another version of Takt, which may differ"
            raise UserError(problem, "another --out, or remove the folder")

    def _path(self, number: int) -> Path:
        return self.chunks / f"{number}.json"

    def finished(self) -> set[int]:
        """Chunks that are there."""
        return {int(path.stem) for path in self.chunks.glob("*.json") if path.stem.isdecimal()}

    def keep(self, number: int, rows: list[Row]) -> None:
        """From here on the chunk is finished."""
        write_whole(self._path(number), json.dumps(rows) + "\n")

    def rows(self, chunks: int) -> list[Row]:
        """Of all chunks, in order. UserError: one is damaged; it is removed."""
        return [row for number in range(chunks) for row in self.read(number)]

    def read(self, number: int) -> list[Row]:
        """Of a chunk that is finished. UserError: it is damaged; it is removed."""
        try:
            return [*json.loads(read_text(self._path(number)))]
        except (ValueError, TypeError):
            self._path(number).unlink()
            raise UserError(
                f"{shown_path(self._path(number))} was damaged and has been removed",
                "run the same command again, which computes it anew",
            ) from None

    def write(self, rows: list[Row], kind: str, columns: Iterable[str] = COLUMNS) -> Path:
        """The table, whole. Parquet has COLUMNS."""
        path = self.folder / f"rows.{kind}"
        write_whole(path, parquet(rows) if kind == "parquet" else table(rows, columns))
        return path


def table(rows: list[Row], columns: Iterable[str] = COLUMNS) -> str:
    """CSV; what does not apply is empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def parquet(rows: list[Row]) -> bytes:
    """A Parquet file; what does not apply is null."""
    provision.require_python("parquet")
    import pyarrow
    import pyarrow.parquet

    types: dict[type, Any] = {int: pyarrow.int64(), float: pyarrow.float64(), str: pyarrow.string()}
    schema = pyarrow.schema([(name, types[kind]) for name, kind in COLUMNS.items()])
    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema=schema), out)
    return out.getvalue()

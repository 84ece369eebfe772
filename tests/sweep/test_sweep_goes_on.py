# SPDX-License-Identifier: Apache-2.0
"""A sweep whose results are there already: it goes on after a kill, and takes none that are another's or damaged."""

from __future__ import annotations

import json
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from children import alive, children, ended_by, environment, kill, takt_command, wait_until
from command_line import Takt
from small_study import SMALL, Write, load, results, table
from takt.support.errors import UserError
from takt.sweep import rows as computing

pytestmark = pytest.mark.usefixtures("analysis_library")


def killed_in_the_middle(path: Path) -> set[str]:
    """Starts a sweep, kills it once some of it is there, and returns what is."""
    command = takt_command("sweep", path, "--jobs", "2", "--no-plots")
    chunks = results(path) / "chunks"
    with subprocess.Popen(command, env=environment(), start_new_session=True) as process:
        try:
            wait_until(lambda: len(list(chunks.glob("[0-9]*.json"))) >= 3, 60, "three chunks")
            known = children(process.pid)
        finally:
            process.kill()
    assert len(known) >= 2
    try:
        wait_until(lambda: not any(map(alive, known)), 20, "the end of its processes")
    finally:
        kill(known)
    return {file.name for file in chunks.glob("[0-9]*.json")}


def test_a_killed_sweep_goes_on(takt: Takt, study: Write, tmp_path: Path) -> None:
    """Nothing that was finished is computed again, and no process of it is left."""
    path = study(SMALL.replace("sets = 12", "sets = 100").replace("[3, 5]", "[20]"))
    kept = killed_in_the_middle(path)
    assert 3 <= len(kept) < 80
    times = {name: (results(path) / "chunks" / name).stat().st_mtime_ns for name in kept}
    said = takt("sweep", path, "--jobs", "2", "--no-plots", "--json")
    assert said.code == 0, said.err
    document = json.loads(said.out)
    assert document["computed"] == document["rows"] - len(kept) * 5 * 2
    assert {name: (results(path) / "chunks" / name).stat().st_mtime_ns for name in kept} == times
    assert json.loads(takt("sweep", path, "--no-plots", "--json").out)["computed"] == 0
    takt("sweep", path, "--out", tmp_path / "once", "--jobs", "1", "--no-plots")
    whole, once = table(results(path)), table(tmp_path / "once")
    for row in (*whole, *once):
        del row["worker"]
    assert whole == once


def test_an_interrupt_ends_it_with_one_word(study: Write) -> None:
    path = study(SMALL.replace("sets = 12", "sets = 1000"))
    command = ["-m", "takt", "sweep", str(path), "--jobs", "2", "--no-plots"]
    chunks = results(path) / "chunks"
    end = ended_by(signal.SIGINT, command, lambda _: (chunks / "0.json").exists())
    assert (end.code, end.out, end.left) == (130, "", 0)
    assert "Traceback" not in end.err
    assert end.err.endswith("takt: interrupted\n")
    assert all(json.loads(file.read_text()) for file in chunks.glob("[0-9]*.json"))


def test_another_study_is_refused(takt: Takt, study: Write) -> None:
    path = study(SMALL)
    assert takt("sweep", path, "--no-plots").code == 0
    before = (results(path) / "rows.csv").read_bytes()
    study(SMALL + "# a comment is no change\n")
    assert takt("sweep", path, "--no-plots").code == 0
    study(SMALL.replace("sets = 12", "sets = 13\nseed = 7"))
    said = takt("sweep", path, "--no-plots")
    assert said.code == 2
    assert "has results of another study: it differs in sets, seed" in said.err
    assert "try: another --out" in said.err
    assert (results(path) / "rows.csv").read_bytes() == before


def test_results_of_another_version_are_refused(takt: Takt, study: Write) -> None:
    path = study(SMALL)
    assert takt("sweep", path, "--no-plots").code == 0
    kept = results(path) / "study.json"
    document = json.loads(kept.read_text(encoding="utf-8"))
    kept.write_text(json.dumps({**document, "program": "0"}), encoding="utf-8")
    assert "another version of Takt" in takt("sweep", path).err
    kept.write_text("{", encoding="utf-8")
    assert "study.json is damaged" in takt("sweep", path).err


def test_a_worker_of_another_version_is_refused(study: Write) -> None:
    chunk = computing.chunks(load(study(SMALL)))[0]
    with pytest.raises(UserError, match="w1 runs another version of Takt"):
        computing.compute(replace(chunk, program="0"), "w1")


def test_a_folder_of_something_else_is_left_alone(takt: Takt, study: Write, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").write_text("dear")
    said = takt("sweep", study(SMALL), "--out", tmp_path / "mine")
    assert (said.code, "not the results of a sweep" in said.err) == (2, True)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter"]
    assert takt("sweep", study(SMALL), "--out", tmp_path / "mine" / "letter").code == 2


def test_a_damaged_chunk_is_computed_again(takt: Takt, study: Write) -> None:
    path = study(SMALL)
    takt("sweep", path, "--jobs", "1", "--no-plots")
    whole = [row["verdict"] for row in table(results(path))]
    (results(path) / "chunks" / "3.json").write_text('[{"set"')
    said = takt("sweep", path, "--jobs", "1", "--no-plots")
    assert (said.code, "3.json was damaged and has been removed" in said.err) == (2, True)
    assert takt("sweep", path, "--jobs", "1", "--no-plots").code == 0
    assert [row["verdict"] for row in table(results(path))] == whole

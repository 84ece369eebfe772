# SPDX-License-Identifier: Apache-2.0
"""`takt run --watch`: a change ends a run and begins the next, and Ctrl-C ends it with the exit code of the last."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

from children import alive, children, environment, kill, takt_command, wait_until
from command_line import Takt

DECLARED = """
[system]
board = "host"
duration = "{duration}"

[[task]]
name = "a"
period = "1 ms"
wcet = "{wcet}"
"""
WAIT_S = 30


def documents(text: str) -> list[dict[str, Any]]:
    """One after the other."""
    decoder, found, at = json.JSONDecoder(), [], 0
    while at < len(text.rstrip()):
        document, at = decoder.raw_decode(text, at)
        found.append(document)
        at += len(text[at:]) - len(text[at:].lstrip())
    return found


def save(folder: Path, duration: str, wcet: str) -> None:
    """By rename, as many editors do."""
    fresh = folder / ".system.toml.new"
    fresh.write_text(DECLARED.format(duration=duration, wcet=wcet), encoding="utf-8")
    fresh.replace(folder / "system.toml")


def test_changes_run_it_again(tmp_path: Path) -> None:
    folder = tmp_path / "application"
    folder.mkdir()
    save(folder, "1000000 s", "100 us")
    out, err = tmp_path / "out", tmp_path / "err"
    command = ["env", "--default-signal=INT", *takt_command("run", folder, "--watch", "--json")]
    with out.open("wb") as to_out, err.open("wb") as to_err:
        process = subprocess.Popen(
            command, env=environment(), start_new_session=True, stdin=subprocess.DEVNULL, stdout=to_out, stderr=to_err
        )

    def says(text: str) -> None:
        wait_until(lambda: text in err.read_text(encoding="utf-8"), WAIT_S, text)

    known: list[int] = []
    try:
        says("running application on host")
        known = children(process.pid)
        assert known
        save(folder, "10 ms", "2 ms")
        says("exit code 1; waiting for a change of ")
        assert not any(map(alive, known))
        (folder / "notes").write_text("no file of the application", encoding="utf-8")
        save(folder, "10 ms", "100 us")
        says("exit code 0; waiting")
        process.send_signal(signal.SIGINT)
        assert process.wait(WAIT_S) == 0
    finally:
        process.kill()
        kill(known)
    said = err.read_text(encoding="utf-8")
    assert said.count("takt: system.toml changed: again\n") == 2
    assert "notes" not in said
    refuted, proved = documents(out.read_text(encoding="utf-8"))
    assert refuted["verdict"] == "infeasible"
    assert proved["within_proof"]


def test_what_cannot_be_watched(takt: Takt, tmp_path: Path) -> None:
    said = takt("run", tmp_path / "nothing", "--watch")
    assert said.code == 2
    assert said.err.startswith(f"takt: {tmp_path}/nothing does not exist")
    said = takt("run", "--watch", "--gdb")
    assert (said.code, said.err.splitlines()[0]) == (2, "takt: --watch cannot be used with a debugger")

# SPDX-License-Identifier: Apache-2.0
"""`takt bench ipc`: its figures' sense and its keys. No time is tested."""

from __future__ import annotations

import json
import shutil

import pytest
from command_line import Takt, documented, keys
from running import only_full
from takt.bench import ipc
from takt.support import provision
from takt.support.errors import UserError

ROUNDS = [(9.0, 90.0), (1.0, 10.0), (5.0, 50.0), (3.0, 30.0)]
counted = pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")


@only_full
@counted
def test_the_keys_are_documented(takt: Takt) -> None:
    said = takt("bench", "ipc", "--no-peers", "--rounds", "1", "--json")
    assert said.code == 0, said.err
    document = json.loads(said.out)
    rows = {(row["operation"], row["bytes"]): row for row in document["rows"]}
    assert set(rows) == {
        ("ring", 8),
        ("ring", 56),
        ("ring", 64),
        *((operation, size) for operation in ("state", "mailbox") for size in (8, 64)),
    }
    assert 10 < rows["ring", 8]["instructions"] < rows["ring", 64]["instructions"] < 100
    for size in (8, 64):
        assert rows["state", size]["instructions"] < rows["mailbox", size]["instructions"] / 3
    peer = {"instructions": 1.0, "one_thread": None, "two_threads": None}
    rows["ring", 8]["peers"] = dict.fromkeys(ipc.PEERS, peer)
    assert set(keys(document)) == documented("bench ipc")


@counted
def test_the_ring_takes_fewer_instructions_than_its_peers() -> None:
    """Unbatched, at 8 and 56 bytes: what fits a cache line with its state."""
    missing = [package.name for package in provision.packages(["queues"]) if not package.present()]
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed")
    try:
        program = ipc.build(True)
    except UserError as error:
        pytest.skip(str(error))
    for size in (8, 56):
        ours = ipc.instructions(program, "ring", size)
        assert all(ours < ipc.instructions(program, peer, size) for peer in ipc.PEERS)


def test_the_faster_half() -> None:
    assert ipc.faster_half([9.0, 1.0, 5.0, 3.0]) == 2.0
    assert ipc.faster_half([4.0]) == 4.0


def test_ratios_are_the_peers_time_by_ours() -> None:
    times = {("ring", 8): ROUNDS, ("rtrb", 8): [(one * 2, two * 3) for one, two in ROUNDS]}
    assert ipc.ratios(times, "rtrb", 8) == {"one_thread": 2.0, "two_threads": 3.0}
    assert ipc.ratios({}, "rtrb", 8) == {"one_thread": None, "two_threads": None}


def test_the_table_tells_ratios_only_of_what_was_timed() -> None:
    timed = {"instructions": 30.6, "one_thread": 2.0, "two_threads": 3.0}
    unknown = {"instructions": 40.0, "one_thread": None, "two_threads": None}
    row = {"operation": "ring", "bytes": 8, "instructions": 29.4, "peers": {"boost": timed, "rtrb": unknown}}
    assert ipc.table({"rows": [row]}).rows == [["ring, 8 bytes", 29, 31, 40, "2.00", None, "3.00", None]]


def test_a_program_that_fails_is_not_measured(takt: Takt, monkeypatch: pytest.MonkeyPatch) -> None:
    """A queue that loses an item ends with exit code 1."""

    def lossy(rounds: int, with_peers: bool) -> dict[str, object]:
        ipc._run(["sh", "-c", f"echo ring, 8 bytes: {rounds} items wrong >&2; exit {1 + with_peers - 1}"])
        raise AssertionError

    monkeypatch.setattr(ipc, "measure", lossy)
    said = takt("bench", "ipc", "--rounds", "7")
    assert (said.code, said.out, said.err) == (1, "", "takt: ring, 8 bytes: 7 items wrong\n")

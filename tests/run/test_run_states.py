# SPDX-License-Identifier: Apache-2.0
"""State messages whose copies the tool decides: what is generated, and runs that keep the declared timing or do not.

In states/ every access to a shared word takes virtual time, so a read of 21 ms meets three writes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Takt, documented, keys
from running import Run
from tables import COMPILERS, compile_tables, tables
from takt.declare import declaration
from takt.declare.schema import boards
from takt.declare.service_kinds import state as states
from takt.declare.service_kinds.semaphore import Semaphore
from takt.declare.service_kinds.state_copies import State
from takt.image import build
from takt.image.tables import generate
from takt.observe import execute, run
from takt.prove import proof
from takt.trace import segments

FOLDER = Path(__file__).parent / "states"
Edited = Callable[..., Path]
READERS = 'readers = [{ task = "monitor", read = "21 ms" }, { task = "idler", read = "300 us" }]'


def test_as_declared_no_read_is_overtaken(run_json: Run) -> None:
    code, document = run_json(FOLDER)
    assert (code, document["breaches"]) == (0, [])
    assert document["states"] == [{"name": "pose", "writes": 100, "writes_max": 102, "overtaken": 0}]
    assert {key for key in keys(document) if key.startswith("states[].")} == {
        key for key in documented("run") if key.startswith("states[].")
    }


@pytest.mark.parametrize(("depth", "overtaken"), [(3, 10), (4, 0)])
def test_the_depth_is_not_too_great(run_json: Run, edited: Edited, depth: int, overtaken: int) -> None:
    """The tool gives it 4. Of a depth that the program declares nothing is promised, so nothing is broken."""
    code, document = run_json(edited(("system.toml", READERS, f"depth = {depth}")))
    assert (code, document["breaches"]) == (0, [])
    assert document["states"] == [{"name": "pose", "writes": 100, "writes_max": None, "overtaken": overtaken}]


def test_a_writer_more_frequent_than_declared_is_reported(takt: Takt, edited: Edited, scratch_builds: Path) -> None:
    folder = edited(("states.c", "WRITES = 1", "WRITES = 2"))
    said = takt("run", folder)
    assert said.code == 1
    assert "control wrote pose 200 times, more than the declared 102 (and 1 more)." in said.out
    document = json.loads(next(scratch_builds.glob("*/run/run.json")).read_text())
    assert document["breaches"][1] == "10 reads of pose were overtaken by writes: the timing is not as declared"
    assert not document["within_proof"]


def test_what_is_declared_is_what_counts(run_json: Run, edited: Edited, scratch_builds: Path) -> None:
    folder = edited(("states.c", "WRITES = 1", "WRITES = 2"), ("system.toml", READERS, f"writes = 2\n{READERS}"))
    code, document = run_json(folder)
    assert (code, document["states"][0]["overtaken"]) == (0, 0)
    seen = segments.read(next(scratch_builds.glob("*/run/trace.takt")))
    lines = [entry.named(seen.names) for entry in seen.entries[-2:]]
    assert [(line["event"], line["task"], line["object"], line["value"]) for line in lines] == [
        ("stat_writes", None, "pose", 200),
        ("stat_overtaken", None, "pose", 0),
    ]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (("states.c", "void idler(void *argument)\n{", "void idler(void *argument)\n{\n    pose_write(0);"), "write"),
        (("system.toml", ', { task = "idler", read = "300 us" }', ""), "read"),
    ],
)
def test_an_undeclared_task_is_stopped(
    takt: Takt, edited: Edited, scratch_builds: Path, change: tuple[str, str, str], line: str
) -> None:
    said = takt("run", edited(change))
    assert said.code == 1
    at = re.search(r"takt_app.h:(\d+)", said.out)
    assert at is not None, said.out
    header = next(scratch_builds.glob("*/generated/takt_app.h")).read_text().splitlines()
    assert "TAKT_ASSERT(takt_task_running()" in header[int(at[1]) - 1]
    assert f"pose_{line}(" in header[int(at[1]) - 3]


def test_an_image_of_other_periods_is_noticed(edited: Edited) -> None:
    """Also where the proof's text alone would say the same: what is hashed are proof and tables."""
    folder = edited()
    old = proof.prove(declaration.load(folder / "system.toml"))
    image = build.build(old)
    declared = (folder / "system.toml").read_text().replace('read = "21 ms"', 'read = "5 ms"')
    (folder / "system.toml").write_text(declared)
    new = proof.prove(declaration.load(folder / "system.toml"))
    digest = generate.generate_proved(new, folder / "new")
    assert (old.system.of(State)[0].copies, new.system.of(State)[0].copies) == (4, 2)
    stale = replace(image, proof_hash=int(digest, 16))
    board = boards.load("host")
    taken = run.recording_of(new, stale)
    done = execute.run(stale, board, duration_ns=10**7, seed=1, plant=None, progress=lambda _: None, recording=taken)
    assert done.failure is not None
    assert "another proof" in done.failure


def test_everything_generated_is_in_the_hash(tmp_path: Path) -> None:
    """Of this no proof depends: the folder's semaphore."""
    (tmp_path / "system.toml").write_text('[[task]]\nname = "only"\n[[semaphore]]\nname = "made"\n')
    one = proof.prove(declaration.load(tmp_path / "system.toml"))
    other = replace(one, system=one.system.having(Semaphore, (replace(one.system.of(Semaphore)[0], initial=1),)))
    assert one.text() == other.text()
    assert generate.generate_proved(one, tmp_path) != generate.generate_proved(other, tmp_path)


def test_check_says_how_many_copies_and_why(takt: Takt) -> None:
    said = takt("check", FOLDER)
    assert said.code == 0
    for line in (
        "state pose: 4 copies, by the proved response bounds",
        "  monitor: its read lasts 24.3 ms at most, 3 writes of control: 4 copies",
        "  idler: no bound on the writes of control during its read; it reads with the kernel locked for 300 us",
    ):
        assert line in said.out.replace("\n", "") or line in said.out
    header = declaration.load(FOLDER / "system.toml")
    assert header.of(State)[0].slow == ("monitor", "idler")  # as long as nothing is proved


def test_the_page_of_the_proof_says_the_same(takt: Takt, edited: Edited, tmp_path: Path) -> None:
    """The rest of that page: test_run_proof_page.py."""
    path = tmp_path / "page.html"
    assert takt("report", FOLDER, "--no-image", "-o", path).code == 0
    text = re.sub(r"<[^>]*>", "|", path.read_text().split("State messages</h2>")[1].split("</section>")[0])
    assert re.sub(r"\|+", "|", text.split("4|", 1)[1]) == (
        "|control|monitor|24.3 ms|3|idler|-|any number|300 us locked|"
        "With these copies no read is overtaken, if the declared timing holds.|"
    )
    assert (
        takt("report", edited(("system.toml", READERS, f"depth_max = 3\n{READERS}")), "--no-image", "-o", path).code
        == 1
    )
    assert "since nothing is proved: reads may be overtaken." in path.read_text()


def test_what_is_not_proved_says_so(takt: Takt, edited: Edited) -> None:
    folder = edited(("system.toml", READERS, f"depth_max = 3\n{READERS}"))
    said = takt("generate", folder)
    assert said.code == 0
    assert "state pose: 2 copies, by the deadlines" in said.out
    assert "12 copies, more than 3; it reads with the kernel locked for 21 ms" in said.out
    assert "Refuted: task control" in said.out
    assert said.out.splitlines()[-1].startswith("Nothing is proved of these tables")


def test_what_generate_says(takt: Takt, tmp_path: Path) -> None:
    said = takt("generate", FOLDER, "-o", tmp_path / "out", "--json")
    document = json.loads(said.out)
    assert said.code == 0
    of_format = {key for key in documented("generate") if key.split(".")[0] == "build"}  # with --format alone
    assert set(keys(document)) == documented("generate") - of_format
    assert [Path(path).is_file() for path in document["files"]] == [True, True]
    assert document["hash"] in (tmp_path / "out" / "system.c").read_text()
    assert document["objects"] == [
        {"name": "pose", "kind": "state", "calls": ["pose_write", "pose_read", "pose_read_locked"]}
    ]
    assert document["states"][0]["readers"][1]["locked"]
    header = (tmp_path / "out" / "takt_app.h").read_text()
    assert " * state pose: 4 copies, by the proved response bounds\n" in header
    assert "TAKT_STATE_DEFINE(pose, sizeof(struct pose), 4);" in (tmp_path / "out" / "system.c").read_text()
    slow, quick = (line.strip() for line in header[header.index("TASK_idler\n") :].splitlines()[1:3])
    assert slow == "? takt_state_read_locked(&pose, message, SIZE_pose)"
    assert quick == ": takt_state_read(&pose, message, SIZE_pose),"


DECLARED = """
[[task]]
name = "control"
period = "10 ms"
wcet = "1 ms"
[[task]]
name = "monitor"
period = "100 ms"
wcet = "1 ms"
[[interrupt]]
name = "radio"
number = 5
min_interarrival = "4 ms"
wcet = "10 us"
[[state]] # of bytes
name = "raw"
message_size = 20
writer = "control"
readers = [{task = "monitor", read = "10 us"}, {task = "radio", read = "5 us"}]
[[state]] # everybody is slow
name = "slow"
type = "double"
depth_max = 2
writer = "radio"
readers = [{task = "monitor", read = "10 us"}]
"""


@pytest.mark.parametrize("board", COMPILERS)
def test_the_calls_compile_without_a_warning(application: Callable[..., Path], tmp_path: Path, board: str) -> None:
    system = declaration.load(application(DECLARED) / "system.toml")
    tables(system, tmp_path, board)
    header = (tmp_path / "takt_app.h").read_text()
    assert "raw_read(void *message)" in header
    assert "raw_write(const void *message)" in header
    assert "slow_read(double *message)" in header
    raw = header[header.index("raw_read(") :].split("}")[0]
    assert "TAKT_ASSERT" not in raw  # an interrupt among the readers does not show
    slow = header[header.index("slow_read(") :].split("}")[0]
    assert "takt_state_read_locked(&slow, message, SIZE_slow), &takti_overtaken_slow" in slow
    compile_tables(system, tmp_path, board)
    assert states.overtaken(system.of(State)[0]) == "takti_overtaken_raw"

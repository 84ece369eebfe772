# SPDX-License-Identifier: Apache-2.0
"""libFuzzer over nodes with hostile neighbours, some of which have the keys, and over areas in hostile memory.

TAKT_FUZZ_NODES: how many inputs (default 15000, with --full 500000), each of up to 40 packets and calls. TAKT_SEED:
where it begins; the input that fails is kept, and its path is in the message.
"""

from __future__ import annotations

from pathlib import Path

import fuzzing
from takt.support.provision import ROOT

CORE = ROOT / "reflect" / "core"
RUNS = fuzzing.inputs("TAKT_FUZZ_NODES", 15000, 500000)


def test_hostile_neighbours_and_memory(tmp_path: Path) -> None:
    sources = [*sorted((CORE / "src").glob("*.c")), CORE / "test" / "fuzz.c"]
    program = fuzzing.build(tmp_path / "fuzz", sources, CORE / "include")
    # Of some 650: it comes through to whole values, not only to what is malformed.
    assert fuzzing.run(program, tmp_path, RUNS, 1500) > 500

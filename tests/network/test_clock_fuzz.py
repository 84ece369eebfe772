# SPDX-License-Identifier: Apache-2.0
"""libFuzzer over what others can send to a node with a clock, at any times.

TAKT_FUZZ_CLOCK: how many inputs. TAKT_SEED: where it begins; the input that fails is kept, and its path is in the
message.
"""

from __future__ import annotations

from pathlib import Path

import fuzzing
from takt.support.provision import ROOT

CLOCK = ROOT / "net" / "clock"


def test_masters_that_send_anything(tmp_path: Path) -> None:
    sources = [*sorted((CLOCK / "src").glob("*.c")), CLOCK / "test" / "clock_fuzz.c"]
    program = fuzzing.build(tmp_path / "fuzz", sources, CLOCK / "include")
    assert fuzzing.run(program, tmp_path, fuzzing.inputs("TAKT_FUZZ_CLOCK", 1500, 500_000), 600) > 150

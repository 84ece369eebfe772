# SPDX-License-Identifier: Apache-2.0
"""libFuzzer over what others can do to the code of net/can, in any order.

TAKT_FUZZ_ISOTP, TAKT_FUZZ_QUEUE, TAKT_FUZZ_MTS: how many inputs. TAKT_SEED: where it begins; the input that fails is
kept, and its path is in the message.
"""

from __future__ import annotations

from pathlib import Path

import fuzzing
from takt.support.provision import ROOT

CAN = ROOT / "net" / "can"


def build(folder: Path, room: str, harness: str, *names: str) -> Path:
    sources = [*sorted((CAN / "src" / room).glob("*.c")), CAN / "test" / room / harness]
    sources += [CAN / "src" / f"{name}.c" for name in ("crc", "frame", "parser", *names)]
    return fuzzing.build(folder / "fuzz", [*sources, ROOT / "base" / "bitmap.c"], CAN / "include")


def test_another_end_of_isotp_that_sends_anything(tmp_path: Path) -> None:
    program = build(tmp_path, "isotp", "isotp_fuzz.c", "length")
    assert fuzzing.run(program, tmp_path, fuzzing.inputs("TAKT_FUZZ_ISOTP", 2500, 200_000), 1000) > 300


def test_events_of_a_queue_in_any_order(tmp_path: Path) -> None:
    program = build(tmp_path, "queue", "fuzz.c")
    assert fuzzing.run(program, tmp_path, fuzzing.inputs("TAKT_FUZZ_QUEUE", 4000, 500_000), 600) > 150


def test_a_bus_that_sends_any_ticks(tmp_path: Path) -> None:
    program = build(tmp_path, "mts", "mts_fuzz.c", "length")
    assert fuzzing.run(program, tmp_path, fuzzing.inputs("TAKT_FUZZ_MTS", 3000, 500_000), 600) > 150

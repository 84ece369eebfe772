# SPDX-License-Identifier: Apache-2.0
"""libFuzzer over what comes from CAN interfaces of the machine (library/can/test/*_fuzz.c).

TAKT_FUZZ_CAN: how many inputs. TAKT_SEED: where it begins; the input that fails is kept.
"""

from __future__ import annotations

from pathlib import Path

import fuzzing
import pytest
from takt.support.provision import ROOT

CALLS = ("socket", "setsockopt", "ioctl", "bind", "write", "recvmsg", "close")
FRAMES = ("crc", "frame", "length", "parser", "errors", "filter")


@pytest.mark.parametrize(
    ("names", "calls", "edges_min"), [(("socketcan", "socket"), CALLS, 200), (("packed",), (), 90)]
)
def test_anything_that_comes(names: tuple[str, ...], calls: tuple[str, ...], edges_min: int, tmp_path: Path) -> None:
    net, library = ROOT / "net" / "can", ROOT / "library" / "can"
    sources = [*(library / "host" / f"{name}.c" for name in names), library / "test" / f"{names[0]}_fuzz.c"]
    sources += [net / "src" / f"{name}.c" for name in FRAMES]
    program = fuzzing.build(tmp_path / "fuzz", sources, net / "include", calls)
    assert fuzzing.run(program, tmp_path, fuzzing.inputs("TAKT_FUZZ_CAN", 6000, 1_000_000), 600) > edges_min

# SPDX-License-Identifier: Apache-2.0
"""What gdb loads, with `source` or -x: adds the command `takt` (docs/debugging.md)."""

from __future__ import annotations

import sys
from pathlib import Path

TOOLS = str(Path(__file__).resolve().parents[2])

if sys.version_info < (3, 11):  # noqa: UP036 (whatever Python gdb was built with)
    raise SystemExit(f"takt: this gdb has Python {sys.version.split()[0]}; 3.11 or newer is needed")
if TOOLS not in sys.path:
    sys.path.append(TOOLS)

from takt.gdb import commands, sources  # noqa: E402

commands.add()
sources.follow()

# SPDX-License-Identifier: Apache-2.0
"""`python -m takt`."""

import os
import signal
import sys

from takt import streams
from takt.cli import main
from takt.support import plain
from takt.support.errors import ENDINGS


def _end(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


for _number in ENDINGS:  # in order, as of Ctrl-C: no board goes on running alone
    if signal.getsignal(_number) is signal.SIG_DFL:
        signal.signal(_number, _end)

os.environ.pop("PYTHONSAFEPATH", None)  # the launcher's, not for programs that commands start
streams.prepare()
plain.temporary(os.environ)
try:
    _code = main()
except SystemExit as _exit:
    _code = _exit.code if isinstance(_exit.code, int) else 0
sys.exit(streams.finish(_code))

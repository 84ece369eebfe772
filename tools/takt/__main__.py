# SPDX-License-Identifier: Apache-2.0
"""`python -m takt`."""

import os
import signal
import sys


def _end(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


def _run() -> int:
    from takt import streams
    from takt.cli import main
    from takt.support import plain
    from takt.support.errors import ENDINGS

    for number in ENDINGS:  # in order, as of Ctrl-C: no board goes on running alone
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)
    os.environ.pop("PYTHONSAFEPATH", None)  # the launcher's, not for programs that commands start
    streams.prepare()
    plain.temporary(os.environ)
    try:
        code = main()
    except SystemExit as exit:
        code = exit.code if isinstance(exit.code, int) else 0
    return streams.finish(code)


try:
    _code = _run()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done: nothing is left to interrupt
except KeyboardInterrupt:  # between two lines of ours, as while modules are loaded
    os.write(2, b"takt: interrupted\n")
    _code = 128 + signal.SIGINT
sys.exit(_code)

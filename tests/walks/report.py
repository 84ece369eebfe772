# SPDX-License-Identifier: Apache-2.0
"""Records `takt run` of a small system: prints the file and the name of the functions of tools/takt that lead the run
to a file for the first time.

Functions of modules count that are public and called from another file. Of each file those are printed that lead on to
new files; if none does, the first one. Rooms that all others use are left out: support, and the values and classes of a
declaration.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from takt import cli  # noqa: E402
from takt.image import build  # noqa: E402

TOOL = f"{ROOT / 'tools' / 'takt'}/"
FIRST = ("commands/run.py", "command")
USED_BY_ALL = ("support/", "declare/schema/", "declare/service_kinds/")

Stop = tuple[str, str]
"""A file of tools/takt and a function."""


class Recorder:
    """A profile function of the interpreter."""

    def __init__(self) -> None:
        self.entered: dict[Stop, None] = {}
        self.first: dict[str, Stop] = {}  # of each file
        self.leading: set[Stop] = set()
        self.stack: list[tuple[FrameType, Stop | None]] = []  # with the innermost stop

    def __call__(self, frame: FrameType, event: str, _argument: Any) -> None:
        if event == "return" and self.stack and self.stack[-1][0] is frame:
            self.stack.pop()
        if event != "call":
            return
        above = self.stack[-1][1] if self.stack else None
        stop = self.stop(frame)
        if stop is not None:
            self.entered[stop] = None
            if stop[0] not in self.first:
                self.first[stop[0]] = stop
                if above is not None:
                    self.leading.add(above)
        self.stack.append((frame, stop or above))

    def stop(self, frame: FrameType) -> Stop | None:
        code = frame.f_code
        stop = (code.co_filename.removeprefix(TOOL), code.co_name)
        if stop == FIRST:
            return stop
        inner = code.co_qualname != code.co_name or code.co_name.startswith(("_", "<"))
        outside = not code.co_filename.startswith(TOOL) or stop[0].startswith(USED_BY_ALL)
        if inner or outside or not self.entered:
            return None
        return None if frame.f_back is not None and frame.f_back.f_code.co_filename == code.co_filename else stop

    def stops(self) -> list[Stop]:
        led = {file for file, _ in self.leading}
        return [one for one in self.entered if one in self.leading or (self.first[one[0]] == one and one[0] not in led)]


def main() -> int:
    recorder, said = Recorder(), io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        vars(build)["BUILD"] = Path(folder)
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            sys.setprofile(recorder)
            code = cli.main(["run", str(Path(__file__).with_suffix(""))])
            sys.setprofile(None)
    if code != 0:
        print(said.getvalue(), file=sys.stderr)
        return 1
    for file, function in recorder.stops():
        print(f"tools/takt/{file} {function}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

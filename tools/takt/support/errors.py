# SPDX-License-Identifier: Apache-2.0
"""What goes wrong outside the program. Standard library only: the launcher uses it before anything is installed."""

from __future__ import annotations

import difflib
import signal
from collections.abc import Iterable

YES, NO, MISUSE = 0, 1, 2
INTERRUPTED = 128 + signal.SIGINT
ENDINGS = (signal.SIGTERM, signal.SIGHUP)  # signals that end a command in order, as Ctrl-C does
EXITS = {
    YES: "yes: proved, found, within what was proved, done",
    NO: "no: refuted, undecided, missed, failed, out of date; or the output could not be written",
    MISUSE: "misuse, with a message that says what to try",
    128 + signal.SIGHUP: "the terminal went away (SIGHUP)",
    INTERRUPTED: "interrupted (Ctrl-C, SIGINT)",
    128 + signal.SIGTERM: "terminated (SIGTERM)",
}
"""Every exit code of every command, and what it says: `takt --help` and docs/json.md."""


class UserError(Exception):
    """One clear message for the user: what is wrong, and on a second line what to try. Exit code MISUSE."""

    def __init__(self, problem: str, hint: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.problem}\n  try: {self.hint}" if self.hint else self.problem


def one_of(names: Iterable[str]) -> str:
    """`a, b or c`: the names as a message lists them."""
    listed = list(names)
    if len(listed) < 2:
        return "".join(listed)
    return f"{', '.join(listed[:-1])} or {listed[-1]}"


def closest(word: str, names: Iterable[str]) -> str:
    """A hint for a misspelt name of a few: the closest one and then all of them, each once."""
    listed = list(names)
    near = did_you_mean(word, listed)
    quoted = [f'"{name}"' for name in listed]
    return f"{near} (or {', '.join(name for name in quoted if name != near)})" if near in quoted else near


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """A hint for a misspelt name: the closest one, or all of them."""
    listed = list(names)
    close = difflib.get_close_matches(word, listed, n=1, cutoff=0.6)
    if close:
        return f'"{close[0]}"'
    return one_of(f'"{name}"' for name in listed) if listed else ""

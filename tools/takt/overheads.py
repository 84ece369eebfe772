# SPDX-License-Identifier: Apache-2.0
"""boards/B/overheads.toml: what kernel operations cost on a board, maxima measured per preset.

format = 1
[[preset]]
preset = "standard"
tasks_max = 32                      # measured with up to this many tasks
interrupt = "2.1 us"                # entry and exit of an interrupt that calls the kernel
timer = "3.0 us"                    # a timer interrupt that releases nothing
lock = "1.9 us"                     # the longest locked section
release = {fixed = "6.4 us", edf = "7.0 us"}
complete = {fixed = "4.2 us", edf = "4.9 us"}
"""

from __future__ import annotations

from takt import boards, reader
from takt.errors import UserError
from takt.kinds import DURATION, Kind, choice, integer, toml_type
from takt.model import Overheads
from takt.schema import PRESETS, Key, Table

FORMAT = 1
_KINDS = ("fixed", "edf")


def _by_kind(value: object) -> dict[str, int]:
    if not isinstance(value, dict) or set(value) != set(_KINDS):
        wanted = '{fixed = "6.4 us", edf = "7.0 us"}'
        raise UserError(f"a duration for each kind of band is wanted, this is {toml_type(value)}", wanted)
    return {kind: DURATION.read(value[kind]) for kind in _KINDS}


_PRESET = Table(
    "preset",
    "Overheads of one preset.",
    (
        Key("preset", choice(*PRESETS), "The preset.", required=True),
        Key("tasks_max", integer(1, 65535), "Measured with up to this many tasks.", required=True),
        *(
            Key(name, DURATION, doc, required=True)
            for name, doc in (
                ("interrupt", "Entry and exit of an interrupt that calls the kernel."),
                ("timer", "A timer interrupt that releases nothing."),
                ("lock", "The longest locked section."),
            )
        ),
        *(
            Key(name, Kind("table of durations", _by_kind), doc, required=True)
            for name, doc in (
                ("release", "Release of a job, the switch to it included."),
                ("complete", "End of a job, the switch to the next included."),
            )
        ),
    ),
)

_FILE = Table(
    "",
    "The file.",
    (
        Key("format", integer(FORMAT, FORMAT), "Version of this format.", required=True),
        Key(
            "preset", Kind("array of tables", lambda value: value), "One for each preset.", required=True, table=_PRESET
        ),
    ),
    many=False,
)


def load(board: boards.Board, preset: str) -> Overheads | None:
    """The overheads of a board for a preset; None: not measured, or none by construction. UserError: malformed file."""
    path = board.folder / "overheads.toml"
    if board.zero_overheads or not path.exists():
        return None
    document = reader.load(path)
    tables = reader.read_table(document, _FILE, document.data, ())["preset"]
    found = [values for values in tables if values["preset"] == preset]
    if len(found) > 1:
        document.fail(("preset", tables.index(found[1])), f'[[preset]] "{preset}" is there twice', "keep one")
    return _overheads(board, found[0]) if found else None


def _overheads(board: boards.Board, values: dict[str, object]) -> Overheads:
    read = {f"{name}_ns": values[name] for name in ("interrupt", "timer", "lock", "release", "complete")}
    return Overheads(board=board.name, preset=values["preset"], tasks_max=values["tasks_max"], **read)  # type: ignore[arg-type]


def describe(board: boards.Board, used: Overheads | None, left_out: bool) -> str:
    """`none` or `measured` with the reason, as the text of check and run says it."""
    if used is not None:
        return f"overheads: measured ({board.name}, preset {used.preset}, up to {used.tasks_max} tasks)"
    if board.zero_overheads:
        return f"overheads: none (kernel operations take no time on {board.name})"
    if left_out:
        return "overheads: none (left out: --overheads none)"
    return f"overheads: none (not measured on {board.name}: the proof leaves the kernel's own time out)"

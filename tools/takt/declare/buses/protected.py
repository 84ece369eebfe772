# SPDX-License-Identifier: Apache-2.0
"""[[message]] with `protection`: counter and check in its data, end to end (net/e2e). The calls of a driven bus write
and check them."""

from __future__ import annotations

from typing import Any, NoReturn

from takt.declare.schema.kinds import POSITIVE_DURATION, Key, Kind, choice, integer, toml_type
from takt.declare.schema.locate import Path as Where
from takt.declare.schema.model import Message, Protection, System
from takt.declare.schema.reader import Document
from takt.support.durations import show
from takt.support.errors import UserError

PROFILES = {"e2e-1": 1, "e2e-2": 2, "e2e-5": 5}
BYTES = {1: 2, 2: 2, 5: 3}  # that the protection has
BYTES_MAX = {1: 30, 2: 32, 5: 64}  # of a message, for what its check finds
COUNTERS = {1: 15, 2: 16, 5: 256}
MODES = ("both", "alternating", "low", "nibble")
IDS = 16  # of profile 2
WINDOW_MAX = 32
LOST, WINDOW, ERRORS = 1, 8, 1  # where nothing is declared
STAMP = 8  # bytes in front of what is received: when it came


def _data_id(value: Any) -> int | tuple[int, ...]:
    if isinstance(value, list):
        if len(value) != IDS or any(isinstance(one, bool) or not isinstance(one, int) for one in value):
            raise UserError(f"an array that is not {IDS} integers", f"{IDS} integers 0 to 255, one for each counter")
        if not all(0 <= one <= 0xFF for one in value):
            raise UserError("an integer in it is out of range 0 to 255", "integers of 8 bits")
        return tuple(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise UserError(f"expected an integer, or an array, found {toml_type(value)}", "0x123")
    if not 0 <= value <= 0xFFFF:
        raise UserError("out of range 0 to 65535", f"{min(max(value, 0), 0xFFFF):#x}")
    return value


_BYTE = {"type": "integer", "minimum": 0, "maximum": 0xFF}
_DATA_ID = Kind(
    f"integer 0 to 0xFFFF, or array of {IDS} integers 0 to 255",
    _data_id,
    schema={
        "anyOf": [
            {"type": "integer", "minimum": 0, "maximum": 0xFFFF},
            {"type": "array", "minItems": IDS, "maxItems": IDS, "items": _BYTE},
        ]
    },
)

KEYS = (
    Key(
        "protection",
        choice(*PROFILES),
        "With `driver`: a counter and a check in the first bytes of its data, by AUTOSAR's E2E profile 1, 2 or 5. The"
        " calls that send and receive it write and check them (docs/e2e.md).",
        default_text="none",
    ),
    Key(
        "data_id",
        _DATA_ID,
        f"What the check has beside the data, the same at both ends, and of no other message. With `e2e-2` {IDS}.",
        default_text="**required** with `protection`",
    ),
    Key(
        "data_id_mode",
        choice(*MODES),
        "With `e2e-1`: what the check has of `data_id`. `both` bytes, one of them (`alternating`), the `low` one, or"
        " that and a `nibble` that is sent beside the counter.",
        default_text="`both`",
    ),
    Key(
        "max_lost",
        integer(0, max(COUNTERS.values()) - 2),
        "With `protection` and `receivers`: so many may be missing before a message that is accepted.",
        default_text=f"`{LOST}`",
    ),
    Key(
        "window",
        integer(1, WINDOW_MAX),
        "With `protection` and `receivers`: checks of which the state is made: none right among them is INVALID.",
        default_text=f"`{WINDOW}`",
    ),
    Key(
        "max_errors",
        integer(0, WINDOW_MAX),
        "With `protection` and `receivers`: more wrong ones in the window are INVALID.",
        default_text=f"`{ERRORS}`",
    ),
    Key(
        "fresh",
        POSITIVE_DURATION,
        "With `protection` and `receivers`: when the last accepted message came longer ago, the state is STALE.",
        default_text="none: it may be of any age",
    ),
)
_RECEIVER = ("max_lost", "window", "max_errors", "fresh")
NAMES = tuple(key.name for key in KEYS)


class _Of:
    """A table with its label."""

    def __init__(self, document: Document, values: dict[str, Any], where: Where) -> None:
        self.document, self.values, self.where = document, values, where
        self.raw = document.data["message"][where[1]]

    def fail(self, key: str, problem: str, hint: str) -> NoReturn:
        where = (*self.where, key) if key in self.raw else self.where
        self.document.fail(where, f'[[message]] "{self.values["name"]}": {problem}', hint)


def read(document: Document, values: dict[str, Any], where: Where) -> Protection | None:
    """UserError: a key needs another one, or a value is none of its profile."""
    of = _Of(document, values, where)
    if values["protection"] is None:
        for key in NAMES:
            if key in of.raw:
                of.fail(key, f"{key} requires protection", f'protection = "e2e-5", or remove {key}')
        return None
    word, size = values["protection"], values["bytes"]
    profile = PROFILES[word]
    if not BYTES[profile] <= size <= BYTES_MAX[profile]:
        problem = f"bytes = {size}: with {word} a message has {BYTES[profile]} to {BYTES_MAX[profile]}, of which"
        hint = "e2e-5, which is for longer ones" if size > BYTES_MAX[profile] else f"bytes = {BYTES[profile] + size}"
        of.fail("bytes", f"{problem} {BYTES[profile]} are the protection's", hint)
    for key in _RECEIVER:
        if key in of.raw and not values["receivers"]:
            of.fail(key, f"{key} requires receivers: it is of the end that receives", f"remove {key}")
    mode = _mode(of, word)
    found = Protection(
        profile=profile,
        data_id=_identifier(of, word, mode),
        mode=mode,
        max_lost=LOST if values["max_lost"] is None else values["max_lost"],
        window=values["window"] or WINDOW,
        max_errors=ERRORS if values["max_errors"] is None else values["max_errors"],
        fresh_ns=values["fresh"],
    )
    most = COUNTERS[profile] - 2
    if found.max_lost > most:
        of.fail("max_lost", f"max_lost = {found.max_lost}, and {word} has {COUNTERS[profile]} counters", f"{most}")
    if values["queue"] is not None and len(values["receivers"]) > 1:
        problem = "queue with several receivers: each would miss what another one takes"
        of.fail("queue", problem, "one receiver, or no queue")
    longest_ns = (values["period"] or 0) + values["jitter"]
    if found.fresh_ns is not None and found.fresh_ns < longest_ns:
        problem = f"fresh = {show(found.fresh_ns)}, and the next one may come {show(longest_ns)} later"
        of.fail("fresh", f"{problem} (period and jitter)", f'fresh = "{show(longest_ns)}" and its response at least')
    return found


def _mode(of: _Of, word: str) -> str:
    mode = of.values["data_id_mode"]
    if mode is not None and word != "e2e-1":
        of.fail("data_id_mode", f"data_id_mode with {word}", 'protection = "e2e-1", or remove data_id_mode')
    return mode or "both"


def _identifier(of: _Of, word: str, mode: str) -> int | tuple[int, ...]:
    found = of.values["data_id"]
    several = word == "e2e-2"
    if found is None or isinstance(found, tuple) != several:
        problem = f"{word} without data_id" if found is None else f"data_id is {'one' if several else 'an array'}"
        hint = f"data_id = [...] with {IDS} integers 0 to 255" if several else "data_id = 0x123"
        of.fail("data_id", problem if found is None else f"{problem}, with {word}", hint)
    if mode == "nibble" and found > 0xFFF:
        of.fail("data_id", f'data_id = {found:#x}, of which data_id_mode = "nibble" has 12 bits', f"{found & 0xFFF:#x}")
    return found  # type: ignore[no-any-return]


def check(document: Document, system: System) -> None:
    """UserError: nothing writes and checks it, or two messages are the same to a receiver."""
    driven = {bus.name for bus in system.driven}
    taken: dict[tuple[int, int | tuple[int, ...]], str] = {}
    for index, one in enumerate(system.messages):
        if one.protection is None or one.forwards is not None:
            continue
        where, label = ("message", index), f'[[message]] "{one.name}"'
        if one.bus not in driven:
            problem = f"{label}: protection requires driver: without it the program protects what it sends"
            document.fail((*where, "protection"), problem, f'driver = true in [[can]] "{one.bus}" (docs/e2e.md)')
        other = taken.setdefault((one.protection.profile, one.protection.data_id), one.name)
        if other != one.name:
            problem = f'{label}: data_id is that of "{other}", too: a receiver could not tell them apart'
            document.fail((*where, "data_id"), problem, "another one")


def is_received(one: Message) -> bool:
    """Whether tasks of this system check it."""
    return one.protection is not None and not one.is_sent and bool(one.receivers)


def overhead(table: dict[str, Any]) -> int:
    """Bytes that the object of a received message has beside its data, as far as its table says."""
    return STAMP if table.get("protection") in PROFILES else 0

# SPDX-License-Identifier: Apache-2.0
"""DBC files: messages, senders, and the attributes that say when messages are sent.

A reader of its own, since cantools takes ten times as long and reads signals that say nothing on times. What does not
concern times may have any content, but each statement must have its form; else the file is refused at that line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from takt.can.messages import Message, fail
from takt.support.names import shown

TEXT = r'"(?>\\"|[^"])*+"'
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_VALUE = rf"(?:{TEXT}|{_NUMBER})"
_SPACE = re.compile(r"(?:\s+|//[^\n]*|/\*(?>.*?\*/))+", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")
_STATEMENTS = {
    "VERSION": rf"VERSION\s+{TEXT}",
    "NS_": r"NS_\s*:(?:[^\S\n]*\n\s*[A-Z]\w*(?=[^\S\n]*(?:\n|$)))*",
    "BS_": r"BS_\s*:(?:\s*\d+\s*(?::\s*\d+\s*,\s*\d+)?)?",
    "BU_": r"BU_\s*:[^\S\n]*[^\n]*(?:\n[^\S\n]+\w[^\n:]*(?=\n))*",
    "BO_": r"BO_\s+(\d+)\s+(\w+)\s*:\s*(\d+)\s+(\w+)",
    "SG_": (
        rf"SG_\s+\w+(?:\s+(?:m\d*M?|M))?\s*:\s*\d+\s*\|\s*\d+\s*@\s*[01]\s*[+-]\s*\(\s*{_NUMBER}\s*,\s*{_NUMBER}\s*\)"
        rf"\s*\[\s*{_NUMBER}\s*\|\s*{_NUMBER}\s*\]\s*{TEXT}(?:[^\S\n]*,?[^\S\n]*\w+)*"
    ),
    "BO_TX_BU_": r"BO_TX_BU_\s+(\d+)\s*:\s*([^;\"]*?)\s*;",
    "BA_": rf"BA_\s+({TEXT})\s+(?:(?:BO_\s+(\d+)|BU_\s+(\w+))\s+({_VALUE})|[^;\"]*+(?:{TEXT}[^;\"]*+)?)\s*;",
    "BA_DEF_": rf"BA_DEF_\s+(?:(?:BO_|BU_|SG_|EV_)\s+)?({TEXT})\s+(\w+)([^;\"]*+(?:{TEXT}[^;\"]*+)*+);",
    "BA_DEF_DEF_": rf"BA_DEF_DEF_\s+({TEXT})\s*({_VALUE})?\s*;",
}
_PATTERNS = {word: re.compile(pattern) for word, pattern in _STATEMENTS.items()}
_ANY = re.compile(rf"[A-Z]\w*\b[^;\"]*+(?:{TEXT}[^;\"]*+)*+;")
_OTHERS = frozenset(
    "NS_DESC_ CM_ VAL_ CAT_DEF_ CAT_ FILTER EV_ EV_DATA_ ENVVAR_DATA_ SGTYPE_ SGTYPE_VAL_ BA_DEF_SGTYPE_ BA_SGTYPE_"
    " SIG_TYPE_REF_ VAL_TABLE_ SIG_GROUP_ SIG_VALTYPE_ SIGTYPE_VALTYPE_ BA_DEF_REL_ BA_REL_ BA_DEF_DEF_REL_ BU_SG_REL_"
    " BU_EV_REL_ BU_BO_REL_ SG_MUL_VAL_".split()
)
_NOBODY = "Vector__XXX"
_SIGNALS_WITHOUT_MESSAGE = "VECTOR__INDEPENDENT_SIG_MSG"
EXTENDED = 1 << 31
_CYCLE, _DELAY, _SEND_TYPE, _FORMAT = "GenMsgCycleTime", "GenMsgDelayTime", "GenMsgSendType", "VFrameFormat"
_OFFSET = "GenMsgStartDelayTime"
_PROTOCOL = "ProtocolType"
_LONG_NAME, _LONG_NODE = "SystemMessageLongSymbol", "SystemNodeLongSymbol"  # names of more than 32 characters
_READ = frozenset((_CYCLE, _DELAY, _OFFSET, _SEND_TYPE, _FORMAT, _LONG_NAME))
_FORMATS = {3: "J1939PG", 14: "StandardCAN_FD", 15: "ExtendedCAN_FD"}  # of a VFrameFormat that is a number


@dataclass
class _File:
    """What the statements said so far. `messages`: number in the file, name, bytes, sender, position."""

    path: Path
    text: str
    ends: list[int]  # of lines
    messages: list[tuple[int, str, int, str, int]] = field(default_factory=list)
    senders: dict[int, list[str]] = field(default_factory=dict)
    values: dict[tuple[str, int], str] = field(default_factory=dict)
    defaults: dict[str, str] = field(default_factory=dict)
    choices: dict[str, list[str]] = field(default_factory=dict)
    nodes: dict[str, str] = field(default_factory=dict)  # long names
    j1939: bool = False  # said of the whole file

    def line(self, position: int) -> int:
        return bisect_right(self.ends, position - 1) + 1 if position else 1


def read(path: Path, text: str) -> list[Message]:
    """The messages of a file, in its order. UserError: it is no DBC file, at the line that is wrong."""
    file = _new(path, text)
    for word, match in _statements(file):
        _statement(file, word, match)
    if all(name == _SIGNALS_WITHOUT_MESSAGE for _, name, *_ in file.messages):
        fail(path, 0, "no messages in it", "a DBC file with BO_ statements")
    return [message for one in file.messages if (message := _message(file, *one)) is not None]


def statements(path: Path, text: str) -> Iterator[tuple[int, str, re.Match[str]]]:
    """Of each statement its line, its first word and the whole of it. UserError: as `read`."""
    file = _new(path, text)
    for word, match in _statements(file):
        yield file.line(match.start()), word, match


def _new(path: Path, text: str) -> _File:
    return _File(path, text, [found.start() for found in re.finditer("\n", text)])


def _statements(file: _File) -> Iterator[tuple[str, re.Match[str]]]:
    """Their first words, and the whole of them."""
    text, position = file.text, 0
    while True:
        space = _SPACE.match(text, position)
        position = space.end() if space else position
        if position >= len(text):
            return
        found = _WORD.match(text, position)
        word = found[0] if found else ""
        pattern = _PATTERNS.get(word)
        match = (pattern or _ANY).match(text, position) if pattern or word in _OTHERS else None
        if match is None:
            _refuse(file, position, word, pattern is not None or word in _OTHERS)
        yield word, match
        position = match.end()


def _statement(file: _File, word: str, match: re.Match[str]) -> None:
    position = match.start()
    if word == "SG_":
        if not file.messages:
            fail(file.path, file.line(position), "a signal (SG_) before the first message (BO_)", "a BO_ above it")
    elif word == "BO_":
        file.messages.append(
            (_number(file, match[1], position), match[2], _number(file, match[3], position), match[4], position)
        )
    elif word == "BO_TX_BU_":
        file.senders[_number(file, match[1], position)] = re.findall(r"\w+", match[2])
    elif word == "BA_" and match[3] and match[1][1:-1] == _LONG_NODE:
        file.nodes[match[3]] = match[4][1:-1]
    elif word == "BA_" and match[1][1:-1] == _PROTOCOL:
        file.j1939 = '"J1939"' in match[0]
    elif word == "BA_" and match[2] and match[1][1:-1] in _READ:
        file.values[match[1][1:-1], _number(file, match[2], position)] = match[4]
    elif word == "BA_DEF_" and match[1][1:-1] in _READ and match[2] == "ENUM":
        file.choices[match[1][1:-1]] = [one[1:-1] for one in re.findall(TEXT, match[3])]
    elif word == "BA_DEF_DEF_" and match[1][1:-1] in _READ and match[2]:
        file.defaults[match[1][1:-1]] = match[2]


def _refuse(file: _File, position: int, word: str, known: bool) -> NoReturn:
    line = file.line(position)
    rest = file.text[position : position + 60].split("\n")[0].strip()
    if known:
        fail(file.path, line, f'not a {word} statement of a DBC file: "{shown(rest)}"', "correct this line, or its end")
    fail(
        file.path,
        line,
        f'no statement of a DBC file: "{shown(rest)}"',
        "a DBC file; for others the suffix of their format",
    )


def _number(file: _File, digits: str, position: int) -> int:
    if len(digits) > 10:
        fail(file.path, file.line(position), f"{digits[:20]}... is too large a number", "at most 4294967295")
    return int(digits)


def _value(file: _File, attribute: str, number: int) -> str | None:
    """Of a message, or the default; of an enumeration its word."""
    value = file.values.get((attribute, number), file.defaults.get(attribute))
    if value is None or value.startswith('"'):
        return value and value[1:-1]
    choices = file.choices.get(attribute)
    if not choices:
        return value
    index = int(float(value))
    return choices[index] if 0 <= index < len(choices) else None


def _time_ns(file: _File, attribute: str, number: int, line: int) -> int | None:
    """An attribute in ms; None: not said, or 0."""
    return _ms(file, attribute, _value(file, attribute, number), line) or None


def _ms(file: _File, attribute: str, value: str | None, line: int) -> int | None:
    if value is None or value == "":
        return None
    if not re.fullmatch(_NUMBER, value) or not 0 <= float(value) <= 1e9:
        fail(file.path, line, f'{attribute} of this message is "{shown(value)}"', "a number of ms")
    return round(float(value) * 1_000_000)


def _message(file: _File, number: int, name: str, size: int, sender: str, position: int) -> Message | None:
    if name == _SIGNALS_WITHOUT_MESSAGE:
        return None
    line = file.line(position)
    named = dict.fromkeys([sender, *file.senders.get(number, [])])
    formats = _value(file, _FORMAT, number) or ""
    frame_format = _FORMATS.get(int(formats), "") if formats.isdigit() else formats
    send_type = (_value(file, _SEND_TYPE, number) or "").lower()
    return Message(
        name=_value(file, _LONG_NAME, number) or name,
        identifier=number & ~EXTENDED,
        extended=bool(number & EXTENDED),
        senders=tuple(file.nodes.get(one, one) for one in named if one != _NOBODY),
        size=size,
        line=line,
        fd=frame_format.endswith("CAN_FD"),
        period_ns=_time_ns(file, _CYCLE, number, line),
        delay_ns=_time_ns(file, _DELAY, number, line),
        j1939=frame_format == "J1939PG" or (file.j1939 and not frame_format and number >= EXTENDED),
        offset_ns=_ms(file, _OFFSET, file.values.get((_OFFSET, number)), line),  # a default says it of no message
        event=any(word in send_type for word in ("event", "spontan", "change", "write")),
    )

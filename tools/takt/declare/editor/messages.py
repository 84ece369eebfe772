# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a declaration, for editors and for CI, at its line: SARIF 2.1.0, and the commands of GitHub's
workflows."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from takt.support.errors import UserError
from takt.support.files import shown_path
from takt.support.version import version

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
RULES = {
    "input": "The declaration, or a file that it names, cannot be used.",
    "deadline": "A deadline may be missed.",
    "queue": "A queue is too small for the messages that wait in it.",
    "message": "A message on a bus may be late.",
    "trigger": "A message releases a task otherwise than the task declares.",
    "refuted": "The proof fails.",
    "undecided": "The proof reached an iteration limit: nothing is known.",
}
_LOCATED = re.compile(r"(?P<file>[^\n]+?):(?P<line>[0-9]+): (?P<text>.*)", re.DOTALL)


@dataclass(frozen=True)
class Message:
    """`rule`: one of RULES. `file`: as people are shown it."""

    rule: str
    text: str
    file: str
    line: int


def of_error(error: UserError, path: Path) -> Message:
    """A message of bad input: at the line that it names, else at the beginning of the declaration."""
    match = _LOCATED.fullmatch(error.problem)
    file, line, text = (
        (match["file"], int(match["line"]), match["text"]) if match else (shown_path(path), 1, error.problem)
    )
    return Message("input", f"{text}\ntry: {error.hint}" if error.hint else text, file, max(1, line))


def github(messages: Sequence[Message]) -> str:
    """A line for each message."""
    lines = []
    for one in messages:
        keys = ",".join(f"{key}={_property(value)}" for key, value in _keys(one))
        lines.append(f"::error {keys}::{_data(one.text)}\n")
    return "".join(lines)


def _keys(one: Message) -> list[tuple[str, str]]:
    return [("file", one.file), ("line", str(one.line)), ("title", f"takt: {one.rule}")]


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def sarif(messages: Sequence[Message], code: int) -> str:
    """The document. `code`: the exit code of the command."""
    used = [rule for rule in RULES if any(one.rule == rule for one in messages)]
    driver = {
        "name": "takt",
        "version": version(),
        "rules": [{"id": rule, "shortDescription": {"text": RULES[rule]}} for rule in used],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": code != 2, "exitCode": code}],
        "results": [_result(one, used.index(one.rule)) for one in messages],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _result(one: Message, rule: int) -> dict[str, Any]:
    path = Path(one.file)
    uri = path.as_uri() if path.is_absolute() else quote(one.file)
    where = {"artifactLocation": {"uri": uri}, "region": {"startLine": one.line}}
    return {
        "ruleId": one.rule,
        "ruleIndex": rule,
        "level": "error",
        "message": {"text": one.text},
        "locations": [{"physicalLocation": where}],
    }

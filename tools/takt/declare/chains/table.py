# SPDX-License-Identifier: Apache-2.0
"""The table of a chain."""

from __future__ import annotations

from typing import Any

from takt.declare.schema.kinds import IDENTIFIER, NAME, POSITIVE_DURATION, Key, Kind, Table, list_of
from takt.support.errors import UserError


def _step(value: Any) -> str:
    if not isinstance(value, str) or value.count(".") != 1:
        name: str = IDENTIFIER.read(value)
        return name
    try:
        return ".".join(IDENTIFIER.read(part) for part in value.split("."))
    except UserError as error:
        raise UserError(error.problem, 'of a system "TASK", of a network "NODE.TASK"') from None


STEP = Kind("name", _step, schema={"type": "string", "pattern": r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)?$", "maxLength": 127})

CHAIN = Table(
    "chain",
    "A path from a cause to an effect. Each step is a task or a `[[message]]` and uses what the step before it wrote"
    " last. A periodic task samples; a message is sent by the step before it; a sporadic task is triggered by the step"
    " before it. A limit on one of reaction and age at least; `takt check` proves them.",
    (
        NAME,
        Key(
            "path",
            list_of(STEP),
            "Names of tasks and messages, the cause first; in the file of a network tasks are `NODE.TASK`.",
            required=True,
        ),
        Key(
            "reaction",
            POSITIVE_DURATION,
            "The longest time from a cause to the completion of the first job of the last step that uses it. The cause"
            " comes just after a release of a first step that is periodic; it releases one that is not.",
            default_text="no limit",
        ),
        Key(
            "age",
            POSITIVE_DURATION,
            "The longest time from the release of the job of the first step that reads an input to the completion of"
            " the last job of the last step that uses it.",
            default_text="no limit",
        ),
    ),
)

# SPDX-License-Identifier: Apache-2.0
"""The table of a chain."""

from __future__ import annotations

from takt.declare.schema.kinds import IDENTIFIER, NAME, POSITIVE_DURATION, Key, Table, list_of

CHAIN = Table(
    "chain",
    "A path from a cause to an effect. Each step is a task or a `[[message]]` and uses what the step before it wrote"
    " last. A periodic task samples; a message is sent by the step before it; a sporadic task is triggered by the step"
    " before it. A limit on one of reaction and age at least; `takt check` proves them.",
    (
        NAME,
        Key("path", list_of(IDENTIFIER), "Names of tasks and messages, the cause first.", required=True),
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

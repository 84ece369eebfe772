# SPDX-License-Identifier: Apache-2.0
"""[[chain]]: its tables, and what they say of tasks and messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from takt.declare.chains import path
from takt.declare.chains.path import Steps
from takt.declare.schema.model import Chain, System
from takt.declare.schema.reader import Document


def read(document: Document, tables: Sequence[dict[str, Any]]) -> dict[str, tuple[Any, ...]]:
    """Fields of System and Network. UserError: a chain without a limit."""
    for index, values in enumerate(tables):
        if values["reaction"] is None and values["age"] is None:
            hint = 'reaction = "50 ms", or age = "50 ms"'
            document.fail(("chain", index), f'[[chain]] "{values["name"]}": no limit', hint)
    return {"chains": tuple(Chain(one["name"], one["path"], one["reaction"], one["age"]) for one in tables)}


def check(document: Document, system: System) -> None:
    """UserError: a step is none, or does not follow the one before it."""
    check_all(document, path.of_system(system), system.chains)


def check_all(document: Document, steps: Steps, chains: Sequence[Chain]) -> None:
    """`chains`: all of the file. UserError: as `check`."""
    for index, chain in enumerate(chains):

        def fail(at: int | str, problem: str, hint: str, index: int = index) -> NoReturn:
            key = ("path", at) if isinstance(at, int) else (at,)
            document.fail(("chain", index, *key), problem, hint)

        path.check(steps, chain, fail)

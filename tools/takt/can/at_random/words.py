# SPDX-License-Identifier: Apache-2.0
"""What an answer says of errors at random."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from takt.can.at_random.misses import Miss, misses, per_hour
from takt.can.at_random.upward import ONE, UP, binary
from takt.can.check import Answer
from takt.can.words import More
from takt.support.names import shown

PLAIN_MIN, PLAIN_MAX = Decimal("0.01"), 1000
NONE: dict[str, Any] = {"errors_tolerated": None, "miss_probability": None}


def found(asked: Answer) -> list[Miss] | None:
    """Of each message; None: the errors are bounded."""
    return None if asked.question.at_random is None else misses(asked, asked.question.at_random)


def number(chance: Decimal) -> str:
    """Two digits, rounded up."""
    if chance.is_zero():
        return "0"
    up = UP.quantize(chance, Decimal(1).scaleb(chance.adjusted() - 1, UP))
    return f"{up.normalize(UP):f}" if PLAIN_MIN <= up < PLAIN_MAX else f"{up:.1e}"


def complete(document: dict[str, Any], asked: Answer, missed: Sequence[Miss] | None) -> dict[str, Any]:
    """The document of `takt can check --json`, with these keys."""
    rate = asked.question.at_random
    entries = [NONE] * len(asked.rows) if missed is None else [entry(one) for one in missed]
    found = document | {
        "messages": [message | more for message, more in zip(document["messages"], entries, strict=True)],
        "errors_at_random": None,
        "misses_per_hour": None if missed is None else binary(per_hour(asked.rows, missed)),
    }
    if rate is not None:
        value = float(rate.value)
        found["errors_at_random"] = {
            "per_second": value if rate.per_second else None,
            "per_bit": None if rate.per_second else value,
        }
    return found


def more(asked: Answer, missed: Sequence[Miss] | None) -> More | None:
    if missed is None:
        return None
    shares = [Fraction(one.probability) for one in missed]
    cells = [["-" if one.tolerated < 0 else str(one.tolerated), number(one.probability)] for one in missed]
    return More(list(lines(asked, missed)), ("errors", "P(miss)"), cells, shares, "most probable to be late")


def entry(miss: Miss) -> dict[str, Any]:
    return {"errors_tolerated": miss.tolerated, "miss_probability": binary(miss.probability)}


def lines(asked: Answer, missed: Sequence[Miss]) -> Iterator[str]:
    rate = asked.question.at_random
    below = [index for index, one in enumerate(missed) if one.probability < ONE]
    yield f"Errors at random ({rate.text if rate else ''}) leave no response a bound: what is proved is without them."
    if len(below) < len(missed):
        yield f"With them {len(missed) - len(below)} of {len(missed)} messages have no probability of a miss below 1."
    if below:
        worst = max(below, key=lambda index: missed[index].probability)
        message, others = asked.rows[worst].message, "of the others " if len(below) < len(missed) else ""
        together = [missed[index] for index in below]
        yield (
            f"With them an instance {others}misses its deadline with a probability of at most "
            f"{number(missed[worst].probability)} ({shown(message.name)}, {message.id_text}); together they miss at "
            f"most {number(per_hour([asked.rows[index] for index in below], together))} deadlines an hour."
        )

# SPDX-License-Identifier: Apache-2.0
"""Where a file names an identifier of a message, and how it is written there."""

from __future__ import annotations

from dataclasses import dataclass

from takt.can.messages import Identifier


@dataclass(frozen=True)
class Mention:
    """text[start:end] of a file is the identifier; `flag` is added to its number there. `hexadecimal`: its digits are,
    although they do not begin with 0x."""

    start: int
    end: int
    identifier: Identifier
    flag: int = 0
    hexadecimal: bool = False

    def written(self, token: str, number: int) -> str:
        """Another number as `token` is written: with 0x, and as many digits in their case; or decimal."""
        number += self.flag
        prefix = token[:2] if token[:2] in ("0x", "0X") else ""
        if not prefix and not self.hexadecimal:
            return str(number)
        digits = token[len(prefix) :]
        text = f"{number:0{len(digits)}x}"
        return prefix + (text if digits != digits.upper() else text.upper())

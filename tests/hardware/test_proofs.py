# SPDX-License-Identifier: Apache-2.0
"""The proofs of hardware/formal at their small size. That each can fail: tests/mutants/hardware.toml."""

from __future__ import annotations

import pytest
from command_line import Takt
from takt.hardware import proofs

PROOFS = {proof.name: proof for proof in proofs.load()}


@pytest.mark.parametrize("name", PROOFS)
def test_proof(name: str) -> None:
    assert proofs.holds(PROOFS[name], PROOFS[name].small) == (True, "")


def test_the_command(takt: Takt) -> None:
    said = takt("prove", "-k", "sweep", "--small")
    assert said.code == 0
    assert said.out.startswith("sweep (Records = 4, Banks = 2): proved: NEXT")
    assert takt("prove", "-k", "sweeps").code == 2

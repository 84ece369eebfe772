# SPDX-License-Identifier: Apache-2.0
"""The proofs of hardware/formal at their small size. That each can fail: tests/mutants/proofs.toml."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Takt
from takt.hardware import proofs

PROOFS = {proof.name: proof for proof in proofs.load()}


@pytest.mark.parametrize("name", PROOFS)
def test_proof(name: str) -> None:
    assert proofs.holds(PROOFS[name], PROOFS[name].small) == (True, "")


def test_a_cover_that_is_not_reached_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = """module counter(input logic clk_i);
        logic [3:0] count_q = 0;
        always_ff @(posedge clk_i) count_q <= count_q == LAST ? 0 : count_q + 1;
        always_comb assert (count_q <= LAST);
        always_comb cover (count_q == 5);
    endmodule"""
    monkeypatch.setattr(proofs, "FORMAL", tmp_path)
    proof = proofs.Proof("counter", "", "counter", steps=1, covers=7, small={}, sizes=({},))
    (tmp_path / "counter.sv").write_text(source.replace("LAST", "5"))
    assert proofs.holds(proof, {}) == (True, "")
    assert proofs.holds(replace(proof, covers=4), {}) == (False, "the cover at counter.sv:5 is not reached in 4 cycles")
    (tmp_path / "counter.sv").write_text(source.replace("LAST", "4"))
    assert proofs.holds(proof, {}) == (False, "the cover at counter.sv:5 is not reached in 7 cycles")


def test_the_command(takt: Takt) -> None:
    said = takt("formal", "-k", "sweep", "--small")
    assert said.code == 0
    assert re.match(r"sweep \(Records = 4, Banks = 2\): proved in [\d.]+ s: NEXT", said.out)
    assert takt("formal", "-k", "sweeps").code == 2

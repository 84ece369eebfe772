# SPDX-License-Identifier: Apache-2.0
"""`takt formal`: the proofs of hardware/formal. Yosys writes a harness and its RTL as a step relation in SMT-LIB, a
solver looks for states that contradict an assertion: from reset on, and from any states in which all held so far. And
for a way from reset to each cover: what is proved is of states that there are."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from takt.hardware import simulate
from takt.support import children, provision
from takt.support.console import out
from takt.support.errors import UserError, did_you_mean
from takt.support.files import read_text
from takt.support.provision import ROOT

FORMAL = ROOT / "hardware" / "formal"
TIMEOUT_S = 1800
_YOSYS = "import sys; from pyosys import libyosys; libyosys.run_pass(sys.argv[1], libyosys.Design())"
_PASSES = "async2sync; chformal -lower; memory_map; flatten; opt -full; dffunmap; check -assert"


@dataclass(frozen=True)
class Proof:
    """A row of proofs.toml."""

    name: str
    what: str
    top: str
    steps: int
    covers: int
    small: dict[str, int]
    sizes: tuple[dict[str, int], ...]


def load() -> list[Proof]:
    """Every proof, in the order of the file."""
    raw = tomllib.loads(read_text(FORMAL / "proofs.toml"))
    return [Proof(**{**row, "sizes": tuple(row["sizes"])}) for row in raw["proof"]]


def holds(proof: Proof, size: dict[str, int]) -> tuple[bool, str]:
    """Whether it is proved at a size; if not, in words what was found."""
    provision.require_python("hardware")
    with tempfile.TemporaryDirectory(prefix="takt-formal-") as name:
        relation = _relation(proof, size, Path(name))
    if not _satisfiable(relation, _path(proof.top, 1, reset=False)):
        return False, "no state is possible: the assumptions contradict each other"
    for step in range(max(1, proof.steps)):
        location = _violated(relation, proof.top, _path(proof.top, step + 1, reset=bool(proof.steps)), step)
        if location:
            return False, f"the assertion at {location} fails in step {step}"
    if not proof.steps:
        return True, ""
    location = _unreached(relation, proof.top, proof.covers) if size == proof.small else ""
    if location:
        return False, f"the cover at {location} is not reached in {proof.covers} cycles"
    held = [f"(assert (|{proof.top}_a| s{step}))" for step in range(proof.steps)]
    location = _violated(relation, proof.top, [*_path(proof.top, proof.steps + 1, reset=False), *held], proof.steps)
    if location:
        return False, f"the induction step fails for the assertion at {location}; from reset it holds up to this depth"
    return True, ""


def _relation(proof: Proof, size: dict[str, int], folder: Path) -> str:
    """The harness at that size: its states, steps, assumptions and assertions."""
    made = folder / "relation.smt2"
    files = [*simulate.sources(), FORMAL / f"{proof.top}.sv"]
    options = [f"-G{name}={value}" for name, value in size.items()]
    script = f"read_slang --top {proof.top} {' '.join((*options, *map(str, files)))}; prep -top {proof.top}; {_PASSES}"
    command = [sys.executable, "-c", _YOSYS, f"{script}; write_smt2 -stbv {made}"]
    done = children.run(command)
    if done.returncode != 0 or not made.exists():
        raise UserError(f"yosys cannot read the proof {proof.name}:\n{(done.stdout + done.stderr)[-2000:]}")
    return read_text(made)


def _path(top: str, states: int, reset: bool) -> list[str]:
    """States that follow each other, with what is assumed of them; the first after power-on if `reset`."""
    lines = []
    for step in range(states):
        lines += [
            f"(declare-fun s{step} () |{top}_s|)",
            f"(assert (|{top}_h| s{step}))",
            f"(assert (|{top}_u| s{step}))",
        ]
        initial = f"(|{top}_is| s{step})"
        lines.append(f"(assert {initial if reset and step == 0 else f'(not {initial})'})")
        if step:
            lines.append(f"(assert (|{top}_t| s{step - 1} s{step}))")
    return [*lines, f"(assert (|{top}_i| s0))"] if reset else lines


_ASSERTION = re.compile(r"^; yosys-smt2-assert (\d+) \S*?(\d+) (\S+?):(\d+)\.", re.MULTILINE)
_COVER = re.compile(r"^; yosys-smt2-cover (\d+) \S+ (\S+?):(\d+)\.", re.MULTILINE)


def _violated(relation: str, top: str, script: Sequence[str], step: int) -> str:
    """Where the first assertion stands that may fail in that step; empty if none may.

    They are asked about in the order of the source, and of a loop's turns: each may lean on those before it.
    """
    raw = _ASSERTION.findall(relation)
    found = sorted((file, int(line), int(turn), int(number)) for number, turn, file, line in raw)
    names = [f"(|{top}_a {number}| s{step})" for _, _, _, number in found]
    lines = [f"(push 1) (assert (not {name})) (check-sat) (pop 1) (assert {name})" for name in names]
    said = _solver(relation, [*script, *lines], "--incremental")
    for answer, (file, line, _, _) in zip(said, found, strict=True):
        if answer == "sat":
            return f"{Path(file).name}:{line}"
    return ""


def _unreached(relation: str, top: str, cycles: int) -> str:
    """The location of the first cover that no path of `depth` cycles from reset reaches; empty: each is reached."""
    found = sorted((file, int(line), number) for number, file, line in _COVER.findall(relation))
    lines = []
    for _, _, number in found:
        anywhere = " ".join(f"(|{top}_c {number}| s{step})" for step in range(cycles))
        lines.append(f"(push 1) (assert (or false {anywhere})) (check-sat) (pop 1)")
    said = _solver(relation, [*_path(top, cycles, reset=True), *lines], "--incremental") if found else []
    for answer, (file, line, _) in zip(said, found, strict=True):
        if answer != "sat":
            return f"{Path(file).name}:{line}"
    return ""


def _satisfiable(relation: str, script: Sequence[str]) -> bool:
    return _solver(relation, [*script, "(check-sat)"]) == ["sat"]


def _solver(relation: str, script: Sequence[str], *options: str) -> list[str]:
    """What the solver answers. UserError when it does not in TIMEOUT_S."""
    solver = Path(sys.executable).parent / "yices-smt2"
    text = "\n".join(["(set-logic QF_BV)", relation, *script])
    try:
        done = children.run([solver, *options], given=text, within_s=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise UserError(f"the solver did not finish within {TIMEOUT_S} s", "a smaller size") from None
    said = done.stdout.split()
    if not said or set(said) - {"sat", "unsat"}:
        raise UserError(f"the solver failed: {(done.stdout + done.stderr)[-500:]}")
    return said


@click.command()
@click.option("-k", "names", multiple=True, metavar="PROOF", help="Only this proof; may be repeated.")
@click.option("--small", is_flag=True, help="Only the size that `takt test` proves.")
def formal(names: tuple[str, ...], small: bool) -> int:
    """Prove the hardware: each proof of hardware/formal at each of its sizes."""
    proofs = {proof.name: proof for proof in load()}
    for name in names:
        if name not in proofs:
            raise UserError(f'no proof "{name}"', did_you_mean(name, proofs))
    failed = 0
    for proof in proofs.values():
        for size in ([proof.small] if small else proof.sizes) if proof.name in (names or proofs) else ():
            start = time.monotonic()
            proved, why = holds(proof, size)
            failed += not proved
            shown = ", ".join(f"{key} = {value}" for key, value in size.items())
            said = f"proved in {time.monotonic() - start:.1f} s" if proved else f"NOT PROVED: {why}"
            out().print(f"{proof.name} ({shown}): {said}: {proof.what}")
    return 1 if failed else 0


def add_command(cli: click.Group) -> None:
    cli.add_command(formal)

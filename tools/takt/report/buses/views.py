# SPDX-License-Identifier: Apache-2.0
"""The buses that a system drives in the page of a run: what was on them, and each message beside its bound."""

from __future__ import annotations

from pathlib import Path

from takt.can.lengths import Rate
from takt.can.logs import measure, read
from takt.can.logs import page as logs
from takt.can.logs.words import id_text
from takt.can.messages import Identifier
from takt.can.view.load import Row
from takt.can.view.page import View
from takt.observe.figures.buses import MessageFigures
from takt.observe.outcome import Outcome
from takt.prove.bus.buses import BusProof, Sent
from takt.support.names import shown

_WINDOW_NS = 100_000_000
_NOTE = (
    "Observed is what a message of this system took at most, from the release of its job to the end of its frame. The "
    "log of a run has its first 100 000 frames."
)


def views(outcome: Outcome, folder: Path) -> list[View]:
    """Of the buses whose logs are in the folder of the run."""
    found = ((proof, folder / f"{proof.bus.name}.log") for proof in outcome.proved.buses if proof.bus.driver)
    return [_view(outcome, proof, path) for proof, path in found if path.is_file() and path.stat().st_size > 0]


def _view(outcome: Outcome, proof: BusProof, path: Path) -> View:
    seen = logs.Seen(Rate(proof.bus.bitrate, proof.bus.data_bitrate))
    found = measure.measure(read.entries(path), seen.rate, _WINDOW_NS, seen.note)
    sent = {(one.frame.identifier, one.frame.extended): one for one in proof.sent}
    figures = {one.name: one for one in outcome.messages if one.bus == proof.bus.name}
    rows = [_row(key, found.streams[key].count, sent.get(key), figures) for key in logs.by_identifier(seen)]
    return View(proof.bus.name, seen.load, rows, notes=(_NOTE,))


def _row(key: Identifier, count: int, sent: Sent | None, figures: dict[str, MessageFigures]) -> Row:
    text = id_text(*key)
    if sent is None:
        return Row(text, text, count, None, None, None)
    known = figures.get(sent.frame.name)
    observed_ns = None if known is None else known.response_ns_max
    above = observed_ns is not None and sent.response_ns is not None and observed_ns > sent.response_ns
    return Row(
        shown(sent.frame.name),
        text,
        count,
        observed_ns,
        sent.response_ns,
        sent.deadline_ns,
        "ABOVE" if above else "",
    )

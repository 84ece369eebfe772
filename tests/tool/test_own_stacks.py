# SPDX-License-Identifier: Apache-2.0
"""Bounds of stacks of an image that was not built here: its entries in system.c are read from its code."""

from __future__ import annotations

from takt.image.stack import Graph
from takt.image.stack_bounds import titled

ENTRY = "system.c:takti_synthetic_job"


def test_an_entry_that_was_read_from_the_code() -> None:
    assert titled(Graph(frames={"takti_synthetic_job": 8}), ENTRY) == "takti_synthetic_job"


def test_an_entry_that_the_compiler_wrote_about() -> None:
    graph = Graph(frames={"takti_synthetic_job": 0, f"/out/{ENTRY}": 8})
    assert titled(graph, ENTRY) == ENTRY
    assert titled(graph, "app.c:job") == "app.c:job"

# SPDX-License-Identifier: Apache-2.0
"""Names that were replaced by those of the field do not come back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from house.test_files import ROOT, files, relative

# Old name: what it is called now.
REPLACED = {
    "takt_heats": "takt_tournament",
    "takti_waits_simply": "takti_has_plain_wait",
    "takti_wake_slowly": "takti_wake_slow_path",
    "takti_sleep_specially": "takti_sleep_slow_path",
    "takti_rests": "takti_on_owner_blocked",
    "takti_told": "takti_trace_word",
    "takti_mutex_pass": "takti_mutex_hand_over",
    "takti_mutex_disown": "takti_mutex_clear_owner",
    "takti_given_up": "takti_wait_abandoned",
    "takti_process_piece": "takti_process_step",
    "takt_places": "takt_message_buffers",
    "post_otherwise": "post_no_waiter",
    "post_to_task": "post_slow_path",
    "TAKTI_HELD": "TAKTI_SUSPENDED",
    "TAKT_HELD": "TAKT_TRACKS_HELD_MUTEXES",
    "TAKTI_NOBODY": "TAKTI_RESERVED_OWNER",
    "TAKTI_SMALL": "TAKTI_OPTIMIZE_SIZE",
    "TAKT_ONE_WAY": "TAKT_SINGLE_PATH",
    "TAKTI_APART": "TAKTI_NOINLINE_HOT",
    "TAKTI_WITHIN": "TAKTI_INLINE_ONE_CALLER",
    "TAKTI_COPIED": "TAKTI_INLINE_ALWAYS",
    "TAKTI_SHARED": "TAKTI_NOINLINE_SIZE",
    "TAKTI_RARE": "TAKTI_UNLIKELY",
    "TAKTI_TOGETHER": "TAKTI_PAIR_STORES",
    "TAKTI_IN_ORDER": "TAKTI_COMPILER_BARRIER",
    "takti_ends": "takti_is_ending",
    "TAKTI_FLAG_ENDS": "TAKTI_FLAG_ENDING",
    "TAKTI_PROCESS_ENDS": "TAKTI_PROCESS_ENDING",
    "taktr_kick": "taktr_wake",
    "takt_area_place": "takt_area_slot",
    "takt_ring_place": "takt_ring_slot",
    "takt_bitmap_places": "takt_bitmap_indices",
    "lend_place": "lend_position",
    "place_back": "take_back_position",
    "TAKTI_ENTRY_PLACE": "TAKTI_TABLE_ENTRY",
    "TAKTI_RING_PLACES": "TAKTI_RING_STORAGE",
    "TAKTI_STATE_PLACES": "TAKTI_STATE_STORAGE",
    "band_ground": "band_costs",
    "state_depth": "state_copies",
    "TAKT_KNOWN_INSTANT": "TAKT_KNOWN_TIMER_CALL",
    "TAKTI_STOPPED": "TAKTI_DORMANT",
    "TAKTI_WAITING": "TAKTI_BLOCKED",
    "TAKTI_SLEEPING": "TAKTI_BLOCKED_DELAY",
    "TAKTI_LOCKING": "TAKTI_BLOCKED_MUTEX",
    "kernel/src": "kernel/core, time, jobs, sync, messages or observe",
}
# Folder: names of files in it, without their endings, that are none any more.
LEFT = {
    "base/": ("heats",),
    "kernel/": ("whole", "ends", "direct", "wide", "timer_row"),
    "reflect/": ("places", "server_ends_test"),
    "tools/takt/": ("band_ground", "settling", "state_depth", "remedy", "change", "candidates", "shares"),
    "tools/takt/hints/": ("given", "nexts", "places", "look"),
}
HERE = "tests/house/test_names.py"


def found(text: str) -> list[str]:
    return [old for old in REPLACED if re.search(rf"\b{old}\b", text)]


def left(name: str) -> bool:
    """Whether the path of a file has a name that was given up."""
    return any(name.startswith(folder) and Path(name).stem in stems for folder, stems in LEFT.items())


def test_no_file_has_an_old_name() -> None:
    assert [name for name in map(relative, files()) if left(name)] == []
    assert left("reflect/linux/server/places.c")
    assert not left("kernel/test/exhaustive/points.c")


def test_no_old_name_is_used() -> None:
    texts = {relative(path): path.read_text(encoding="utf-8") for path in files() if relative(path) != HERE}
    assert {name: old for name, text in texts.items() if (old := found(text))} == {}


@pytest.mark.parametrize("old", REPLACED)
def test_an_old_name_is_found(old: str) -> None:
    assert found(f"a({old});") == [old]
    assert found(f"a({old}_else);") == []


def test_the_kernel_is_searched() -> None:
    assert {"kernel/core/kernel.h", "tests/mutants/waits.toml"} <= {relative(path) for path in files()}
    assert (ROOT / HERE).exists()

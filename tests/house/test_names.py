# SPDX-License-Identifier: Apache-2.0
"""Names that were replaced by those of the field do not come back."""

from __future__ import annotations

import re

import pytest
from house.test_files import ROOT, files, relative

# Old name: what it is called now.
REPLACED = {
    "takt_tournament": "takt_tournament",
    "takti_has_plain_wait": "takti_has_plain_wait",
    "takti_wake_slow_path": "takti_wake_slow_path",
    "takti_sleep_slow_path": "takti_sleep_slow_path",
    "takti_on_owner_blocked": "takti_on_owner_blocked",
    "takti_trace_word": "takti_trace_word",
    "takti_mutex_hand_over": "takti_mutex_hand_over",
    "takti_mutex_clear_owner": "takti_mutex_clear_owner",
    "takti_wait_abandoned": "takti_wait_abandoned",
    "takti_process_step": "takti_process_step",
    "takt_message_buffers": "takt_message_buffers",
    "post_no_waiter": "post_no_waiter",
    "post_slow_path": "post_slow_path",
    "TAKTI_SUSPENDED": "TAKTI_SUSPENDED",
    "TAKT_TRACKS_HELD_MUTEXES": "TAKT_TRACKS_HELD_MUTEXES",
    "TAKTI_RESERVED_OWNER": "TAKTI_RESERVED_OWNER",
    "TAKTI_OPTIMIZE_SIZE": "TAKTI_OPTIMIZE_SIZE",
    "TAKT_SINGLE_PATH": "TAKT_SINGLE_PATH",
    "TAKTI_NOINLINE_HOT": "TAKTI_NOINLINE_HOT",
    "TAKTI_INLINE_ONE_CALLER": "TAKTI_INLINE_ONE_CALLER",
    "TAKTI_INLINE_ALWAYS": "TAKTI_INLINE_ALWAYS",
    "TAKTI_NOINLINE_SIZE": "TAKTI_NOINLINE_SIZE",
    "TAKTI_UNLIKELY": "TAKTI_UNLIKELY",
    "TAKTI_PAIR_STORES": "TAKTI_PAIR_STORES",
    "TAKTI_COMPILER_BARRIER": "TAKTI_COMPILER_BARRIER",
    "TAKTI_DORMANT": "TAKTI_DORMANT",
    "TAKTI_BLOCKED": "TAKTI_BLOCKED",
    "TAKTI_BLOCKED_DELAY": "TAKTI_BLOCKED_DELAY",
    "TAKTI_BLOCKED_MUTEX": "TAKTI_BLOCKED_MUTEX",
    "kernel/src": "kernel/core, time, jobs, sync, messages or observe",
}
HERE = "tests/house/test_names.py"


def found(text: str) -> list[str]:
    return [old for old in REPLACED if re.search(rf"\b{old}\b", text)]


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

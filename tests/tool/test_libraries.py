# SPDX-License-Identifier: Apache-2.0
"""Which rooms beside the kernel's an application is linked with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from takt.declare import declaration
from takt.declare.schema.model import ConsoleInput, System
from takt.image import build

ANALYSIS = build.LIBRARIES["takt_analysis"] / "takt" / "analysis.h"
SHELL = build.LIBRARIES["takt_shell"] / "takt" / "shell.h"
CHANNELS = build.LIBRARIES["takt_reflect_core"] / "takt" / "seal.h"


@pytest.fixture
def plain(tmp_path: Path) -> System:
    (tmp_path / "app.c").write_text("void beat(void) {}\n", encoding="ascii")
    text = '[system]\nname = "plain"\nsources = ["app.c"]\n[[task]]\nname = "beat"\nperiod = "1 ms"\nwcet = "1 us"\n'
    (tmp_path / "system.toml").write_text(text, encoding="ascii")
    return declaration.load(tmp_path / "system.toml")


def test_most_need_none(plain: System) -> None:
    assert build.libraries(plain, plain.sources) == []


def test_admission_calls_the_analysis(plain: System) -> None:
    assert build.libraries(replace(plain, runtime_tasks=1), plain.sources) == ["takt_analysis"]


def test_an_archive_may_call_the_analysis(plain: System) -> None:
    given = replace(plain.build, libraries=("libowned.a",))
    assert build.libraries(replace(plain, build=given), plain.sources) == ["takt_analysis"]


def test_a_build_of_ones_own_may_call_the_analysis(plain: System) -> None:
    assert build.libraries(plain, plain.sources, own=True) == ["takt_analysis"]


def test_what_files_include(plain: System) -> None:
    assert ANALYSIS.exists()
    assert CHANNELS.exists()
    assert build.libraries(plain, [ANALYSIS]) == ["takt_analysis"]
    assert build.libraries(plain, [CHANNELS]) == ["takt_reflect_core", "takt_analysis"]


def test_a_shell_calls_no_analysis(plain: System) -> None:
    listening = replace(plain, console=ConsoleInput(1_000_000, None))
    assert SHELL.exists()
    assert build.libraries(listening, [SHELL]) == ["takt_shell"]

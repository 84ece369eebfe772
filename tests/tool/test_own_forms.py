# SPDX-License-Identifier: Apache-2.0
"""What `takt generate --format` writes is read by each build system as it was meant."""

from __future__ import annotations

import subprocess
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from command_line import documented
from takt.image.own import forms
from takt.image.own.needs import Own
from takt.support.errors import UserError

ODD = ['TEXT="a $b #1"', "LIST=x;y", "MORE=a>b,c"]


def own(**given: Any) -> Own:
    kinds = {one.name: one.type for one in fields(Own)}
    blank = {"str": "", "int": 0, "bool": False}
    return Own(**{**{name: blank.get(str(kind), ()) for name, kind in kinds.items()}, **given})


def test_every_variable_is_documented() -> None:
    assert {f"build.{name}" for name in forms.variables(own())} == {
        key for key in documented("generate") if key.startswith("build.")
    }


def test_make_reads_every_character(tmp_path: Path) -> None:
    forms.write(own(defines=tuple(ODD)), "make", tmp_path)
    text = f"include {tmp_path}/takt.mk\nshow:\n\t@printf '%s\\n' $(TAKT_CFLAGS)\n"
    done = subprocess.run(["make", "-f", "-"], input=text, capture_output=True, text=True, check=True)
    assert [line for line in done.stdout.splitlines() if line.startswith("-D")] == [f"-D{one}" for one in ODD]


def test_meson_cannot_read_blanks(tmp_path: Path) -> None:
    """Its keyval takes a value as it is: `split` alone would have to tell words apart."""
    for odd in ("TEXT=a b", "TEXT=#1"):
        with pytest.raises(UserError, match=f"keyval cannot say -D{odd}, which has a blank or a #"):
            forms.write(own(defines=(odd,)), "meson", tmp_path)
    written = forms.write(own(defines=tuple(ODD[1:])), "meson", tmp_path).read_text(encoding="utf-8")
    assert "\nTAKT_CFLAGS=-DLIST=x;y -DMORE=a>b,c " in written

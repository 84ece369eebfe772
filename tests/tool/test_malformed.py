# SPDX-License-Identifier: Apache-2.0
"""Every kind of malformed system.toml gets one exact message: malformed.toml holds the kinds."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from takt.declare import declaration
from takt.prove import schedulers
from takt.support.errors import UserError

CASES = tomllib.loads((Path(__file__).parent / "malformed.toml").read_text(encoding="utf-8"))["case"]


def refusal(text: bytes, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What is said of a declaration that must be refused."""
    monkeypatch.chdir(folder)
    Path("system.toml").write_bytes(text)
    try:
        system = declaration.load(declaration.find("."))
        if system.scheduler == "cooperative":
            schedulers.check_cooperative(system)
    except UserError as error:
        return str(error)
    return "accepted"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"].replace(" ", "-"))
def test_message(case: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refusal(case["text"].encode(), tmp_path, monkeypatch) == case["message"]


def test_there_are_enough_kinds() -> None:
    assert len({case["name"] for case in CASES}) >= 40


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"].replace(" ", "-"))
def test_every_message_has_a_hint(case: dict[str, str]) -> None:
    assert "\n  try: " in case["message"]


def test_not_utf8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = refusal(b'[[task]]\nname = "h\xf6he"\n', tmp_path, monkeypatch)
    assert said == "system.toml: not UTF-8 (byte 18)\n  try: save it as UTF-8"


def test_nested_too_deeply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = refusal(b"a = " + b"[" * 100_000, tmp_path, monkeypatch)
    assert said.startswith("system.toml:1: ")
    assert "deep" in said or "not TOML" in said


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"does not exist\n  try: a folder with a system.toml, or such a file"):
        declaration.find(str(tmp_path / "nowhere"))


def test_folder_without_declaration(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"holds no system.toml"):
        declaration.find(str(tmp_path))

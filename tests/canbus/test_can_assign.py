# SPDX-License-Identifier: Apache-2.0
"""`takt can assign`: new identifiers, files in which nothing else changes, and its messages on bad input."""

from __future__ import annotations

from pathlib import Path

import pytest
from can_files import document, write
from command_line import Takt, documented, keys
from takt.can.files import read

HEADER = "name,id,extended,sender,bytes,period_ms,jitter_ms,deadline_ms\n"
# In the order of the identifiers the slow ones go first, and the last is late.
LATE = "".join(f"slow{i},{i},0,a,8,100,,\n" for i in range(1, 10)) + "quick,0x100,0,b,8,3,,2.5\n"


def identifiers(path: Path) -> dict[str, int]:
    return {one.name: one.identifier for one in read.load(path)}


def test_a_late_message_gets_an_early_identifier(takt: Takt, tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", HEADER + LATE)
    said = takt("can", "assign", path, "--bitrate", "500k", "--within", "100%")
    assert said.code == 0
    assert "Assigned: with 2 identifiers changed all 10 messages at 500 kbit/s arrive" in said.err
    assert "(1 of them may be late now)" in said.err
    new = (HEADER + LATE).replace("slow1,1,", "slow1,256,").replace("quick,0x100,", "quick,0x001,")
    assert [line for line in said.out.splitlines() if line[:1] in "+-"][2:] == [
        "-slow1,1,0,a,8,100,,", "+slow1,256,0,a,8,100,,", "-quick,0x100,0,b,8,3,,2.5", "+quick,0x001,0,b,8,3,,2.5",
    ]  # fmt: skip
    assert path.read_text() == HEADER + LATE
    said = takt("can", "assign", path, "--bitrate", "500k", "--within", "100%", "--in-place")
    assert (said.code, path.read_text()) == (0, new)
    assert takt("can", "check", path, "--bitrate", "500k").code == 0
    again = takt("can", "assign", path, "--bitrate", "500k", "--within", "100%")
    assert (again.code, again.out) == (0, "")
    assert "Nothing to change" in again.err


def test_a_document_and_a_file_of_its_own(takt: Takt, tmp_path: Path) -> None:
    path, out = write(tmp_path, "a.csv", HEADER + LATE), tmp_path / "b.csv"
    said = takt("can", "assign", path, "--bitrate", "500k", "--json", "--output", out)
    found = document(said)
    assert said.code == 0
    assert set(keys(found)) == documented("can assign")
    assert (found["feasible"], found["verdict"], found["least"]) == (True, "proved", True)
    assert found["late"] == ["quick"]
    # The first of 10: 270 us for its frame and the one that blocks it, of 2.5 ms.
    assert found["largest_assigned"] == pytest.approx(0.54 / 2.5)
    changed = {one["name"]: one["new_id"] for one in found["changes"]}
    assert {**identifiers(path), **changed} == identifiers(out)
    assert found["written"].endswith("b.csv")
    quick = next(one for one in found["changes"] if one["name"] == "quick")
    assert (quick["response_ns"], quick["new_response_ns"]) == (2_700_000, 540_000)


def test_ranges_and_frozen_messages(takt: Takt, tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", HEADER + LATE)

    def assigned(*options: str) -> dict[str, int]:
        said = takt("can", "assign", path, "--bitrate", "500k", "--json", *options)
        return {one["name"]: one["new_id"] for one in document(said)["changes"]}

    assert assigned("--range", "0x000-0x000", "--within", "100%") == {"quick": 0}
    assert assigned("--within", "100%", "--frozen", "slow1") == {"slow2": 0x100, "quick": 2}
    said = takt("can", "assign", path, "--bitrate", "500k", "--json", "--frozen", "0x100")
    found = document(said)
    assert (said.code, found["verdict"], found["unlimited"], found["changes"]) == (1, "refuted", True, [])
    assert found["without_slot"] == ["quick"]
    said = takt("can", "assign", path, "--bitrate", "500k", "--range", "0x200-0x2FF", "--within", "100%")
    assert said.code == 0  # the slow ones go there, as far as needed
    said = takt("can", "assign", path, "--bitrate", "500k", "--range", "0x200-0x2FF", "--frozen", "slow1", "--frozen",
                *" --frozen ".join(f"slow{i}" for i in range(2, 10)).split())  # fmt: skip
    assert said.code == 1
    assert "No identifier that is left is early enough for quick." in said.out
    assert "The least bit rate at which an assignment proves: 540 kbit/s." in said.out


def test_no_assignment_helps(takt: Takt, tmp_path: Path) -> None:
    rows = "".join(f"m{i},{i},0,a,8,1,,\n" for i in range(5))
    path = write(tmp_path, "a.csv", HEADER + rows)
    said = takt("can", "assign", path, "--bitrate", "500k", "--output", tmp_path / "b.csv")
    assert (said.code, (tmp_path / "b.csv").exists()) == (1, False)
    assert "Refuted: with no assignment of identifiers 5 messages" in said.out
    assert "The load 1.350 exceeds the bus." in said.out
    assert "The least bit rate at which an assignment proves: 675 kbit/s." in said.out


def test_identifiers_keep_their_kind_and_take_no_other(takt: Takt, tmp_path: Path) -> None:
    """Of 11 and 29 bits, in the order of arbitration; that of a message without a period stays taken."""
    rows = "a,0x10,0,,8,100,,\nb,0x20,0,,8,,,\nc,0x0A000000,1,,8,100,,\nd,0x0B000000,1,,8,3,,0.9\n"
    path = write(tmp_path, "a.csv", HEADER + rows)
    said = takt("can", "assign", path, "--bitrate", "500k", "--in-place", "--range", "0x00000000-0x0000000F")
    assert (said.code, identifiers(path)) == (0, {"a": 0x10, "b": 0x20, "c": 0x0A000000, "d": 1})


def test_only_the_priority_of_j1939_changes(takt: Takt, tmp_path: Path) -> None:
    slow, quick = 2**31 + 0x18F00BFE, 2**31 + 0x18FED4FE
    head = f"BO_ {slow} slow: 8 x\nBO_ {quick} quick: 8 x\nBO_ {quick + 1} third: 8 x\n"
    cycle = 'BA_DEF_ BO_ "GenMsgCycleTime" INT 0 9;\n' + "".join(
        f'BA_ "GenMsgCycleTime" BO_ {number} {period};\n'
        for number, period in ((slow, 100), (quick, 1), (quick + 1, 50))
    )
    path = write(tmp_path, "a.dbc", head + 'BA_DEF_ "ProtocolType" STRING ;\nBA_ "ProtocolType" "J1939";\n' + cycle)
    said = takt("can", "assign", path, "--bitrate", "500k", "--in-place")
    assert "3 messages of J1939, whose identifiers say what they are: only the three bits of priority" in said.out
    found = identifiers(path)
    assert {name: one & 0x3FFFFFF for name, one in found.items()} == {
        "slow": 0xF00BFE, "quick": 0xFED4FE, "third": 0xFED4FF,
    }  # fmt: skip
    assert found["quick"] < min(found["slow"], found["third"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--range", "1-2"), '--range: "1-2" is no range of identifiers'),
        (("--range", "0x700-0x900"), "--range: 0x700-0x900 is beyond 0x7FF"),
        (("--range", "0x0000-0x20000000"), "is beyond 0x1FFFFFFF"),
        (("--range", "0x200-0x100"), "--range: 0x200-0x100 ends before it begins"),
        (("--frozen", "quik"), '--frozen: no message is "quik"\n  try: "quick"'),
        (("--frozen", "0x999"), '--frozen: no message is "0x999"'),
        (("--within", "0%"), '--within: "0%" is no share of the deadlines'),
        (("--within", "120"), '--within: "120" is no share of the deadlines'),
        (("--in-place", "--output", "b.csv"), "--output and --in-place: two files to write"),
        (("--output", "a.csv"), "is the file that is read\n  try: --in-place"),
        (("--output", "b.dbc"), "--output: the suffix is not .csv"),
    ],
)
def test_bad_options(
    takt: Takt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], said: str
) -> None:
    path = write(tmp_path, "a.csv", HEADER + LATE)
    monkeypatch.chdir(tmp_path)
    found = takt("can", "assign", path, "--bitrate", "500k", *options)
    assert (found.code, found.out) == (2, "")
    assert said in found.err


def test_two_messages_of_one_name(takt: Takt, tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", HEADER + "a,1,0,,8,10,,\na,2,0,,8,20,,\n")
    said = takt("can", "assign", path, "--bitrate", "500k", "--frozen", "a")
    assert (said.code, '--frozen: 2 messages are "a"\n  try: 0x001 or 0x002' in said.err) == (2, True)

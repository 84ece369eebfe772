# SPDX-License-Identifier: Apache-2.0
"""Files with other identifiers, in which nothing else changes."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from can_files import judged, spoilt, write
from can_texts import HEADER, KCD, SYM
from command_line import Takt
from takt.can.files import read
from takt.can.rewrite import rewrite
from takt.support.errors import UserError

SPOILT = 2000 if os.environ.get("TAKT_TEST_FULL") else 60  # files
LATE = "".join(f"slow{i},{i},0,a,8,100,,\n" for i in range(1, 10)) + "quick,0x100,0,b,8,3,,2.5\n"
DBC = r"""VERSION "BO_ 256 x: 8 y"

NS_ :
    CM_
BS_:
BU_: engine brake
// BO_ 256 remark
BO_ 16 slow: 8 engine
 SG_ speed : 0|16@1+ (0.1,-.5) [0|6553.5] "BO_ 256" brake,engine
BO_ 2147487744 wide: 8 brake
 SG_ mode M : 0|8@1+ (1,0) [0|0] "" engine
 SG_ part m3 : 8|8@1+ (1,0) [0|0] "" engine
BO_ 0256 fast: 8 engine
 SG_ kind M : 16|4@0- (1,0) [0|0] "" Vector__XXX
 SG_ part m3 : 24|8@0- (1,0) [0|0] "" brake
BO_ 32 other: 8 engine
BO_ 3221225472 VECTOR__INDEPENDENT_SIG_MSG: 0 Vector__XXX

BO_TX_BU_ 256 : engine,brake;
EV_ env: 0 [0|1] "" 0 256 DUMMY_NODE_VECTOR0 Vector__XXX;
CM_ "CM_ BO_ 256 of the file";
CM_ BU_ engine "256";
CM_ BO_ 256 "BO_ 256 fake: 8 engine
BO_ 256 fake: 8 engine;";
CM_ SG_ 256 kind "a \"CM_ SG_ 256 kind\"";
CM_ SG_ 1000 gone "of a message that is not there";
BA_DEF_ BO_ "GenMsgCycleTime" INT 0 10000;
BA_DEF_ SG_ "Start" INT 0 10000;
BA_DEF_REL_ BU_BO_REL_ "Timeout" INT 0 65535;
BA_DEF_REL_ BU_SG_REL_ "Late" INT 0 65535;
BA_DEF_ "BusNumber" INT 0 1000;
BA_DEF_DEF_ "GenMsgCycleTime" 0;
BA_ "BusNumber" 256;
BA_ "GenMsgCycleTime" BO_ 16 100;
BA_ "GenMsgCycleTime" BO_ 256 10;
BA_ "GenMsgCycleTime" BO_ 2147487744 256;
BA_ "Start" SG_ 256 kind 256;
BA_REL_ "Timeout" BU_BO_REL_ engine 256 256;
BA_REL_ "Late" BU_SG_REL_ brake SG_ 256 kind 256;
VAL_ 256 kind 1 "VAL_ 256; off" 0 "" ;
VAL_ env 256 "x" ;
VAL_TABLE_ table 256 "256" ;
SIG_GROUP_ 256 group 1 : kind part;
SIG_VALTYPE_ 256 kind : 0;
SG_MUL_VAL_ 256 part kind 3-3;
"""
# What changes in it, and into what, if the first two and the fast one swap.
CHANGED = (
    "BO_ 0256 fast", "BO_TX_BU_ 256", "CM_ BO_ 256 \"BO_ 256 fake", "CM_ SG_ 256 kind \"a", '"GenMsgCycleTime" BO_ 256',
    '"Start" SG_ 256', "engine 256 256", "brake SG_ 256", "VAL_ 256 kind 1", "SIG_GROUP_ 256", "SIG_VALTYPE_ 256",
    "SG_MUL_VAL_ 256",
)  # fmt: skip


def identifiers(path: Path) -> dict[str, int]:
    return {one.name: one.identifier for one in read.load(path)}


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
def test_a_dbc_file_changes_where_it_names_identifiers(tmp_path: Path, ends: str, codec: str) -> None:
    text = DBC.replace("remark", "rem\xe4rk").replace("\n", ends)
    path = write(tmp_path, "a.dbc", text.encode(codec))
    source, messages = rewrite.load(path, None), read.load(path)
    fast = next(one for one in messages if one.name == "fast")
    wide = next(one for one in messages if one.name == "wide")
    data = rewrite.rewritten(source, messages, {fast: 0x123, wide: 0x1ABCDEF})
    wanted = text
    for part in CHANGED:
        new = re.sub(r"(0?256)(?!.*\D0?256)" if "engine 256" not in part else r"256(?= 256)", "291", part, count=1)
        if part.startswith("CM_ BO_"):
            new = part.replace("CM_ BO_ 256", "CM_ BO_ 291")
        assert wanted.count(part.replace("\n", ends)) == 1, part
        wanted = wanted.replace(part, new)
    wanted = wanted.replace("2147487744", str(2**31 + 0x1ABCDEF))
    assert data == wanted.encode(codec)
    assert (0x3E8, False) in source.named  # of the comment without a message: no message may get it


ARXML = """<?xml version="1.0" encoding="UTF-8"?><AUTOSAR><AR-PACKAGES><AR-PACKAGE><ELEMENTS>
<CAN-CLUSTER><SHORT-NAME>one</SHORT-NAME><CAN-FRAME-TRIGGERING><SHORT-NAME>31</SHORT-NAME>
<CAN-ADDRESSING-MODE>STANDARD</CAN-ADDRESSING-MODE><IDENTIFIER>
 31 </IDENTIFIER></CAN-FRAME-TRIGGERING>
<CAN-FRAME-TRIGGERING><IDENTIFIER>0x20</IDENTIFIER><CAN-ADDRESSING-MODE>EXTENDED</CAN-ADDRESSING-MODE>
</CAN-FRAME-TRIGGERING></CAN-CLUSTER><CAN-CLUSTER><SHORT-NAME>two</SHORT-NAME><CAN-FRAME-TRIGGERING>
<IDENTIFIER>31</IDENTIFIER></CAN-FRAME-TRIGGERING></CAN-CLUSTER>
</ELEMENTS></AR-PACKAGE></AR-PACKAGES></AUTOSAR>"""


def test_kcd_and_sym_files_change_where_they_name_identifiers(tmp_path: Path) -> None:
    path = write(tmp_path, "a.kcd", KCD.encode("latin-1"))
    source, messages = rewrite.load(path, None), read.load(path)
    a, b = messages if messages[0].identifier == 0x1F else messages[::-1]
    data = rewrite.rewritten(source, messages, {a: 0x2A, b: 0x1F})
    assert data == KCD.replace("0x01f", "0x02a").replace('"0x20"', '"0x1F"').encode("latin-1")

    path = write(tmp_path, "a.sym", SYM)
    source, messages = rewrite.load(path, None), read.load(path)
    by_name = {one.name: one for one in messages}
    data = rewrite.rewritten(source, messages, {by_name["a"]: 0x2A, by_name["b"]: 0x1ABCDEF, by_name["c"]: 0x12345})
    wanted = SYM.replace("\nID=01Fh", "\nID=02Ah").replace("00000020h", "01ABCDEFh").replace("021h", "12345h")
    assert data.decode() == wanted
    assert (0x100, False) not in source.named  # a range of identifiers cannot change


def test_an_arxml_file_names_identifiers_in_frame_triggerings(tmp_path: Path) -> None:
    path = write(tmp_path, "a.arxml", ARXML)
    found = rewrite.load(path, "one").mentions
    assert [(ARXML[one.start : one.end], one.identifier) for one in found] == [
        ("31", (31, False)),
        ("0x20", (32, True)),
    ]
    assert ARXML[: found[0].start].endswith("<IDENTIFIER>\n ")
    assert len(rewrite.load(path, None).mentions) == 3


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.dbc", DBC + "FILTER 256 1;\n", "a.dbc:46: this FILTER statement may name a message in a way"),
        ("a.dbc", DBC + 'CM_ x BO_ 256 "a";\n', "a.dbc:46: this CM_ statement may name a message in a way"),
        ("a.csv", 'name,id,bytes,period_ms\na,1,1,10\n"b" "x",2,1,10\n', "a.csv:3: not a row of CSV"),
        ("a.kcd", '<!DOCTYPE a [<!ENTITY x "1">]>' + KCD[KCD.index("<Net") :], "it declares an entity, x"),
    ],
)
def test_files_that_cannot_be_rewritten(takt: Takt, tmp_path: Path, name: str, text: str, said: str) -> None:
    path = write(tmp_path, name, text)
    found = takt("can", "assign", path, "--bitrate", "500k", "--in-place")
    assert (found.code, found.out) == (2, "")
    assert said in found.err
    assert path.read_text() == text


def test_a_file_that_would_say_something_else_is_not_written(tmp_path: Path) -> None:
    """The new file is read again: if a mention were missed, it would have other messages."""
    path = write(tmp_path, "a.dbc", DBC)
    source, messages = rewrite.load(path, None), read.load(path)
    missed = rewrite.Source(path, source.data, source.text, None, source.mentions[1:])
    slow = next(one for one in messages if one.name == "slow")
    with pytest.raises(UserError, match="names identifiers in a way that takt does not know"):
        rewrite.rewritten(missed, messages, {slow: 0x555})


@pytest.mark.parametrize(("name", "text"), [("a.dbc", DBC), ("a.csv", HEADER + LATE)])
def test_spoilt_files(takt: Takt, tmp_path: Path, name: str, text: str) -> None:
    """Each gets a verdict or one message. What is written differs in nothing but digits, and holds what was said."""
    codes = set()
    for seed in range(SPOILT):
        path, out = write(tmp_path, name, spoilt(text, seed)), tmp_path / f"new{Path(name).suffix}"
        out.unlink(missing_ok=True)
        said = takt("can", "assign", path, "--bitrate", "500k", "--output", out, "--json")
        codes.add(judged(said, seed))
        assert out.exists() == (said.code == 0), seed
        if said.code == 0:
            apart = [re.sub(rb"0x[0-9A-Fa-f]+|[0-9]+", b"#", one) for one in (path.read_bytes(), out.read_bytes())]
            assert apart[0] == apart[1], seed
            changed = {one["name"]: one["new_id"] for one in json.loads(said.out)["changes"]}
            assert {**identifiers(path), **changed} == identifiers(out), seed
    assert codes >= {0, 2}

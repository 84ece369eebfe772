# SPDX-License-Identifier: Apache-2.0
"""Descriptions of buses and logs, small but with much of what their formats have."""

from __future__ import annotations

import struct

from takt.can.logs.entry import Entry

HEADER = "name,id,extended,sender,bytes,period_ms,jitter_ms,deadline_ms\n"
# In the order of the identifiers the slow ones go first, and the last is late; by deadline all arrive in time.
LATE = "".join(f"slow{i},{i},0,a,8,100,,\n" for i in range(9)) + "quick,0x100,0,b,8,3,,2.5\n"

DBC = r"""VERSION "a \"quoted\" text"

NS_ :
    NS_DESC_
    CM_
BS_:
BU_: engine brake
// a remark
BO_ 256 fast: 8 engine
 SG_ speed : 0|16@1+ (0.1,-.5) [0|6553.5] "km/h" brake,engine
 SG_ kind M : 16|4@0- (1,0) [0|0] ""  Vector__XXX
 SG_ part m3 : 20|4@0- (1e-3,0) [-1|+1] "" brake
BO_ 2147484160 wide: 4 brake /* bit 31: an identifier of 29 bits */
BO_ 128 many: 2 Vector__XXX
BO_ 3221225472 VECTOR__INDEPENDENT_SIG_MSG: 0 Vector__XXX
 SG_ lost : 0|8@1+ (1,0) [0|0] "" Vector__XXX
BO_TX_BU_ 128 : engine,brake;
CM_ BO_ 256 "BO_ 1 fake: 8 engine
BO_ 2 fake: 8 engine;";
BA_DEF_ BO_ "GenMsgCycleTime" INT 0 10000;
BA_DEF_ BO_ "GenMsgDelayTime" INT 0 10000;
BA_DEF_ BO_ "GenMsgSendType" ENUM "Cyclic","Event","CyclicAndEvent";
BA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","ExtendedCAN","","","","","","","","","","","","","StandardCAN_FD";
BA_DEF_ BO_ "SystemMessageLongSymbol" STRING ;
BA_DEF_DEF_ "GenMsgCycleTime" 0;
BA_DEF_DEF_ "GenMsgSendType" "Cyclic";
BA_ "GenMsgCycleTime" BO_ 256 10;
BA_ "GenMsgCycleTime" BO_ 2147484160 20;
BA_ "GenMsgSendType" BO_ 2147484160 2;
BA_ "GenMsgDelayTime" BO_ 2147484160 5;
BA_ "VFrameFormat" BO_ 256 14;
BA_ "SystemMessageLongSymbol" BO_ 128 "many_with_a_long_name";
VAL_ 256 kind 1 "on; off" 0 "" ;
"""
SELECTED = """VERSION ""

NS_ :

BS_:

BU_: A

BO_ 101 Mux: 8 A
 SG_ Mode M : 0|4@1+ (1,0) [0|0] "" A
 SG_ A1 m0 : 8|32@1- (1,0) [0|0] "" A
 SG_ B1 m1 : 15|32@0+ (0.001,0) [0|0] "V" A
 SG_ B2 m1 : 40|20@1- (0.1,5) [0|0] "" A
 SG_ Always : 4|4@1+ (1,0) [0|0] "" A

BO_ 102 Ext: 8 A
 SG_ S0 M : 0|4@1+ (1,0) [0|0] "" A
 SG_ S1 m2M : 4|4@1- (1,0) [0|0] "" A
 SG_ X m0 : 8|8@1+ (1,0) [0|0] "" A
 SG_ Y m3 : 8|16@1- (1,0) [0|0] "" A
 SG_ Z m7 : 16|16@1+ (1,0) [0|0] "" A

BO_ 2147483748 Wide: 64 A
 SG_ All : 0|64@1+ (1,0) [0|0] "" A
 SG_ AllSigned : 71|64@0- (1,0) [0|0] "" A
 SG_ Single : 128|32@1- (1,0) [0|0] "" A
 SG_ Double : 167|64@0- (1,0) [0|0] "" A
 SG_ Tiny : 230|33@1+ (1.5258789e-05,0.25) [0|0] "" A
 SG_ Big : 270|60@1- (1e9,0) [0|0] "" A
 SG_ Neg : 350|40@1- (-0.125,3) [0|0] "" A

VAL_ 101 Mode 3 "neither" ;
SIG_VALTYPE_ 2147483748 Single : 1;
SIG_VALTYPE_ 2147483748 Double : 2;
SG_MUL_VAL_ 102 S1 S0 2-4, 6-6;
SG_MUL_VAL_ 102 X S0 0-1;
SG_MUL_VAL_ 102 Y S1 3-5;
SG_MUL_VAL_ 102 Z S1 7-7;
"""
CANDUMP = "(1.000000) can0 123#0102\n(1.010000) can0 123#0102 R\n(1.020000) can0 1ABCDEF0##1AABB\n"
ASC = "date x\nbase hex  timestamps absolute\n   1.0 1  123  Rx   d 2 01 02\n 1.01 1 7FFx Tx r\n 1.02 1 ErrorFrame\n"
PCAP = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65536, 227)
PACKET = struct.pack("<IIII", 1, 5, 10, 10) + struct.pack(">IBBxx", 0x123, 2, 0) + b"\1\2"
KCD = """<?xml version="1.0" encoding="ISO-8859-1"?><!-- <Message id="0x10" name="a"/> \xe4 -->
<NetworkDefinition xmlns="http://kayak.2codeornot2code.org/1.0"><Document/>
<Node id="1" name="id='0x10'"/>
<Bus name="one"><Message name="id=&quot;0x10&quot;" id = '0x01f' length="8" interval="10"/>
<Message id="0x20" name="b" length="8" format="extended"/></Bus></NetworkDefinition>"""
SYM = """FormatVersion=6.0 // ID=01Fh
Title="ID=01Fh"

{ENUMS}
Enum=ID(0="ID=01Fh")

{SEND}

["a"]
ID=01Fh // ID=01Fh
Len=8
CycleTime=10
Var=x unsigned 0,8 /u:"a ID=01Fh [" /max:31

["b"]
ID=00000020h
Len=8
["c"]
Type=Extended
ID=021h
Len=8
["d"]
ID=100h-102h
Len=8
"""


def each_kind() -> list[Entry]:
    """Of a log: one of each kind."""
    return [
        Entry(1_000_002_000, 0x123, False, b"\x01\x02\xab", 3),
        Entry(1_000_400_000, 0x1ABCDEF0, True, bytes(range(8)), 8),
        Entry(1_001_000_000, 0x7FF, False, b"", 0),
        Entry(1_002_000_000, 0x10, True, b"", 5, remote=True),
        Entry(1_002_500_000, 0, False, b"", 0, error=True),
        Entry(1_003_000_000, 0x20, False, bytes(range(64)), 64, fd=True, brs=True),
        Entry(1_004_000_000, 0x21, True, bytes(range(12)), 12, fd=True, passive=True),
    ]


ARXML = """<?xml version="1.0" encoding="UTF-8"?>
<AUTOSAR xmlns="http://autosar.org/schema/r4.0"><AR-PACKAGES><AR-PACKAGE><SHORT-NAME>P</SHORT-NAME><ELEMENTS>
<CAN-CLUSTER><SHORT-NAME>one</SHORT-NAME><CAN-CLUSTER-VARIANTS><CAN-CLUSTER-CONDITIONAL><BAUDRATE>500000</BAUDRATE>
<PHYSICAL-CHANNELS><CAN-PHYSICAL-CHANNEL><SHORT-NAME>channel</SHORT-NAME><FRAME-TRIGGERINGS>
<CAN-FRAME-TRIGGERING><SHORT-NAME>t1</SHORT-NAME><FRAME-REF DEST="CAN-FRAME">/P/fast</FRAME-REF>
<CAN-ADDRESSING-MODE>STANDARD</CAN-ADDRESSING-MODE><IDENTIFIER>256</IDENTIFIER></CAN-FRAME-TRIGGERING>
<CAN-FRAME-TRIGGERING><SHORT-NAME>t2</SHORT-NAME><FRAME-REF DEST="CAN-FRAME">/P/slow</FRAME-REF>
<CAN-ADDRESSING-MODE>EXTENDED</CAN-ADDRESSING-MODE><IDENTIFIER>512</IDENTIFIER></CAN-FRAME-TRIGGERING>
</FRAME-TRIGGERINGS></CAN-PHYSICAL-CHANNEL></PHYSICAL-CHANNELS></CAN-CLUSTER-CONDITIONAL></CAN-CLUSTER-VARIANTS>
</CAN-CLUSTER>
<CAN-FRAME><SHORT-NAME>fast</SHORT-NAME><FRAME-LENGTH>8</FRAME-LENGTH><PDU-TO-FRAME-MAPPINGS><PDU-TO-FRAME-MAPPING>
<SHORT-NAME>m1</SHORT-NAME><PDU-REF DEST="I-SIGNAL-I-PDU">/P/pdu1</PDU-REF></PDU-TO-FRAME-MAPPING>
</PDU-TO-FRAME-MAPPINGS></CAN-FRAME>
<CAN-FRAME><SHORT-NAME>slow</SHORT-NAME><FRAME-LENGTH>4</FRAME-LENGTH><PDU-TO-FRAME-MAPPINGS><PDU-TO-FRAME-MAPPING>
<SHORT-NAME>m2</SHORT-NAME><PDU-REF DEST="I-SIGNAL-I-PDU">/P/pdu2</PDU-REF></PDU-TO-FRAME-MAPPING>
</PDU-TO-FRAME-MAPPINGS></CAN-FRAME>
<I-SIGNAL-I-PDU><SHORT-NAME>pdu1</SHORT-NAME><LENGTH>8</LENGTH><I-PDU-TIMING-SPECIFICATIONS><I-PDU-TIMING>
<TRANSMISSION-MODE-DECLARATION><TRANSMISSION-MODE-TRUE-TIMING><CYCLIC-TIMING><TIME-PERIOD><VALUE>0.01</VALUE>
</TIME-PERIOD></CYCLIC-TIMING></TRANSMISSION-MODE-TRUE-TIMING></TRANSMISSION-MODE-DECLARATION></I-PDU-TIMING>
</I-PDU-TIMING-SPECIFICATIONS></I-SIGNAL-I-PDU>
<I-SIGNAL-I-PDU><SHORT-NAME>pdu2</SHORT-NAME><LENGTH>4</LENGTH></I-SIGNAL-I-PDU>
</ELEMENTS></AR-PACKAGE></AR-PACKAGES></AUTOSAR>
"""

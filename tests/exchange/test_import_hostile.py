# SPDX-License-Identifier: Apache-2.0
"""Files that are no models, or hostile ones: one message with the file and the line, quickly, and nothing written.

TAKT_FUZZ: how many spoilt files (default 150, with --full 20000).
"""

from __future__ import annotations

import os
import random
import re
import time
from pathlib import Path

import pytest
import speed
from command_line import Takt
from takt.declare import declaration
from takt.declare.exchange.model import Source
from takt.declare.formats import read
from takt.support.errors import UserError

MODELS = Path(__file__).parent / "models"
FILES = int(os.environ.get("TAKT_FUZZ", "20000" if os.environ.get("TAKT_TEST_FULL") else "150"))

CSV = "name,period [ms],wcet [ms]\n"
MAST = """Processing_Resource (Type => Regular_Processor, Name => cpu);
Scheduler (Type => Primary_Scheduler, Name => s, Host => cpu, Policy => (Type => Fixed_Priority));
Scheduling_Server (Type => Regular, Name => t, Scheduler => s,
    Server_Sched_Parameters => (Type => Fixed_Priority_Policy, The_Priority => 1));
Operation (Type => Simple, Name => o, Worst_Case_Execution_Time => 1);
"""
TRANSACTION = """Transaction (Type => Regular, Name => x, External_Events => ((
    Type => Periodic, Name => e, Period => 10)),
    Internal_Events => ((Type => Regular, Name => f)), Event_Handlers => ((Type => Activity, Input_Event => e,
    Output_Event => f, Activity_Operation => {operation}, Activity_Server => t)));
"""
CHEDDAR = """<cheddar><processors><processor><name>c</name><scheduler>{scheduler}</scheduler></processor></processors>
<tasks>{tasks}</tasks>{more}</cheddar>"""
TASK = """<task task_type="PERIODIC"><name>{name}</name><cpu_name>c</cpu_name>
<capacity>{capacity}</capacity><period>10</period></task>"""
AMALTHEA = """<am:Amalthea xmlns:am="http://app4mc.eclipse.org/amalthea/2.2.0"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><swModel>{software}</swModel>
 <stimuliModel><stimuli xsi:type="am:PeriodicStimulus" name="s"><recurrence value="{period}" unit="ms"/></stimuli>
 </stimuliModel></am:Amalthea>"""
CALL = '<activityGraph><items xsi:type="am:RunnableCall" runnable="{name}?type=Runnable"/></activityGraph>'
AM_TASK = '<tasks name="t" stimuli="s?type=PeriodicStimulus">' + CALL.format(name="a") + "</tasks>"


def cheddar(capacity: str = "1", name: str = "t", scheduler: str = "RATE_MONOTONIC", more: str = "") -> str:
    return CHEDDAR.format(tasks=TASK.format(name=name, capacity=capacity), scheduler=scheduler, more=more)


def bomb() -> str:
    lines = ['<!ENTITY a0 "ha">'] + [f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12)]
    return f"<?xml version='1.0'?>\n<!DOCTYPE c [\n{''.join(lines)}\n]>\n<cheddar><tasks>&a11;</tasks></cheddar>"


PRECEDES = """<dependencies>{}</dependencies>"""
ARROW = "<dependency><precedence_source ref='{}'/><precedence_sink ref='{}'/></dependency>"

REFUSED = [
    ("empty.csv", "", ": the file is empty"),
    ("blank.txt", " \n\t\n", ": the file is empty"),
    ("head.csv", CSV, ": no task that could be declared"),
    ("names.csv", "task\nx\n", ":1: no column is the wcet"),
    ("none.csv", "colour;size\nred;3\n", ":1: no column is the name"),
    ("nan.csv", CSV + "a,20,NaN\n", ':2: wcet = "NaN": not a number'),
    ("inf.csv", CSV + "a,inf,1\n", ':2: period = "inf": not a number'),
    ("less.csv", CSV + "a,20,1\nb,20,-1\n", ':3: wcet = "-1": must not be negative'),
    ("zero.csv", CSV + "a,20,0\n", ":2: wcet: must be at least 1 ns"),
    ("huge.csv", CSV + "a,1e50,1\n", ":2: period: longer than 4611686018427387904 ns"),
    ("huger.csv", CSV + "a,1e999999,1\n", ':2: period = "1e999999": out of range'),
    ("digits.csv", CSV + f"a,{'9' * 90_000},1\n", ":2: period = "),
    ("field.csv", CSV + f"{'a' * 200_000},1,1\n", ":2: not CSV: field larger than field limit"),
    ("quote.csv", CSV + '"a,20,1\nb,20,1\n', ":2: not CSV: unexpected end of data"),
    ("nul.csv", CSV + "a\0,20,1\n", ":2: a NUL"),
    ("twice.csv", CSV + "a,20,1\nb,20,1\na,30,1\n", ':4: task "a" is there twice, first in line 2'),
    ("short.csv", CSV + "a,20,1\nb,20\n", ":3: 2 cells, but the header has 3"),
    ("unit.csv", "name,period,wcet\na,20,1\n", ':2: period = "20": the unit is missing'),
    ("units.csv", "name,period [fortnights],wcet [ms]\na,20,1\n", ":1: column "),
    ("cells.csv", "name,period,wcet\na,20 miles,1 ms\n", ':2: period = "20 miles": unknown unit'),
    ("both.csv", "name,period [ms],T,wcet [ms]\na,20,20,1\n", ':1: columns "period [ms]" and "T" are both period'),
    ("cores.csv", "name,period [ms],wcet [ms],core\na,20,1,0\nb,20,1,1\n", ':2: tasks on 2 processors ("0", "1")'),
    ("some.csv", "name,period [ms],wcet [ms],prio\na,20,1,1\nb,20,1,\n", ': "b" has no priority, but others have'),
    ("many.csv", CSV + "".join(f"t{n},20,0.001\n" for n in range(100_000)), ":100001: 100000 tasks; takt import takes"),
    ("what.dat", "hello\n", ": the format is not clear"),
    ("end.txt", MAST[:-10], ":5: not MAST: the file ends within this object"),
    ("deep.txt", "Operation (Type => " + "(" * 100_000, ":1: not MAST: parentheses nested more than 16 deep"),
    ("word.txt", "Model (Name => x);\nFrobnicate (Name => y);\n", ':2: not MAST: unknown object "frobnicate"'),
    ("again.txt", MAST + MAST, ':6: processing_resource "cpu" is there twice, first in line 1'),
    ("nothing.txt", MAST, ":1: no transaction"),
    ("lost.txt", MAST + TRANSACTION.format(operation="p"), ':9: no operation "p"'),
    (
        "circle.txt",
        MAST
        + "Operation (Type => Composite, Name => p, Composite_Operation_List => (q));\n"
        + "Operation (Type => Composite, Name => q, Composite_Operation_List => (p));\n"
        + TRANSACTION.format(operation="p"),
        ":7: operations in a circle: p has q has p",
    ),
    (
        "doubling.txt",
        MAST
        + "".join(
            f"Operation (Type => Composite, Name => o{n}, Composite_Operation_List => (o{n - 1}, o{n - 1}));\n"
            for n in range(1, 60)
        ).replace("o0", "o")
        + TRANSACTION.format(operation="o59"),
        ": more than 100000 operations in one activity",
    ),
    ("bomb.xml", bomb(), ":2: a document type"),
    ("file.xml", '<!DOCTYPE c SYSTEM "file:///etc/passwd">\n<cheddar/>', ":1: a document type"),
    (
        "entity.xml",
        '<!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<cheddar><tasks>&x;</tasks></cheddar>',
        ":1: a document type",
    ),
    ("cut.xml", cheddar()[:120], ":2: not XML: "),
    ("deep.xml", "<cheddar>" + "<a>" * 100_000, ":1: not XML: "),
    ("other.xml", "<html><body/></html>", ":1: not a model of AMALTHEA, Cheddar or MAST: its root is <html>"),
    ("tasks.xml", "<cheddar/>", ":1: no task"),
    ("negative.xml", cheddar("-3"), ':3: capacity = "-3": must not be negative'),
    ("not.xml", cheddar("many"), ':3: capacity = "many": not a number'),
    ("nothing.xml", cheddar("0"), ':2: task "t": the capacity is missing or 0'),
    ("scheduler.xml", cheddar(scheduler="ROUND_TABLE"), ':1: scheduler "ROUND_TABLE" has no counterpart'),
    (
        "precedes.xml",
        cheddar(more=PRECEDES.format(ARROW.format("a", "b") + ARROW.format("b", "a"))),
        ": precedences in a circle: a before b before a",
    ),
    ("empty.amxmi", AMALTHEA.format(software="", period=1), ":2: no task in swModel"),
    (
        "calls.amxmi",
        AMALTHEA.format(software=f"{AM_TASK}<runnables name='a'>{CALL.format(name='a')}</runnables>", period=1),
        ":2: runnables call in a circle: a calls a",
    ),
    ("gone.amxmi", AMALTHEA.format(software=AM_TASK, period=1), ':2: no runnable "a"'),
    ("never.amxmi", AMALTHEA.format(software=AM_TASK, period=0), ""),
]


@pytest.mark.parametrize(("name", "text", "said"), REFUSED, ids=[name for name, _, _ in REFUSED])
def test_one_message(name: str, text: str, said: str, tmp_path: Path, takt: Takt) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    unit = [] if "unit" in name or "cells" in name else ["--unit", "ms"]
    limit_s = speed.limit_s()
    start = time.process_time()
    result = takt("import", path, tmp_path / "out", *unit)
    assert time.process_time() - start < limit_s
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"takt: {path}"), result.err[:300]
    assert said in result.err
    assert len(result.err) < 700
    assert result.err.count("\n") == 2  # what is wrong, and what to try
    assert not (tmp_path / "out").exists()


def test_utf_16_does_not_hide_a_document_type(tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    path.write_text('<?xml version="1.0" encoding="utf-16"?>\n<!DOCTYPE c [<!ENTITY x "y">]>\n<cheddar/>', "utf-16")
    with pytest.raises(UserError, match="a document type"):
        read.load(Source(path, "ms"), None, "host")


PIECES = [
    b"-1",
    b"NaN",
    b"1e99",
    b"(",
    b")",
    b"=>",
    b"\xff\xfe",
    b"\0",
    b"<a>",
    b"&x;",
    b"<!DOCTYPE a>",
    b"0",
    b",",
    b'"',
]


def spoilt(data: bytes, chance: random.Random) -> bytes:
    """With one to four changes: bytes replaced, lines removed or repeated, the end cut off, words put in."""
    for _ in range(chance.randrange(1, 5)):
        at = chance.randrange(len(data) or 1)
        kind = chance.randrange(5)
        lines = data.split(b"\n")
        line = chance.randrange(len(lines))
        if kind == 0:
            data = data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]
        elif kind == 1:
            data = data[:at] + chance.choice(PIECES) + data[at:]
        elif kind == 2:
            data = b"\n".join([*lines[:line], *lines[line + 1 :]])
        elif kind == 3:
            data = b"\n".join([*lines[:line], lines[line], *lines[line:]])
        elif chance.randrange(8) == 0:
            data = data[:at]
        else:
            numbers = list(re.finditer(rb"[0-9.]+", data))
            if numbers:
                one = chance.choice(numbers)
                data = data[: one.start()] + chance.choice(PIECES) + data[one.end() :]
    return data


def test_spoilt_files(tmp_path: Path) -> None:
    """Never a traceback: a message, or a declaration that check takes."""
    models = sorted(MODELS.iterdir())
    taken = 0
    refused: list[tuple[bool, int, str]] = []
    for seed in range(FILES):
        chance = random.Random(seed)
        model = models[seed % len(models)]
        path = tmp_path / model.name
        path.write_bytes(spoilt(model.read_bytes(), chance))
        processor = chance.choice([None, "cpu1", "processor1"])
        try:
            imported = read.load(Source(path, "ms", processor), None, "mps2-an385")
        except UserError as error:
            said = str(error)
            refused.append((path.name in said and len(said) < 700, seed, said))
            continue
        written = tmp_path / "system.toml"
        written.write_text(imported.text, encoding="utf-8")
        assert declaration.load(written).tasks, seed
        taken += 1
    assert [one for one in refused if not one[0]] == []
    assert FILES // 20 < taken < FILES

# SPDX-License-Identifier: Apache-2.0
"""A library of seven cells whose delays are easy to add up: what tests of tools/takt/hardware/cells.py map to.

A gate takes its `base` and a hundredth of a nanosecond for each unit of load, a flip-flop 0.2 ns and as much; an edge
takes a tenth of a nanosecond, or 0.3 behind SLOW. A data input has to be there 0.05 ns before the clock, and an edge's
length more.
"""

from __future__ import annotations

LOADS = '"0, 100"'
TIMES = '"0, 1"'


def library(*cells: str, more: str = "") -> str:
    return f"""/* ours, of no process */
library (small) {{
  time_unit : "1ns"; capacitive_load_unit (1, ff);
  lu_table_template (by_load) {{
    variable_1 : input_net_transition; variable_2 : total_output_net_capacitance;
    index_1 ({TIMES}); index_2 ({LOADS});
  }}
  lu_table_template (turned) {{
    variable_1 : total_output_net_capacitance; variable_2 : input_net_transition;
    index_1 ({LOADS}); index_2 ({TIMES});
  }}
  lu_table_template (setup) {{
    variable_1 : constrained_pin_transition; variable_2 : related_pin_transition;
    index_1 ({TIMES}); index_2 ({TIMES});
  }}
  {more}
  {"".join(cells or CELLS)}
}}
"""


def table(kind: str, base: float) -> str:
    """A delay that grows by a hundredth for each unit of load."""
    return f'{kind} (by_load) {{ values ("{base}, {base + 1}", \\\n "{base}, {base + 1}"); }}\n'


def arc(related: str, how: str, base: float, edge: float = 0.1, late: str = "") -> str:
    """`late`: the edge that takes 1 ns more."""
    rise, fall = (base + (late == name) for name in ("rise", "fall"))
    tables = table("cell_rise", rise) + f'cell_fall (turned) {{ values ("{fall}, {fall}", "{fall + 1}, {fall + 1}"); }}'
    for name in ("rise_transition", "fall_transition"):
        tables += f'{name} (scalar) {{ values ("{edge}"); }}\n'
    return f'timing () {{ related_pin : "{related}"; {how} {tables} }}\n'


def gate(
    name: str, area: float, function: str, inputs: str, base: float, sense: str, edge: float = 0.1, late: str = ""
) -> str:
    pins = "".join(f"pin ({pin}) {{ direction : input; capacitance : 2; }}\n" for pin in inputs.split())
    arcs = "".join(arc(pin, f"timing_sense : {sense};", base, edge, late) for pin in inputs.split())
    output = f'pin (Y) {{ direction : output; function : "{function}"; {arcs} }}'
    return f"cell ({name}) {{ area : {area}; {pins} {output} }}\n"


def flip_flop(name: str, area: float, reset: bool, late: str = "") -> str:
    limits = " ".join(
        f'{edge}_constraint (setup) {{ values ("0.05, 0.05", "1.05, 1.05"); }}' for edge in ("rise", "fall")
    )
    setup = f'timing () {{ related_pin : "C"; timing_type : setup_rising; {limits} }}'
    clear = "pin (R) { direction : input; capacitance : 2; }" if reset else ""
    state = 'clocked_on : "C"; next_state : "D";' + ' clear : "!R";' * reset
    output = f'function : "IQ"; {arc("C", "timing_type : rising_edge;", 0.2, late=late)}'
    return f"""cell ({name}) {{ area : {area}; ff (IQ, IQN) {{ {state} }}
      pin (D) {{ direction : input; capacitance : 2; {setup} }}
      pin (C) {{ direction : input; clock : true; capacitance : 2; }} {clear}
      pin (Q) {{ direction : output; {output} }} }}
"""


NAND = gate("NAND", 4, "(A B)'", "A B", 0.1, "negative_unate")
FLIP_FLOP = flip_flop("FF", 20, reset=False)
CELLS = (
    gate("INV", 2, "!A", "A", 0.05, "negative_unate"),
    gate("BUFFER", 4, "A", "A", 0.08, "positive_unate"),
    NAND,
    gate("NAND_STRONG", 8, "!(A*B)", "A B", 0.05, "negative_unate"),
    gate("SLOW", 6, "!(A + B)", "A B", 0.1, "negative_unate", edge=0.3),
    FLIP_FLOP,
    flip_flop("FF_RESET", 24, reset=True),
)

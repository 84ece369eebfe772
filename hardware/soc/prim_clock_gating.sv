// SPDX-License-Identifier: Apache-2.0

// A cell that Ibex leaves to the technology: here the clock always runs. Ibex sleeps all the same, it only takes power,
// and a simulation has one clock.
module prim_clock_gating (
  input  logic clk_i,
  input  logic en_i,
  input  logic test_en_i,
  output logic clk_o
);

  logic unused;
  assign unused = en_i ^ test_en_i;
  assign clk_o = clk_i;

endmodule

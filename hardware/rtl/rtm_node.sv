// SPDX-License-Identifier: Apache-2.0
// The better of two candidates. A key is {level, order}: the smaller level is better, then the smaller order, compared
// with wrap: orders of candidates lie less than half of their range apart. Equal keys: a.
module rtm_node #(
  parameter int unsigned LevelWidth = 8,
  parameter int unsigned OrderWidth = 24,
  parameter int unsigned IndexWidth = 6,
  localparam int unsigned KeyWidth = rtm_shape_pkg::key_width(LevelWidth, OrderWidth)
) (
  input  logic                  a_some_i,
  input  logic [KeyWidth-1:0]   a_key_i,
  input  logic [IndexWidth-1:0] a_index_i,
  input  logic                  b_some_i,
  input  logic [KeyWidth-1:0]   b_key_i,
  input  logic [IndexWidth-1:0] b_index_i,
  output logic                  some_o,
  output logic [KeyWidth-1:0]   key_o,
  output logic [IndexWidth-1:0] index_o
);
  if (!rtm_shape_pkg::fits("IndexWidth", IndexWidth, 1, $clog2(rtm_pkg::RecordsMax))) begin : gen_refused
    $fatal(1, "a parameter is out of its range");
  end

  logic [LevelWidth-1:0] a_level, b_level;
  logic [OrderWidth-1:0] distance;
  logic                  b_before, choose_b;

  assign a_level  = a_key_i[OrderWidth+:LevelWidth];
  assign b_level  = b_key_i[OrderWidth+:LevelWidth];
  assign distance = b_key_i[OrderWidth-1:0] - a_key_i[OrderWidth-1:0];
  assign b_before = b_level < a_level || (b_level == a_level && distance[OrderWidth-1]);
  assign choose_b = b_some_i && (!a_some_i || b_before);

  assign some_o  = a_some_i || b_some_i;
  assign key_o   = choose_b ? b_key_i : a_key_i;
  assign index_o = choose_b ? b_index_i : a_index_i;
endmodule

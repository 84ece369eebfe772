// SPDX-License-Identifier: Apache-2.0
// The tree finds a candidate that is no worse than any rival, the first of its equals, or none if there is none. Orders are
// those of candidates less than half of the range apart: each is a base, anywhere, and a distance from it.
module tree_proof #(
  parameter int unsigned  Lanes      = 16,
  parameter int unsigned  LevelWidth = 3,
  parameter int unsigned  OrderWidth = 5,
  localparam int unsigned LaneWidth  = $clog2(Lanes),
  localparam int unsigned KeyWidth   = LevelWidth + OrderWidth
) (
  input logic                                   clk_i,
  input logic [Lanes-1:0]                       some_i,
  input logic [Lanes-1:0][LevelWidth-1:0]       level_i,
  input logic [OrderWidth-1:0]                  base_i,
  input logic [Lanes-1:0][OrderWidth-2:0]       distance_i,
  input logic [LaneWidth-1:0]                   rival_i
);
  logic [Lanes-1:0][KeyWidth-1:0] key;
  logic some;
  logic [KeyWidth-1:0] best_key;
  logic [LaneWidth-1:0] best;
  logic unused_row, unused_tag;

  for (genvar l = 0; l < Lanes; l++) begin : gen_key
    assign key[l] = {level_i[l], base_i + OrderWidth'(distance_i[l])};
  end

  rtm_tree #(
    .Lanes     (Lanes),
    .LevelWidth(LevelWidth),
    .OrderWidth(OrderWidth)
  ) u_tree (
    .clk_i,
    .rst_ni (1'b1),
    .flush_i(1'b0),
    .row_i  (1'b1),
    .tag_i  (1'b0),
    .some_i,
    .key_i  (key),
    .row_o  (unused_row),
    .tag_o  (unused_tag),
    .some_o (some),
    .key_o  (best_key),
    .lane_o (best)
  );

  logic [OrderWidth-1:0] best_distance;
  assign best_distance = best_key[OrderWidth-1:0] - base_i;

  always_comb begin
    assert (some == (some_i != '0));
    if (some) begin
      assert (some_i[best]);
      assert (best_key == key[best]);
    end
    if (some && some_i[rival_i]) begin
      assert ({best_key[OrderWidth+:LevelWidth], best_distance, best} <=
              {level_i[rival_i], 1'b0, distance_i[rival_i], rival_i});
    end
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// The tree finds a candidate that is no worse than any rival, the first of its equals, or none if there is none. Orders are
// those of candidates less than half of the range apart: each is a base, anywhere, and a distance from it.
module tree_proof #(
  parameter int unsigned  Lanes      = 16,
  parameter int unsigned  LevelWidth = 3,
  parameter int unsigned  OrderWidth = 5,
  localparam int unsigned Depth      = $clog2(Lanes),
  localparam int unsigned LaneWidth  = Depth,
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

  // Level by level, as the solver finds it: a node is one of the two below it, and no worse than either.
  typedef logic [LevelWidth+OrderWidth+LaneWidth-1:0] rank_t; // what a tree without wrap would compare
  rank_t [Depth:0] on_the_way; // of the rival: who won there
  logic [Depth:0]  some_on_the_way;
  for (genvar l = 0; l <= Depth; l++) begin : gen_level
    localparam int unsigned Nodes = Lanes >> l;
    rank_t [Nodes-1:0] rank;
    logic [Nodes-1:0]  there;
    assign there = u_tree.gen_level[l].some;
    for (genvar n = 0; n < Nodes; n++) begin : gen_node
      logic [OrderWidth-1:0] distance;
      logic [LaneWidth-1:0]  lane;
      assign lane     = u_tree.gen_level[l].lane[n];
      assign distance = u_tree.gen_level[l].key[n][OrderWidth-1:0] - base_i;
      assign rank[n]  = {u_tree.gen_level[l].key[n][OrderWidth+:LevelWidth], distance, lane};
      if (l > 0) begin : gen_above
        always_comb begin
          assert (there[n] == (gen_level[l-1].there[2*n] || gen_level[l-1].there[2*n+1]));
          assert (!there[n] || rank[n] == gen_level[l-1].rank[2*n+32'(lane[l-1])]);
          assert (!there[n] || gen_level[l-1].there[2*n+32'(lane[l-1])]);
          assert (!there[n] || (!distance[OrderWidth-1] && LaneWidth'(lane >> l) == LaneWidth'(n)));
          assert (!gen_level[l-1].there[2*n] || rank[n] <= gen_level[l-1].rank[2*n]);
          assert (!gen_level[l-1].there[2*n+1] || rank[n] <= gen_level[l-1].rank[2*n+1]);
          assert (!there[n] || u_tree.gen_level[l].key[n] == key[lane]);
          assert (!there[n] || some_i[lane]);
        end
      end
    end
    assign on_the_way[l]      = rank[LaneWidth'(rival_i>>l)];
    assign some_on_the_way[l] = there[LaneWidth'(rival_i>>l)];
    always_comb begin
      if (some_i[rival_i]) begin
        assert (some_on_the_way[l]);
        assert (on_the_way[l] <= {level_i[rival_i], 1'b0, distance_i[rival_i], rival_i});
      end
    end
  end

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

// SPDX-License-Identifier: Apache-2.0
// The tree finds a candidate that is no worse than any rival, the first of its equals, or none if there is none. Orders
// are those of candidates less than half of the range apart: each is a base, anywhere, and a distance from it. With cuts
// this is of the row that was given as many cycles ago, which comes with its tag, once, unless it was flushed since.
module tree_proof #(
  parameter int unsigned  Lanes      = 16,
  parameter int unsigned  LevelWidth = 3,
  parameter int unsigned  OrderWidth = 5,
  parameter int unsigned  TagWidth   = 2,
  parameter int unsigned  Cuts       = 0,
  localparam int unsigned Depth      = $clog2(Lanes),
  localparam int unsigned LaneWidth  = Depth,
  localparam int unsigned KeyWidth   = LevelWidth + OrderWidth,
  localparam int unsigned Registers  = $countones(Cuts)
) (
  input logic                             clk_i,
  input logic                             rst_ni,
  input logic                             flush_i,
  input logic                             row_i,
  input logic [TagWidth-1:0]              tag_i,
  input logic [Lanes-1:0]                 some_i,
  input logic [Lanes-1:0][LevelWidth-1:0] level_i,
  input logic [OrderWidth-1:0]            base_i,
  input logic [Lanes-1:0][OrderWidth-2:0] distance_i,
  input logic [LaneWidth-1:0]             rival_i
);
  typedef logic [LevelWidth+OrderWidth+LaneWidth-1:0] rank_t; // what a tree without wrap would compare
  typedef struct packed {
    logic                             there; // and was not flushed since
    logic [TagWidth-1:0]              tag;
    logic [Lanes-1:0]                 some;
    logic [Lanes-1:0][LevelWidth-1:0] level;
    logic [OrderWidth-1:0]            base;
    logic [Lanes-1:0][OrderWidth-2:0] distance;
    logic [LaneWidth-1:0]             rival;
  } row_t;

  // The row of this cycle, and of those before it.
  row_t [Registers:0] given;
  assign given[0] = '{
    there: row_i, tag: tag_i, some: some_i, level: level_i, base: base_i, distance: distance_i, rival: rival_i
  };
  for (genvar c = 1; c <= Registers; c++) begin : gen_given
    always_ff @(posedge clk_i) begin
      given[c]       <= given[c-1];
      given[c].there <= rst_ni && given[c-1].there && !flush_i;
    end
  end

  logic [Lanes-1:0][KeyWidth-1:0] key;
  logic row, some;
  logic [TagWidth-1:0] tag;
  logic [KeyWidth-1:0] best_key;
  logic [LaneWidth-1:0] best;
  for (genvar l = 0; l < Lanes; l++) begin : gen_key
    assign key[l] = {level_i[l], base_i + OrderWidth'(distance_i[l])};
  end

  rtm_tree #(
    .Lanes     (Lanes),
    .LevelWidth(LevelWidth),
    .OrderWidth(OrderWidth),
    .TagWidth  (TagWidth),
    .Cuts      (Cuts)
  ) u_tree (
    .clk_i,
    .rst_ni,
    .flush_i,
    .row_i,
    .tag_i,
    .some_i,
    .key_i  (key),
    .row_o  (row),
    .tag_o  (tag),
    .some_o (some),
    .key_o  (best_key),
    .lane_o (best)
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
  end
  if (Registers > 0) begin : gen_reset
    always_comb begin
      assume (rst_ni == started_q);
    end
  end

  // Level by level, as the solver finds it: a node is one of the two below it, and no worse than either; behind a
  // register, of those of the cycle before.
  for (genvar l = 0; l <= Depth; l++) begin : gen_level
    localparam int unsigned Nodes = Lanes >> l;
    localparam int unsigned Behind = $countones(Cuts & ((32'd2 << l) - 1)); // registers
    row_t              of;
    logic              row;
    rank_t [Nodes-1:0] rank;
    logic [Nodes-1:0]  some;
    assign of   = given[Behind];
    assign row  = u_tree.gen_level[l].row;
    assign some = u_tree.gen_level[l].some;
    always_comb begin
      if (started_q || Registers == 0) begin
        assert (row == (of.there && (Cuts[l] || !flush_i)));
        assert (!row || u_tree.gen_level[l].tag == of.tag);
      end
    end
    for (genvar n = 0; n < Nodes; n++) begin : gen_node
      logic [OrderWidth-1:0] distance;
      logic [LaneWidth-1:0]  lane;
      logic                  there;
      assign lane     = u_tree.gen_level[l].lane[n];
      assign distance = u_tree.gen_level[l].key[n][OrderWidth-1:0] - of.base;
      assign rank[n]  = {u_tree.gen_level[l].key[n][OrderWidth+:LevelWidth], distance, lane};
      assign there    = row && some[n];
      if (l > 0) begin : gen_above
        logic [1:0]  some_below;
        rank_t [1:0] below;
        if (Cuts[l]) begin : gen_cut
          always_ff @(posedge clk_i) begin
            some_below <= gen_level[l-1].some[2*n+:2];
            below      <= gen_level[l-1].rank[2*n+:2];
          end
        end else begin : gen_through
          assign some_below = gen_level[l-1].some[2*n+:2];
          assign below      = gen_level[l-1].rank[2*n+:2];
        end
        always_comb begin
          assert (!there || (some_below[lane[l-1]] && rank[n] == below[lane[l-1]]));
          assert (!there || !some_below[0] || rank[n] <= below[0]);
          assert (!there || !some_below[1] || rank[n] <= below[1]);
        end
      end
      always_comb begin
        assert (!row || some[n] == (of.some[n<<l+:1<<l] != '0));
        assert (!there || (!distance[OrderWidth-1] && LaneWidth'(lane >> l) == LaneWidth'(n)));
        assert (!there || (of.some[lane] && rank[n] == {of.level[lane], 1'b0, of.distance[lane], lane}));
      end
    end
    always_comb begin
      if (row && of.some[of.rival]) begin
        assert (some[LaneWidth'(of.rival>>l)]);
        assert (rank[LaneWidth'(of.rival>>l)] <= {of.level[of.rival], 1'b0, of.distance[of.rival], of.rival});
      end
    end
  end

  row_t of;
  logic [OrderWidth-1:0] best_distance;
  assign of            = given[Registers];
  assign best_distance = best_key[OrderWidth-1:0] - of.base;

  always_comb begin
    if (started_q || Registers == 0) begin
      assert (row == (of.there && (Cuts[Depth] || !flush_i)));
      if (row) begin
        assert (tag == of.tag);
        assert (some == (of.some != '0));
      end
      if (row && some) begin
        assert (of.some[best]);
        assert (best_key == {of.level[best], of.base + OrderWidth'(of.distance[best])});
      end
      if (row && some && of.some[of.rival]) begin
        assert ({best_key[OrderWidth+:LevelWidth], best_distance, best} <=
                {of.level[of.rival], 1'b0, of.distance[of.rival], of.rival});
      end
    end
    if (Registers > 0) begin
      cover (row && some && best != '0 && of.some[0]);
      cover (flush_i && given[1].there && of.there); // all that are on their way
    end
  end
endmodule

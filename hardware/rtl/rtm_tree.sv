// SPDX-License-Identifier: Apache-2.0
// The best of a row of candidates, by a tree of nodes; equal keys go to the lowest lane. Bit l of Cuts puts a register
// behind level l of the tree, level 0 being the candidates themselves; a tag travels along with each row.
module rtm_tree #(
  parameter int unsigned          Lanes      = 16,
  parameter int unsigned          LevelWidth = 8,
  parameter int unsigned          OrderWidth = 24,
  parameter int unsigned          TagWidth   = 1,
  parameter int unsigned          Cuts       = 0,
  localparam int unsigned         Depth      = $clog2(rtm_shape_pkg::lanes(Lanes, Cuts)),
  localparam int unsigned         LaneWidth  = Lanes > 1 ? Depth : 1,
  localparam int unsigned         KeyWidth   = rtm_shape_pkg::key_width(LevelWidth, OrderWidth)
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            flush_i,  // rows on their way are forgotten
  input  logic                            row_i,    // there is a row
  input  logic [TagWidth-1:0]             tag_i,
  input  logic [Lanes-1:0]                some_i,
  input  logic [Lanes-1:0][KeyWidth-1:0]  key_i,
  output logic                            row_o,
  output logic [TagWidth-1:0]             tag_o,
  output logic                            some_o,
  output logic [KeyWidth-1:0]             key_o,
  output logic [LaneWidth-1:0]            lane_o
);
  if (!rtm_shape_pkg::fits("TagWidth", TagWidth, 1, 32)) begin : gen_refused
    $fatal(1, "a parameter is out of its range");
  end

  logic unused;
  assign unused = ^{clk_i, rst_ni}; // without a cut

  for (genvar l = 0; l <= Depth; l++) begin : gen_level
    localparam int unsigned Nodes = Lanes >> l;
    logic                            row, row_next;
    logic [TagWidth-1:0]             tag, tag_next;
    logic [Nodes-1:0]                some, some_next;
    logic [Nodes-1:0][KeyWidth-1:0]  key, key_next;
    logic [Nodes-1:0][LaneWidth-1:0] lane, lane_next;

    if (l == 0) begin : gen_candidates
      assign row_next  = row_i;
      assign tag_next  = tag_i;
      assign some_next = some_i;
      assign key_next  = key_i;
      for (genvar n = 0; n < Nodes; n++) begin : gen_lane
        assign lane_next[n] = LaneWidth'(n);
      end
    end else begin : gen_nodes
      assign row_next = gen_level[l-1].row;
      assign tag_next = gen_level[l-1].tag;
      for (genvar n = 0; n < Nodes; n++) begin : gen_node
        rtm_node #(
          .LevelWidth(LevelWidth),
          .OrderWidth(OrderWidth),
          .IndexWidth(LaneWidth)
        ) u_node (
          .a_some_i (gen_level[l-1].some[2*n]),
          .a_key_i  (gen_level[l-1].key[2*n]),
          .a_index_i(gen_level[l-1].lane[2*n]),
          .b_some_i (gen_level[l-1].some[2*n+1]),
          .b_key_i  (gen_level[l-1].key[2*n+1]),
          .b_index_i(gen_level[l-1].lane[2*n+1]),
          .some_o   (some_next[n]),
          .key_o    (key_next[n]),
          .index_o  (lane_next[n])
        );
      end
    end

    if (Cuts[l]) begin : gen_cut
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          row <= 1'b0;
        end else begin
          row <= row_next && !flush_i;
        end
      end
      always_ff @(posedge clk_i) begin
        tag  <= tag_next;
        some <= some_next;
        key  <= key_next;
        lane <= lane_next;
      end
    end else begin : gen_through
      assign row  = row_next && !flush_i;
      assign tag  = tag_next;
      assign some = some_next;
      assign key  = key_next;
      assign lane = lane_next;
    end
  end

  assign row_o  = gen_level[Depth].row;
  assign tag_o  = gen_level[Depth].tag;
  assign some_o = gen_level[Depth].some[0];
  assign key_o  = gen_level[Depth].key[0];
  assign lane_o = gen_level[Depth].lane[0];
endmodule

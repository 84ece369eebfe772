// SPDX-License-Identifier: Apache-2.0
// What is settled is right of the records as they are: NEXT is ready and none is better, AFTER so among the others, the
// winner of a release so among those that wait for the event; first of equals. And it settles in time. Asked of the rest
// of the unit: records change only when it says so, and not during a release.
module sweep_proof #(
  parameter int unsigned  Records    = 4,
  parameter int unsigned  Banks      = 2,
  parameter int unsigned  LevelWidth = 1,
  parameter int unsigned  OrderWidth = 3,
  parameter int unsigned  Cuts       = 0,
  localparam int unsigned Lanes      = Records / Banks,
  localparam int unsigned IndexWidth = $clog2(Records),
  localparam int unsigned LaneWidth  = $clog2(Lanes),
  localparam int unsigned BankWidth  = Banks > 1 ? $clog2(Banks) : 1,
  localparam int unsigned KeyWidth   = LevelWidth + OrderWidth,
  localparam int unsigned RankWidth  = LevelWidth + OrderWidth - 1 + IndexWidth
) (
  input logic                                clk_i,
  input logic                                rst_ni,
  input logic                                changed_i,
  input logic [Records-1:0]                  ready_i,
  input logic [Records-1:0]                  waiting_i,
  input logic [Records-1:0]                  match_i,
  input logic [OrderWidth-1:0]               base_i,
  input logic [Records-1:0][LevelWidth-1:0]  level_i,
  input logic [Records-1:0][OrderWidth-2:0]  distance_i,
  input logic                                release_i
);
  // The records: others after a change. Orders are distances from a base, anywhere.
  logic [Records-1:0] ready_q, waiting_q, match_q;
  logic [OrderWidth-1:0] base_q;
  logic [Records-1:0][LevelWidth-1:0] level_q;
  logic [Records-1:0][OrderWidth-2:0] distance_q;
  logic started_q = 1'b0;
  logic releasing_q;

  logic [BankWidth-1:0] bank;
  logic [Lanes-1:0][KeyWidth-1:0] row_key;
  logic [Lanes-1:0] row_match;
  logic done, winner_some, next_settled, next_some, after_settled, after_some;
  logic [IndexWidth-1:0] winner, next, after;

  always_ff @(posedge clk_i) begin
    started_q   <= 1'b1;
    releasing_q <= rst_ni && release_i && !done;
    if (changed_i) begin
      ready_q    <= ready_i;
      waiting_q  <= waiting_i;
      base_q     <= base_i;
      level_q    <= level_i;
      distance_q <= distance_i;
    end
    if (changed_i || !release_i) begin
      match_q <= match_i;
    end
  end

  logic [Records-1:0][KeyWidth-1:0]  key;
  logic [Records-1:0][RankWidth-1:0] rank; // what a tree without wrap would compare
  for (genvar r = 0; r < Records; r++) begin : gen_record
    assign key[r]  = {level_q[r], base_q + OrderWidth'(distance_q[r])};
    assign rank[r] = {level_q[r], distance_q[r], IndexWidth'(r)};
  end
  assign row_key   = key[bank*Lanes+:Lanes];
  assign row_match = match_q[bank*Lanes+:Lanes];

  rtm_sweep #(
    .Records   (Records),
    .Banks     (Banks),
    .LevelWidth(LevelWidth),
    .OrderWidth(OrderWidth),
    .Cuts      (Cuts)
  ) u_sweep (
    .clk_i,
    .rst_ni,
    .changed_i,
    .ready_i        (ready_q),
    .waiting_i      (waiting_q),
    .bank_o         (bank),
    .key_i          (row_key),
    .event_i        (row_match),
    .release_i,
    .done_o         (done),
    .winner_some_o  (winner_some),
    .winner_o       (winner),
    .next_settled_o (next_settled),
    .next_some_o    (next_some),
    .next_o         (next),
    .after_settled_o(after_settled),
    .after_some_o   (after_some),
    .after_o        (after)
  );

  always_comb begin
    assume (rst_ni == started_q);
    if (changed_i) begin
      assume (!release_i);
    end
    if (releasing_q) begin
      assume (release_i);
    end
  end

  function automatic logic is_better(logic [IndexWidth-1:0] a, logic [IndexWidth-1:0] b);
    return rank[a] < rank[b];
  endfunction

  logic [Records-1:0] is_ready, matching;
  assign is_ready = ready_q;
  assign matching = waiting_q & match_q;

  `define SWEEP u_sweep
  `include "sweep_so_far.svh"

  // A release is answered, once, and in time.
  logic [7:0] release_q; // cycles that it has been asked for
  always_ff @(posedge clk_i) begin
    release_q <= rst_ni && release_i && !done ? release_q + 8'd1 : '0;
  end
  always_comb begin
    if (started_q) begin
      assert (!done || release_i);
      assert (mode != SweepRelease || (releasing_q && release_q == position_q + 8'd1));
      assert (mode == SweepRelease || release_q == '0);
      assert (release_q <= 8'(Cycles));
    end
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// What is settled is right of the records as they are: NEXT is ready and none is better, AFTER so among the others, the
// winner of a release so among those that wait for the event; first of equals. And it settles in time. Asked of the rest
// of the unit: records change only when it says so, and not during a release.
module sweep_proof #(
  parameter int unsigned  Records    = 4,
  parameter int unsigned  Banks      = 2,
  parameter int unsigned  LevelWidth = 1,
  parameter int unsigned  OrderWidth = 3,
  localparam int unsigned Lanes      = Records / Banks,
  localparam int unsigned IndexWidth = $clog2(Records),
  localparam int unsigned BankWidth  = $clog2(Banks),
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
  localparam logic [1:0] SweepIdle = 2'd0; // mode_e in rtm_sweep.sv
  localparam logic [1:0] SweepNext = 2'd1;
  localparam logic [1:0] SweepAfter = 2'd2;
  localparam logic [1:0] SweepRelease = 2'd3;

  // The records: others after a change. Orders are distances from a base, anywhere.
  logic [Records-1:0] ready_q, waiting_q, match_q;
  logic [OrderWidth-1:0] base_q;
  logic [Records-1:0][LevelWidth-1:0] level_q;
  logic [Records-1:0][OrderWidth-2:0] distance_q;
  logic started_q = 1'b0;
  logic releasing_q;

  logic [1:0] mode;
  assign mode = u_sweep.mode_q;
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
    .OrderWidth(OrderWidth)
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

  function automatic logic is_best(logic some, logic [IndexWidth-1:0] best, logic [Records-1:0] among);
    is_best = some == (among != '0) && (!some || among[best]);
    for (int unsigned r = 0; r < Records; r++) begin
      if (some && among[r] && rank[r] < rank[best]) begin
        is_best = 1'b0;
      end
    end
  endfunction

  // The rows that have been looked at in this sweep, and what of them counts.
  logic [Records-1:0] among, seen;
  logic [3:0] since_q; // cycles since a change or a release, as they matter

  always_comb begin
    among = ready_q;
    if (mode == SweepAfter) begin
      among[next] = among[next] && !next_some;
    end else if (mode == SweepRelease) begin
      among = waiting_q & match_q;
    end
    seen = '0;
    for (int unsigned r = 0; r < Records; r++) begin
      seen[r] = among[r] && BankWidth'(r / Lanes) < u_sweep.bank_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || changed_i || release_i) begin
      since_q <= '0;
    end else if (since_q != '1) begin
      since_q <= since_q + 4'd1;
    end
  end

  always_comb begin
    if (started_q) begin
      if (next_settled) begin
        assert (is_best(next_some, next, ready_q));
      end
      if (after_settled) begin
        assert (next_settled);
        assert (is_best(after_some, after, ready_q & ~(Records'(next_some) << next)));
      end
      if (done && release_i) begin
        assert (is_best(winner_some, winner, waiting_q & match_q));
      end
      assert (next_settled || since_q < 4'(Banks + 1));
      assert (after_settled || since_q < 4'(2 * Banks + 1));

      // What makes it so: the sweep so far.
      assert (u_sweep.feeding_q == (mode != SweepIdle));
      if (mode == SweepNext) begin
        assert (!next_settled && !after_settled);
        assert (since_q <= 4'(u_sweep.bank_q));
      end
      if (mode == SweepAfter) begin
        assert (next_settled && !after_settled);
        assert (since_q <= 4'(Banks) + 4'(u_sweep.bank_q));
      end
      if (mode == SweepIdle) begin
        assert (after_settled);
      end
      if (mode == SweepRelease) begin
        assert (releasing_q && since_q == '0);
      end
      if (u_sweep.feeding_q && u_sweep.bank_q != '0) begin
        assert (is_best(u_sweep.so_far_some_q, u_sweep.so_far_index_q, seen));
        assert (!u_sweep.so_far_some_q || u_sweep.so_far_key_q == key[u_sweep.so_far_index_q]);
      end
    end
  end
endmodule

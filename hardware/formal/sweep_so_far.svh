// SPDX-License-Identifier: Apache-2.0
// Of sweep_proof.sv and rtm_proof.sv, where `SWEEP is the rtm_sweep: what is settled is right of the records as they
// are, and there in time. What makes it so is the sweep so far: which row is behind each level of the tree, that what is
// found of it there is right of the records as they are, and then of all rows that came out. is_better(a, b) compares
// records; is_ready, matching (of the event that is released) and key are the records.

  localparam logic [1:0] SweepIdle = 2'd0; // mode_e in rtm_sweep.sv
  localparam logic [1:0] SweepNext = 2'd1;
  localparam logic [1:0] SweepAfter = 2'd2;
  localparam logic [1:0] SweepRelease = 2'd3;
  localparam int unsigned Registers = $countones(Cuts);
  localparam int unsigned Cycles = Banks + Registers; // of a sweep

  function automatic logic is_best(logic some, logic [IndexWidth-1:0] best, logic [Records-1:0] of);
    is_best = some == (of != '0) && (!some || of[best]);
    for (int unsigned r = 0; r < Records; r++) begin
      if (some && of[r] && is_better(IndexWidth'(r), best)) begin
        is_best = 1'b0;
      end
    end
  endfunction

  logic [1:0] mode;
  assign mode = `SWEEP.mode_q;
  logic [7:0] position_q; // cycles since this sweep began
  logic [7:0] since_q;    // since a change, or a release, which goes before
  logic [Records-1:0] among, others, come, upto; // what is looked for; of the rows that came out; with this one

  always_ff @(posedge clk_i) begin
    if (!rst_ni || `SWEEP.flush || `SWEEP.last) begin
      position_q <= '0;
    end else if (mode != SweepIdle) begin
      position_q <= position_q + 8'd1;
    end
    if (!rst_ni || `SWEEP.changed_i || `SWEEP.release_i) begin
      since_q <= '0;
    end else if (since_q != '1) begin
      since_q <= since_q + 8'd1;
    end
  end

  always_comb begin
    others = is_ready & ~(Records'(`SWEEP.next_some_o) << `SWEEP.next_o);
    among  = is_ready;
    if (mode == SweepAfter) begin
      among = others;
    end else if (mode == SweepRelease) begin
      among = matching;
    end
    for (int unsigned r = 0; r < Records; r++) begin
      come[r] = among[r] && 8'(Registers + r / Lanes) < position_q;
      upto[r] = among[r] && 8'(Registers + r / Lanes) <= position_q;
    end
  end

  // Which rows are given to the tree, and where it is begun anew.
  always_comb begin
    if (started_q) begin
      assert (`SWEEP.feeding_q == (mode != SweepIdle && position_q < 8'(Banks)));
      if (`SWEEP.feeding_q) begin
        assert (8'(`SWEEP.bank_q) == position_q);
      end
      if (mode != SweepIdle) begin
        assert (position_q < 8'(Cycles));
      end
    end
  end

  // Level by level: the row that is there, and what is found of the records below each node.
  for (genvar l = 0; l <= $clog2(Lanes); l++) begin : gen_level
    localparam int unsigned Behind = $countones(Cuts & ((32'd2 << l) - 1)); // registers
    logic there;
    logic [7:0] row;
    logic [Lanes-1:0] candidates;
    assign row        = position_q - 8'(Behind);
    assign there      = `SWEEP.u_tree.gen_level[l].row;
    assign candidates = among[BankWidth'(row)*Lanes+:Lanes];
    always_comb begin
      if (started_q) begin
        assert (there == (mode != SweepIdle && position_q >= 8'(Behind) && row < 8'(Banks) &&
                          (Cuts[l] || !`SWEEP.flush)));
        if (there) begin
          assert (`SWEEP.u_tree.gen_level[l].tag == {row == 8'(Banks - 1), BankWidth'(row)});
        end
      end
    end
    for (genvar n = 0; n < (Lanes >> l); n++) begin : gen_node
      logic some;
      logic [LaneWidth-1:0] lane;
      logic [IndexWidth-1:0] best;
      assign some = `SWEEP.u_tree.gen_level[l].some[n];
      assign lane = `SWEEP.u_tree.gen_level[l].lane[n];
      assign best = IndexWidth'(row * Lanes) | IndexWidth'(lane);
      always_comb begin
        if (started_q && there) begin
          assert (some == (candidates[n<<l+:1<<l] != '0));
          if (some) begin
            assert (candidates[lane] && LaneWidth'(lane >> l) == LaneWidth'(n));
            assert (`SWEEP.u_tree.gen_level[l].key[n] == key[best]);
            for (int unsigned c = n << l; c < ((n + 1) << l); c++) begin
              assert (!(candidates[c] && is_better(IndexWidth'(row * Lanes + c), best)));
            end
          end
        end
      end
    end
  end

  // The best of the rows that came out.
  always_comb begin
    if (started_q && mode != SweepIdle && position_q >= 8'(Registers)) begin
      if (position_q > 8'(Registers)) begin
        assert (!`SWEEP.so_far_some_q || `SWEEP.so_far_key_q == key[`SWEEP.so_far_index_q]);
        assert (is_best(`SWEEP.so_far_some_q, `SWEEP.so_far_index_q, come));
      end
      if (`SWEEP.out_row) begin
        assert (!`SWEEP.best_some || `SWEEP.best_key == key[`SWEEP.best_index]);
        assert (is_best(`SWEEP.best_some, `SWEEP.best_index, upto));
      end
    end
  end

  always_comb begin
    if (started_q) begin
      if (`SWEEP.done_o) begin
        assert (mode == SweepRelease && is_best(`SWEEP.winner_some_o, `SWEEP.winner_o, matching));
      end
      if (`SWEEP.next_settled_o) begin
        assert (is_best(`SWEEP.next_some_o, `SWEEP.next_o, is_ready));
      end
      if (`SWEEP.after_settled_o) begin
        assert (`SWEEP.next_settled_o);
        assert (is_best(`SWEEP.after_some_o, `SWEEP.after_o, others));
      end
      // In time, and what makes it so.
      assert (mode != SweepNext || (!`SWEEP.next_settled_o && !`SWEEP.after_settled_o && since_q <= position_q));
      assert (mode != SweepAfter || (`SWEEP.next_settled_o && !`SWEEP.after_settled_o));
      assert (mode != SweepAfter || since_q <= 8'(Cycles) + position_q);
      assert (mode != SweepIdle || `SWEEP.after_settled_o);
      assert (mode != SweepRelease || since_q == '0);
      assert (`SWEEP.next_settled_o || since_q < 8'(Cycles));
      assert (`SWEEP.after_settled_o || since_q < 8'(2 * Cycles));
    end
  end

  // What this is about is there: changes and releases while rows are on their way.
  always_comb begin
    if (Registers > 0) begin
      cover (started_q && mode == SweepNext && `SWEEP.changed_i && position_q >= 8'(Banks));
      cover (started_q && mode == SweepAfter && `SWEEP.changed_i && position_q == 8'(Banks));
      cover (started_q && mode == SweepAfter && `SWEEP.release_i && position_q == 8'(Banks));
    end
    cover (started_q && `SWEEP.done_o && `SWEEP.winner_some_o);
    cover (started_q && mode == SweepIdle && `SWEEP.after_some_o);
  end

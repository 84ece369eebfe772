// SPDX-License-Identifier: Apache-2.0
// Of rtm_proof.sv: of two ready records of a level that is not edf the one that was ready first comes first. Not in
// classic mode, where software gives the orders.

  logic [Records-1:0] anew, queued, queued_q; // given a stamp in the last cycle, or since, and ready as it is
  logic [Records-1:0][Records-1:0] before_q;  // a has been queued for longer than b
  // It is so of records of which the first is not the one that equals go to.
  always_comb begin
    cover (started_q && before_q[1][0] && u_rtm.after_settled && u_rtm.after_some && u_rtm.next == IndexWidth'(1));
  end
  for (genvar a = 0; a < Records; a++) begin : gen_fifo
    assign anew[a] = known_q && fixed_ready[a] && (becomes_ready[a] ||
                     (record_write && was_word_q == RecordKey && was_index_q == IndexWidth'(a)));
    assign queued[a] = fixed_ready[a] && (anew[a] || queued_q[a]);
    always_ff @(posedge clk_i) begin
      queued_q[a] <= started_q && queued[a];
    end
    always_comb begin
      if (started_q && queued[a]) begin
        assert (distance[a] < queued_for[a]);
      end
    end
    for (genvar b = 0; b < Records; b++) begin : gen_other
      logic is_before;
      assign is_before = queued[a] && queued[b] && !anew[a] && (anew[b] || before_q[a][b]);
      always_ff @(posedge clk_i) begin
        before_q[a][b] <= started_q && is_before;
      end
      always_comb begin
        if (started_q && is_before && key[a][OrderWidth+:LevelWidth] == key[b][OrderWidth+:LevelWidth]) begin
          assert (distance[a] < distance[b]);
          assert (!(u_rtm.next_settled && u_rtm.next_some && u_rtm.next == IndexWidth'(b)));
        end
      end
    end
  end

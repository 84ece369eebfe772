// SPDX-License-Identifier: Apache-2.0
// No expiry is early, and none late by more than a round of visits, and the cycles in which visits pause; across
// wraps of the time. The times are shadowed here by registers. What is asked of the rest of the unit: a record whose
// expiry was taken is not delayed two cycles later; time goes on by at most one a cycle, and never so far that a record
// that waits has been due for half of the range.
module timers_proof #(
  parameter int unsigned  Records    = 4,
  parameter int unsigned  TimeWidth  = 5,
  localparam int unsigned IndexWidth = $clog2(Records),
  localparam int unsigned LateWidth  = IndexWidth + 2 // for two rounds
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic                  advance_i,
  input logic [Records-1:0]    delayed_i,
  input logic [IndexWidth-1:0] index_i,
  input logic                  write_i,
  input logic [TimeWidth-1:0]  data_i,
  input logic                  read_i,
  input logic                  expire_ready_i
);
  logic [TimeWidth-1:0] now_q, data;
  logic expire;
  logic [IndexWidth-1:0] expire_index;

  rtm_timers #(
    .Records  (Records),
    .TimeWidth(TimeWidth)
  ) u_timers (
    .clk_i,
    .rst_ni,
    .now_i         (now_q),
    .delayed_i,
    .index_i,
    .write_i,
    .data_i,
    .read_i,
    .data_o        (data),
    .expire_o      (expire),
    .expire_index_o(expire_index),
    .expire_ready_i
  );

  logic started_q = 1'b0;
  logic [Records-1:0] due, in_seen, in_expire, idle_q, idle_qq;
  logic [Records-1:0][TimeWidth-1:0] age;
  logic [Records-1:0][LateWidth-1:0] late_q; // visits that took place while it was due and not offered
  logic [Records-1:0][IndexWidth-1:0] to_go; // visits until its own
  logic moves;

  assign moves = !u_timers.stall && !read_i;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (advance_i) begin
      now_q <= now_q + TimeWidth'(1);
    end
    idle_q <= '0;
    if (expire && expire_ready_i) begin
      idle_q[expire_index] <= 1'b1;
    end
    idle_qq <= idle_q;
  end

  always_comb begin
    assume (rst_ni == started_q);
    assume (!(write_i && read_i));
  end

  for (genvar r = 0; r < Records; r++) begin : gen_record
    assign age[r]       = now_q - u_timers.u_times.gen_memory.word_q[r];
    assign due[r]       = delayed_i[r] && !age[r][TimeWidth-1];
    assign to_go[r]     = IndexWidth'(r) - u_timers.visit_q;
    assign in_seen[r]   = u_timers.seen_q && u_timers.seen_index_q == IndexWidth'(r);
    assign in_expire[r] = u_timers.expire_q && u_timers.expire_index_q == IndexWidth'(r);

    always_comb begin
      // The end of a wait, after its expiry was taken; and the horizon.
      if (idle_qq[r]) begin
        assume (!delayed_i[r]);
      end
      if (in_seen[r] || in_expire[r]) begin
        assume (age[r] < TimeWidth'((1 << (TimeWidth - 1)) - 1) || age[r][TimeWidth-1]);
      end
    end

    always_ff @(posedge clk_i) begin
      if (!rst_ni || !due[r] || idle_q[r] || (write_i && index_i == IndexWidth'(r)) ||
          (in_expire[r] && expire_ready_i)) begin
        late_q[r] <= '0;
      end else if (moves && !in_expire[r]) begin
        late_q[r] <= late_q[r] + LateWidth'(1);
      end
    end

    always_comb begin
      if (started_q) begin
        // Not early, and not while the time is written anew.
        if (expire && expire_index == IndexWidth'(r)) begin
          assert (!age[r][TimeWidth-1]);
          assert (!(write_i && index_i == IndexWidth'(r)));
        end
        // What was read is what is there.
        if (in_seen[r]) begin
          assert (u_timers.seen_time_q == u_timers.u_times.gen_memory.word_q[r]);
        end
        if (in_expire[r]) begin
          assert (!age[r][TimeWidth-1]);
        end
        // Not late: the visits that go by while it is due, until it is offered.
        assert (late_q[r] <= LateWidth'(Records + 1));
        if (in_seen[r] && !in_expire[r]) begin
          assert (late_q[r] <= LateWidth'(Records));
        end
        if (!in_seen[r] && !in_expire[r]) begin
          assert (late_q[r] + LateWidth'(to_go[r]) <= LateWidth'(Records - 1));
        end
      end
      // Behind a wrap; as late as may be; and one that is written while it is offered.
      cover (started_q && expire && expire_index == IndexWidth'(r) && now_q < u_timers.u_times.gen_memory.word_q[r]);
      cover (started_q && late_q[r] == LateWidth'(Records + 1));
      cover (started_q && in_expire[r] && !expire);
    end
  end
endmodule

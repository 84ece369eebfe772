// SPDX-License-Identifier: Apache-2.0
// The whole unit, seen from its command port: what each command, expiry and release makes of the records, and that
// nothing else changes them; that answers and the interrupt are right of the records as they are; and how long anything
// takes. Of each cycle the records before it are kept, so that a step can be compared with what it should be.
//
// Asked of software (docs/hardware.md): a record has a key before it is valid, and an event before it waits; orders of a
// level lie within half of the range, and the next stamp with them; time goes on by at most one a cycle, and none that
// is being looked at is as old as the horizon.
module rtm_proof #(
  parameter int unsigned  Records    = 4,
  parameter int unsigned  Banks      = 2,
  parameter int unsigned  LevelWidth = 1,
  parameter int unsigned  OrderWidth = 3,
  parameter int unsigned  EventWidth = 1,
  parameter int unsigned  TimeWidth  = 5, // the times that occur are multiples of 1 << (32 - TimeWidth)
  localparam int unsigned Lanes      = Records / Banks,
  localparam int unsigned IndexWidth = $clog2(Records),
  localparam int unsigned BankWidth  = $clog2(Banks),
  localparam int unsigned KeyWidth   = LevelWidth + OrderWidth
) (
  input logic                             clk_i,
  input logic                             rst_ni,
  input logic                             advance_i,
  input logic                             valid_i,
  input logic                             write_i,
  input logic [rtm_pkg::AddressWidth-1:0] address_i,
  input logic [31:0]                      data_i,
  input logic [(1<<LevelWidth)-1:0][OrderWidth-1:0] base_i // what the orders of a level are near
);
  import rtm_pkg::*;

  localparam logic [31:0] Instant = 32'd1 << (32 - TimeWidth);
  localparam int unsigned Half = 1 << (OrderWidth - 1);
  localparam logic [1:0] SlotCommand = 2'd1; // slot_e in rtm.sv
  localparam logic [1:0] SlotClaim = 2'd2;
  localparam logic [1:0] SlotExpire = 2'd3;
  localparam logic [1:0] SweepIdle = 2'd0; // mode_e in rtm_sweep.sv
  localparam logic [1:0] SweepNext = 2'd1;
  localparam logic [1:0] SweepAfter = 2'd2;
  localparam logic [1:0] SweepRelease = 2'd3;

  logic [TimeWidth-1:0] instant_q;
  logic [31:0] now, data;
  assign now = 32'(instant_q) << (32 - TimeWidth);
  logic ready, done, error, irq;

  rtm #(
    .Records   (Records),
    .Banks     (Banks),
    .LevelWidth(LevelWidth),
    .OrderWidth(OrderWidth),
    .EventWidth(EventWidth)
  ) u_rtm (
    .clk_i,
    .rst_ni,
    .now_i   (now),
    .valid_i,
    .ready_o (ready),
    .write_i,
    .address_i,
    .data_i,
    .done_o  (done),
    .data_o  (data),
    .error_o (error),
    .switch_o(irq)
  );

  // The command that is being done, as the port took it.
  logic busy_q, write_q, legal;
  logic [AddressWidth-1:0] address_q;
  logic [31:0] data_q;
  logic [3:0] cycles_q; // since it was taken
  logic [2:0] word;
  logic [IndexWidth-1:0] index;
  logic [EventWidth-1:0] wanted_event;
  logic of_record, of_unit, releases;

  assign word         = address_q[4:2];
  assign index        = address_q[RecordShift+:IndexWidth];
  assign wanted_event = address_q[2+:EventWidth];
  assign of_record    = address_q < AddressWidth'(Records * 32);
  assign of_unit      = address_q >= GlobalsBase && address_q < GlobalsBase + 13'd32;
  assign releases     = address_q >= ReleaseBase && address_q < ReleaseBase + AddressWidth'(4 << EventWidth);

  // The records as they are.
  logic [Records-1:0][StatusWidth-1:0] status;
  logic [Records-1:0][KeyWidth-1:0]    key, row_key;
  logic [Records-1:0][EventWidth-1:0]  event_id, row_event;
  logic [Records-1:0][31:0]            wake, age;
  logic [Records-1:0]                  is_ready, is_waiting, matching;
  for (genvar r = 0; r < Records; r++) begin : gen_record
    assign status[r] = {
      u_rtm.u_records.edf_q[r],
      u_rtm.u_records.timeout_q[r],
      u_rtm.u_records.suspended_q[r],
      u_rtm.u_records.event_q[r],
      u_rtm.u_records.delayed_q[r],
      u_rtm.u_records.valid_q[r]
    };
    assign key[r]        = u_rtm.u_records.u_key.gen_memory.word_q[r];
    assign event_id[r]   = u_rtm.u_records.u_event.gen_memory.word_q[r];
    assign row_key[r]    = u_rtm.u_records.gen_lane[r%Lanes].u_key.gen_memory.word_q[r/Lanes];
    assign row_event[r]  = u_rtm.u_records.gen_lane[r%Lanes].u_event.gen_memory.word_q[r/Lanes];
    assign wake[r]       = u_rtm.gen_timers.u_timers.u_times.gen_memory.word_q[r];
    assign age[r]        = now - wake[r];
    assign is_ready[r]   = status[r][StatusSuspended:StatusValid] == 4'b0001;
    assign is_waiting[r] = status[r][StatusValid] && status[r][StatusEvent];
    assign matching[r]    = is_waiting[r] && event_id[r] == wanted_event;
  end

  // Before this cycle: the records, and what was done to them.
  logic started_q = 1'b0;
  logic known_q = 1'b0; // the registers below are of a cycle after the reset
  logic [Records-1:0] has_key_q, has_event_q; // written since
  logic was_done_q, was_legal_q, was_write_q, was_expire_q;
  logic was_record_q, was_release_q, was_unit_q;
  logic [2:0] was_word_q;
  logic [IndexWidth-1:0] was_index_q, was_next_q;
  logic [31:0] was_data_q, was_answer_q;
  logic was_next_some_q;
  logic [Records-1:0][StatusWidth-1:0] was_status_q;
  logic [Records-1:0][KeyWidth-1:0]    was_key_q;
  logic [Records-1:0][EventWidth-1:0]  was_event_q;
  logic [Records-1:0][31:0]            was_wake_q;
  logic [OrderWidth-1:0]               was_stamp_q;
  logic                                was_running_some_q;
  logic [IndexWidth-1:0]               was_running_q;
  logic [1:0] slot;
  assign slot = u_rtm.slot_q;

  logic writes_record;
  assign writes_record = done && legal && of_record && write_q;
  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    known_q   <= rst_ni;
    for (int unsigned r = 0; r < Records; r++) begin
      if (!rst_ni) begin
        has_key_q[r]   <= 1'b0;
        has_event_q[r] <= 1'b0;
      end else if (writes_record && index == IndexWidth'(r)) begin
        has_key_q[r]   <= has_key_q[r] || word == RecordKey;
        has_event_q[r] <= has_event_q[r] || word == RecordEvent || word == RecordWait;
      end
    end
    if (advance_i) begin
      instant_q <= instant_q + TimeWidth'(1);
    end
    if (!rst_ni) begin
      busy_q <= 1'b0;
    end else if (ready && valid_i) begin
      busy_q <= 1'b1;
    end else if (done) begin
      busy_q <= 1'b0;
    end
    if (ready && valid_i) begin
      write_q   <= write_i;
      address_q <= address_i;
      data_q    <= data_i;
      cycles_q  <= '0;
    end else if (cycles_q != '1) begin
      cycles_q <= cycles_q + 4'd1;
    end
    was_done_q         <= done;
    was_legal_q        <= legal;
    was_write_q        <= write_q;
    was_expire_q       <= slot == SlotExpire;
    was_record_q       <= of_record;
    was_release_q      <= releases;
    was_unit_q         <= of_unit;
    was_word_q         <= word;
    was_index_q        <= slot == SlotExpire ? u_rtm.index_q : index;
    was_data_q         <= data_q;
    was_answer_q       <= data;
    was_next_q         <= u_rtm.next;
    was_next_some_q    <= u_rtm.next_some;
    was_status_q       <= status;
    was_key_q          <= key;
    was_event_q        <= event_id;
    was_wake_q         <= wake;
    was_stamp_q        <= u_rtm.u_records.stamp_q;
    was_running_some_q <= u_rtm.running_some_q;
    was_running_q      <= u_rtm.running_q;
  end

  `include "rtm_expected.svh"

  // What is asked for.
  logic [Records-1:0] fixed_ready;
  logic [Records-1:0][OrderWidth-1:0] base, distance, queued_for;
  logic visited, offered;
  assign visited = u_rtm.gen_timers.u_timers.seen_q;
  assign offered = u_rtm.gen_timers.u_timers.expire_q;
  for (genvar r = 0; r < Records; r++) begin : gen_distance
    assign base[r]        = base_i[key[r][OrderWidth+:LevelWidth]];
    assign distance[r]    = key[r][OrderWidth-1:0] - base[r];
    assign queued_for[r]  = u_rtm.u_records.stamp_q - base[r];
    assign fixed_ready[r] = is_ready[r] && !status[r][StatusEdf];
    always_comb begin
      assume (wake[r] % Instant == '0);
      assume (!status[r][StatusValid] || has_key_q[r]);
      assume (!is_waiting[r] || has_event_q[r]);
      if (is_ready[r] || is_waiting[r]) begin
        assume (distance[r] < OrderWidth'(Half));
      end
      if (fixed_ready[r]) begin
        assume (queued_for[r] < OrderWidth'(Half));
      end
      if ((visited && u_rtm.gen_timers.u_timers.seen_index_q == IndexWidth'(r)) ||
          (offered && u_rtm.gen_timers.u_timers.expire_index_q == IndexWidth'(r)) ||
          (slot == SlotExpire && u_rtm.index_q == IndexWidth'(r))) begin
        assume (age[r] < 32'h8000_0000 - Instant || age[r][31]);
      end
    end
  end
  always_comb begin
    assume (rst_ni == started_q);
  end

  // Whether a is better than b: level, order with wrap, index.
  function automatic logic is_better(logic [IndexWidth-1:0] a, logic [IndexWidth-1:0] b);
    logic [OrderWidth-1:0] after;
    after     = key[a][OrderWidth-1:0] - key[b][OrderWidth-1:0];
    is_better = key[a][OrderWidth+:LevelWidth] < key[b][OrderWidth+:LevelWidth] ||
                (key[a][OrderWidth+:LevelWidth] == key[b][OrderWidth+:LevelWidth] &&
                 (after[OrderWidth-1] || (after == '0 && a < b)));
  endfunction

  function automatic logic is_best(logic some, logic [IndexWidth-1:0] best, logic [Records-1:0] of);
    is_best = some == (of != '0) && (!some || of[best]);
    for (int unsigned r = 0; r < Records; r++) begin
      if (some && of[r] && is_better(IndexWidth'(r), best)) begin
        is_best = 1'b0;
      end
    end
  endfunction

  // The sweep so far.
  logic [1:0] mode;
  logic [Records-1:0] among, seen, upto; // upto: with the row that is being looked at
  logic [Lanes-1:0]   row;
  assign mode = u_rtm.u_sweep.mode_q;
  logic was_changed_q, was_settled_q, was_best_some_q, was_best_is_q;
  logic [IndexWidth-1:0] was_best_q;
  logic [Records-1:0] was_ready_q;
  always_ff @(posedge clk_i) begin
    was_changed_q   <= u_rtm.changed;
    was_ready_q     <= is_ready;
    was_settled_q   <= u_rtm.next_settled;
    was_best_some_q <= u_rtm.u_sweep.best_some;
    was_best_q      <= u_rtm.u_sweep.best_index;
    was_best_is_q   <= is_best(u_rtm.u_sweep.best_some, u_rtm.u_sweep.best_index, is_ready);
  end
  always_comb begin
    among = is_ready;
    if (mode == SweepAfter) begin
      among[u_rtm.next] = among[u_rtm.next] && !u_rtm.next_some;
    end else if (mode == SweepRelease) begin
      among = matching;
    end
    seen = '0;
    upto = '0;
    for (int unsigned r = 0; r < Records; r++) begin
      seen[r] = among[r] && BankWidth'(r / Lanes) < u_rtm.u_sweep.bank_q;
      upto[r] = BankWidth'(r / Lanes) <= u_rtm.u_sweep.bank_q;
    end
    row = among[u_rtm.u_sweep.bank_q*Lanes+:Lanes];
  end

  // How long: cycles to NEXT and AFTER since a record changed; an expiry that is offered, until it has its turn.
  logic [3:0] offered_q, reads_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !u_rtm.expire || u_rtm.expire_ready) begin
      offered_q <= '0;
    end else if (offered_q != '1) begin
      offered_q <= offered_q + 4'd1;
    end
    reads_q <= rst_ni && u_rtm.time_read ? reads_q + 4'd1 : '0;
  end

  // The port, and what makes it so.
  always_comb begin
    if (started_q) begin
      assert (busy_q == (slot == SlotCommand || slot == SlotClaim));
      if (busy_q) begin
        assert (u_rtm.write_q == write_q && u_rtm.address_q == address_q && u_rtm.data_q == data_q);
        if (slot == SlotCommand) begin
          assert (u_rtm.index_q == index);
        end else begin
          assert (releases && legal);
        end
      end
      // A bad command is told so, at once.
      if (slot == SlotCommand) begin
        assert (error == !legal);
        if (!legal) begin
          assert (done && data == '0);
        end
      end else begin
        assert (!error);
      end
      // No answer without a command, and none to two.
      assert (!done || busy_q);
      assert (!(done && ready));
    end
  end

  // What was done to the records is what was asked for, and nothing else was.
  always_comb begin
    if (started_q) begin
      for (int unsigned r = 0; r < Records; r++) begin
        assert (!has_key_q[r] || row_key[r] == key[r]);
        assert (!has_event_q[r] || row_event[r] == event_id[r]);
      end
    end
  end
  always_comb begin
    if (known_q) begin
      assert (status == want_status);
      assert (key == want_key);
      assert (event_id == want_event);
      assert (wake == want_wake);
      assert (u_rtm.u_records.stamp_q == want_stamp);
    end
  end

  // Who runs: as TAKE said, or as software did.
  always_comb begin
    if (known_q) begin
      if (was_done_q && was_legal_q && was_unit_q && was_word_q == GlobalRunning && was_write_q) begin
        assert (u_rtm.running_some_q == was_data_q[31] && u_rtm.running_q == was_data_q[IndexWidth-1:0]);
      end else if (was_done_q && was_legal_q && was_unit_q && was_word_q == GlobalTake) begin
        assert (u_rtm.running_some_q == was_answer_q[31]);
        assert (!was_answer_q[31] || u_rtm.running_q == was_answer_q[IndexWidth-1:0]);
      end else begin
        assert (u_rtm.running_some_q == was_running_some_q && u_rtm.running_q == was_running_q);
      end
    end
  end

  // Time: what was looked at is what is there, and an expiry is never early.
  always_comb begin
    if (started_q) begin
      if (visited) begin
        assert (u_rtm.gen_timers.u_timers.seen_time_q == wake[u_rtm.gen_timers.u_timers.seen_index_q]);
      end
      if (offered) begin
        assert (!age[u_rtm.gen_timers.u_timers.expire_index_q][31]);
      end
      if (slot == SlotExpire) begin
        assert (!age[u_rtm.index_q][31]);
      end
      // Visits go on: a command that reads a time holds them up for a cycle, an expiry for a command.
      assert (reads_q <= 4'd1);
      assert (!u_rtm.time_read || reads_q == '0);
    end
  end

  // NEXT, AFTER and the winner of a release are right of the records as they are.
  always_comb begin
    if (started_q) begin
      if (u_rtm.u_sweep.feeding_q && u_rtm.u_sweep.bank_q != '0) begin
        assert (!u_rtm.u_sweep.so_far_some_q || u_rtm.u_sweep.so_far_key_q == key[u_rtm.u_sweep.so_far_index_q]);
        assert (is_best(u_rtm.u_sweep.so_far_some_q, u_rtm.u_sweep.so_far_index_q, seen));
      end
      if (u_rtm.u_sweep.feeding_q) begin
        // This row, then all so far and this row.
        assert (u_rtm.u_sweep.candidate == row);
        assert (!u_rtm.u_sweep.out_some || u_rtm.u_sweep.out_key == key[u_rtm.u_sweep.out_index]);
        assert (is_best(u_rtm.u_sweep.out_some, u_rtm.u_sweep.out_index, among & ~seen & upto));
        assert (!u_rtm.u_sweep.best_some || u_rtm.u_sweep.best_key == key[u_rtm.u_sweep.best_index]);
        assert (is_best(u_rtm.u_sweep.best_some, u_rtm.u_sweep.best_index, among & upto));
      end
      // Without a change the best is that of the cycle before, or it has been found then.
      if (known_q && !was_changed_q) begin
        assert (is_ready == was_ready_q && key == was_key_q);
      end
      if (known_q && u_rtm.next_settled) begin
        assert (!was_changed_q);
        assert (was_settled_q ? u_rtm.next_some == was_next_some_q && u_rtm.next == was_next_q :
                                u_rtm.next_some == was_best_some_q && u_rtm.next == was_best_q);
        assert (was_settled_q || was_best_is_q);
      end
      assert (u_rtm.u_sweep.feeding_q == (mode != SweepIdle));
      if (mode == SweepNext) begin
        assert (!u_rtm.next_settled && !u_rtm.after_settled);
      end
      if (mode == SweepAfter) begin
        assert (u_rtm.next_settled && !u_rtm.after_settled);
      end
      if (mode == SweepIdle) begin
        assert (u_rtm.after_settled);
      end
      if (mode == SweepRelease) begin
        assert (slot == SlotCommand && releases && legal);
      end
      if (u_rtm.after_settled) begin
        assert (u_rtm.next_settled);
      end
      if (u_rtm.next_settled) begin
        assert (is_best(u_rtm.next_some, u_rtm.next, is_ready));
      end
      if (u_rtm.after_settled) begin
        assert (is_best(u_rtm.after_some, u_rtm.after, is_ready & ~(Records'(u_rtm.next_some) << u_rtm.next)));
      end
      if (slot == SlotClaim) begin
        assert (is_best(1'b1, u_rtm.index_q, matching));
      end
    end
  end

  // Answers, and the interrupt.
  always_comb begin
    if (started_q) begin
      if (done && legal && releases) begin
        assert (data[31] == (matching != '0));
        assert (!data[31] || (slot == SlotClaim && data == number(1'b1, u_rtm.index_q)));
      end else if (done && legal && of_unit && (word == GlobalNext || word == GlobalTake)) begin
        assert (is_best(data[31], data[IndexWidth-1:0], is_ready) && data == number(data[31], data[IndexWidth-1:0]));
      end else if (done && legal && of_unit && word == GlobalAfter) begin
        assert (is_best(data[31], data[IndexWidth-1:0], is_ready & ~(Records'(u_rtm.next_some) << u_rtm.next)));
        assert (data == number(data[31], data[IndexWidth-1:0]));
      end else if (done) begin
        assert (data == answer);
      end
      if (irq) begin
        assert (!is_best(u_rtm.running_some_q, u_rtm.running_q, is_ready));
      end else if (u_rtm.next_settled) begin
        assert (is_best(u_rtm.running_some_q, u_rtm.running_some_q ? u_rtm.running_q : '0, is_ready));
      end
    end
  end

  // Of two ready records of a level that is not edf the one that was ready first comes first.
  logic [Records-1:0] anew, queued, queued_q; // given a stamp in the last cycle, or since, and ready as it is
  logic [Records-1:0][Records-1:0] before_q;  // a has been queued for longer than b
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

  // How long.
  always_comb begin
    if (started_q) begin
      if (slot == SlotCommand && mode == SweepNext) begin
        assert (cycles_q <= 4'(u_rtm.u_sweep.bank_q));
      end
      if (slot == SlotCommand && mode == SweepAfter) begin
        assert (cycles_q <= 4'(Banks) + 4'(u_rtm.u_sweep.bank_q));
      end
      if (slot == SlotCommand && releases && mode != SweepRelease) begin
        assert (cycles_q == '0);
      end
      if (mode == SweepRelease) begin
        assert (cycles_q == 4'd1 + 4'(u_rtm.u_sweep.bank_q));
      end
      if (slot == SlotClaim) begin
        assert (cycles_q == 4'd1 + 4'(Banks));
      end
      if (busy_q) begin
        assert (cycles_q <= 4'(2 * Banks));
        assert (offered_q <= cycles_q + 4'd1);
      end else begin
        assert (offered_q == '0);
      end
    end
  end
endmodule

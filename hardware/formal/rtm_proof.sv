// SPDX-License-Identifier: Apache-2.0
// The whole unit, seen from its command port: what each command, expiry and release makes of the records, and that
// nothing else changes them; that answers and the interrupt are right of the records as they are; and how long anything
// takes. Of each cycle the records before it are kept, so that a step can be compared with what it should be.
//
// Asked of software (docs/hardware.md): a record has a key before it is valid, and an event before it waits; orders of a
// level lie within half of the range, and the next stamp with them; time goes on by at most one a cycle, and none that
// is being looked at is as old as the horizon. In classic mode software gives all orders, and the time is its ticks.
module rtm_proof #(
  parameter int unsigned  Records    = 4,
  parameter int unsigned  Banks      = 2,
  parameter int unsigned  LevelWidth = 1,
  parameter int unsigned  OrderWidth = 3,
  parameter int unsigned  EventWidth = 1,
  parameter int unsigned  Cuts       = 0,
  parameter bit           Classic    = 1'b0,
  localparam int unsigned Lanes      = Records / Banks,
  localparam int unsigned IndexWidth = $clog2(Records),
  localparam int unsigned LaneWidth  = $clog2(Lanes),
  localparam int unsigned BankWidth  = Banks > 1 ? $clog2(Banks) : 1,
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

  localparam int unsigned Half = 1 << (OrderWidth - 1);
  localparam logic [1:0] SlotFree = 2'd0; // slot_e in rtm.sv
  localparam logic [1:0] SlotCommand = 2'd1;
  localparam logic [1:0] SlotClaim = 2'd2;
  localparam logic [1:0] SlotExpire = 2'd3;

  logic [31:0] now_q, data;
  logic ready, done, error, irq;

  rtm #(
    .Records   (Records),
    .Banks     (Banks),
    .LevelWidth(LevelWidth),
    .OrderWidth(OrderWidth),
    .EventWidth(EventWidth),
    .Classic   (Classic),
    .Cuts      (Cuts)
  ) u_rtm (
    .clk_i,
    .rst_ni,
    .now_i   (now_q),
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
  logic [7:0] cycles_q; // since it was taken
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
  logic [Records-1:0][31:0]            wake;
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
    if (Banks > 1) begin : gen_rows
      assign row_key[r]   = u_rtm.u_records.gen_lane[r%Lanes].u_key.gen_memory.word_q[r/Lanes];
      assign row_event[r] = u_rtm.u_records.gen_lane[r%Lanes].u_event.gen_memory.word_q[r/Lanes];
    end else begin : gen_row
      assign row_key[r]   = u_rtm.u_records.gen_lane[r].u_key.gen_register.word_q;
      assign row_event[r] = u_rtm.u_records.gen_lane[r].u_event.gen_register.word_q;
    end
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
  logic [IndexWidth-1:0] was_index_q;
  logic [31:0] was_data_q, was_answer_q;
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
      now_q <= now_q + 32'd1;
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
      cycles_q <= cycles_q + 8'd1;
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
    was_status_q       <= status;
    was_key_q          <= key;
    was_event_q        <= event_id;
    was_wake_q         <= wake;
    was_stamp_q        <= u_rtm.u_records.stamp_q;
    was_running_some_q <= u_rtm.running_some_q;
    was_running_q      <= u_rtm.running_q;
  end

  `include "rtm_time.svh"
  `include "rtm_expected.svh"

  // What is asked for.
  logic [Records-1:0] fixed_ready;
  logic [Records-1:0][OrderWidth-1:0] base, distance, queued_for;
  for (genvar r = 0; r < Records; r++) begin : gen_distance
    assign base[r]        = base_i[key[r][OrderWidth+:LevelWidth]];
    assign distance[r]    = key[r][OrderWidth-1:0] - base[r];
    assign queued_for[r]  = u_rtm.u_records.stamp_q - base[r];
    assign fixed_ready[r] = is_ready[r] && !status[r][StatusEdf];
    always_comb begin
      assume (!status[r][StatusValid] || has_key_q[r]);
      assume (!is_waiting[r] || has_event_q[r]);
      if (is_ready[r] || is_waiting[r]) begin
        assume (distance[r] < OrderWidth'(Half));
      end
      if (!Classic && fixed_ready[r]) begin
        assume (queued_for[r] < OrderWidth'(Half));
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

  `define SWEEP u_rtm.u_sweep
  `include "sweep_so_far.svh"

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
      // A bad command is reported at once.
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
  for (genvar r = 0; r < Records; r++) begin : gen_state
    // In one state: not used, ready, waiting for a time or an event or both, or kept from running and nothing else.
    always_comb begin
      if (started_q) begin
        assert ($onehot({!status[r][StatusValid], u_rtm.ready[r], u_rtm.delayed[r] || u_rtm.waiting[r],
                         status[r][StatusSuspended:StatusValid] == 4'b1001}));
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

  // The running task: as TAKE returned it, or as software wrote it.
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

  // A release is of the records as they are from its first cycle to its last.
  always_comb begin
    if (started_q) begin
      assert (mode != SweepRelease || (slot == SlotCommand && releases && legal));
      assert (slot != SlotClaim || is_best(1'b1, u_rtm.index_q, matching));
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
        assert (is_best(data[31], data[IndexWidth-1:0], others));
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

  if (!Classic) begin : gen_order
    `include "rtm_order.svh"
  end

  // How long.
  always_comb begin
    if (started_q) begin
      assert (ready == !busy_q);
      if (slot == SlotCommand && mode == SweepNext) begin
        assert (cycles_q <= position_q);
      end
      if (slot == SlotCommand && mode == SweepAfter) begin
        assert (cycles_q <= 8'(Cycles) + position_q);
      end
      if (slot == SlotCommand && releases && mode != SweepRelease) begin
        assert (cycles_q == '0);
      end
      if (mode == SweepRelease) begin
        assert (cycles_q == 8'd1 + position_q);
      end
      if (slot == SlotClaim) begin
        assert (cycles_q == 8'd1 + 8'(Cycles));
      end
      assert (!busy_q || cycles_q <= 8'(2 * Cycles));
    end
    cover (started_q && done && of_unit && legal && cycles_q == 8'(2 * Cycles) && irq);
    cover (started_q && slot == SlotClaim && matching != '1 && $countones(matching) > 1);
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// The task manager. One command port: an access is taken when ready_o is on, kept in a register, and answered from the
// next cycle on. Between commands, and in the cycle in which one ends, expiries have their turn.
module rtm #(
  parameter int unsigned  Records    = 64,
  parameter int unsigned  Banks      = rtm_shape_pkg::usual_banks(Records),
  parameter int unsigned  LevelWidth = 8,
  parameter int unsigned  OrderWidth = 24,
  parameter int unsigned  EventWidth = 8,
  parameter int unsigned  Classic    = 0, // 1: seed 001's mode
  parameter int unsigned  Cuts       = 0, // registers in the tree (rtm_tree.sv)
  localparam int unsigned IndexWidth = $clog2(rtm_shape_pkg::records(Records)),
  localparam int unsigned Lanes      = rtm_shape_pkg::row(Records, Banks),
  localparam int unsigned KeyWidth   = rtm_shape_pkg::key_width(LevelWidth, OrderWidth)
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic [31:0]                      now_i,
  // Commands.
  input  logic                             valid_i,
  output logic                             ready_o,
  input  logic                             write_i,
  input  logic [rtm_pkg::AddressWidth-1:0] address_i,
  input  logic [31:0]                      data_i,
  output logic                             done_o, // for one cycle; with it:
  output logic [31:0]                      data_o,
  output logic                             error_o,
  // The processor runs another record than NEXT.
  output logic                             switch_o
);
  import rtm_pkg::*;

  if (rtm_shape_pkg::event_width(EventWidth) == 0 ||
      !rtm_shape_pkg::fits("Classic", Classic, 0, 1)) begin : gen_refused
    $fatal(1, "a parameter is out of its range");
  end

  localparam int unsigned BankWidth = Banks > 1 ? $clog2(Banks) : 1;

  // What this cycle is for. Command: the access in the registers below, as long as it takes; Claim: the end of a
  // release; Expire: of the record in index_q.
  typedef enum logic [1:0] {Free, Command, Claim, Expire} slot_e;
  slot_e slot_q, slot_d;

  logic                    write_q;
  logic [AddressWidth-1:0] address_q;
  logic [31:0]             data_q;
  logic [IndexWidth-1:0]   index_q, index_d;

  logic error, is_record, is_release;
  logic [2:0] word;
  logic [EventWidth-1:0] event_id;
  logic [IndexWidth-1:0] unused_index;

  rtm_decode #(
    .Records   (Records),
    .LevelWidth(LevelWidth),
    .OrderWidth(OrderWidth),
    .EventWidth(EventWidth),
    .Classic   (Classic)
  ) u_decode (
    .write_i  (write_q),
    .address_i(address_q),
    .data_i   (data_q),
    .error_o  (error),
    .record_o (is_record),
    .release_o(is_release),
    .word_o   (word),
    .index_o  (unused_index),
    .event_o  (event_id)
  );

  logic command, record_write, time_write, time_read, unit_access;
  assign command      = slot_q == Command && !error;
  assign unit_access  = command && !is_record && !is_release;
  assign record_write = command && is_record && write_q;
  assign time_write   = record_write && (word == RecordWake || word == RecordSleep);
  assign time_read    = command && is_record && !write_q && word == RecordWake;

  logic changed;
  logic [StatusWidth-1:0] status;
  logic [KeyWidth-1:0] key;
  logic [EventWidth-1:0] record_event;
  logic [Records-1:0] ready, waiting, delayed, expired;
  logic [BankWidth-1:0] bank;
  logic [Lanes-1:0][KeyWidth-1:0] row_key;
  logic [Lanes-1:0][EventWidth-1:0] row_event;
  logic [Lanes-1:0] row_match;

  rtm_records #(
    .Records   (Records),
    .Banks     (Banks),
    .LevelWidth(LevelWidth),
    .OrderWidth(OrderWidth),
    .EventWidth(EventWidth),
    .Classic   (Classic)
  ) u_records (
    .clk_i,
    .rst_ni,
    .index_i    (index_q),
    .write_i    (record_write),
    .word_i     (word),
    .data_i     (data_q),
    .expire_i   (slot_q == Expire),
    .claim_i    (slot_q == Claim),
    .expired_i  (expired),
    .changed_o  (changed),
    .status_o   (status),
    .key_o      (key),
    .event_o    (record_event),
    .ready_o    (ready),
    .waiting_o  (waiting),
    .delayed_o  (delayed),
    .bank_i     (bank),
    .row_key_o  (row_key),
    .row_event_o(row_event)
  );

  for (genvar l = 0; l < Lanes; l++) begin : gen_match
    assign row_match[l] = row_event[l] == event_id;
  end

  logic release_done, winner_some, next_settled, next_some, after_settled, after_some;
  logic [IndexWidth-1:0] winner, next, after;

  rtm_sweep #(
    .Records   (Records),
    .Banks     (Banks),
    .LevelWidth(LevelWidth),
    .OrderWidth(OrderWidth),
    .Cuts      (Cuts)
  ) u_sweep (
    .clk_i,
    .rst_ni,
    .changed_i      (changed),
    .ready_i        (ready),
    .waiting_i      (waiting),
    .bank_o         (bank),
    .key_i          (row_key),
    .event_i        (row_match),
    .release_i      (command && is_release),
    .done_o         (release_done),
    .winner_some_o  (winner_some),
    .winner_o       (winner),
    .next_settled_o (next_settled),
    .next_some_o    (next_some),
    .next_o         (next),
    .after_settled_o(after_settled),
    .after_some_o   (after_some),
    .after_o        (after)
  );

  // Time: visits to the wake times, or ticks.
  logic expire, expire_ready;
  logic [IndexWidth-1:0] expire_index;
  logic [31:0] record_time;

  if (Classic != 0) begin : gen_ticks
    assign expire       = 1'b0;
    assign expire_index = '0;
    rtm_ticks #(
      .Records   (Records),
      .DelayWidth(16)
    ) u_ticks (
      .clk_i,
      .rst_ni,
      .delayed_i(delayed),
      .index_i  (index_q),
      .write_i  (time_write),
      .tick_i   (unit_access && write_q && word == GlobalTick),
      .data_i   (data_q[15:0]),
      .data_o   (record_time[15:0]),
      .expired_o(expired)
    );
    assign record_time[31:16] = '0;
    logic unused;
    assign unused = ^{expire_ready, time_read};
  end else begin : gen_timers
    assign expired = '0;
    rtm_timers #(
      .Records  (Records),
      .TimeWidth(32)
    ) u_timers (
      .clk_i,
      .rst_ni,
      .now_i,
      .delayed_i     (delayed),
      .index_i       (index_q),
      .write_i       (time_write),
      .data_i        (data_q),
      .read_i        (time_read),
      .data_o        (record_time),
      .expire_o      (expire),
      .expire_index_o(expire_index),
      .expire_ready_i(expire_ready)
    );
  end

  // The running task.
  logic running_some_q, running_some_d;
  logic [IndexWidth-1:0] running_q, running_d;

  always_comb begin
    running_some_d = running_some_q;
    running_d      = running_q;
    if (unit_access && word == GlobalTake && next_settled) begin
      running_some_d = next_some;
      running_d      = next;
    end
    if (unit_access && word == GlobalRunning && write_q) begin
      running_some_d = data_q[31];
      running_d      = data_q[IndexWidth-1:0];
    end
  end

  assign switch_o = next_settled && (next_some != running_some_q || (next_some && next != running_q));

  // The answer.
  logic [31:0] record_data, unit_data;
  logic waits;

  function automatic logic [31:0] number(logic some, logic [IndexWidth-1:0] index);
    return some ? 32'h8000_0000 | 32'(index) : 32'h0;
  endfunction

  always_comb begin
    record_data = '0;
    unique case (word)
      RecordStatus: record_data = 32'(status);
      RecordKey:    record_data = 32'(key[OrderWidth+:LevelWidth]) << 24 | 32'(key[OrderWidth-1:0]);
      RecordEvent:  record_data = 32'(record_event);
      RecordWake:   record_data = record_time;
      default: ;
    endcase
  end

  always_comb begin
    unit_data = '0;
    unique case (word)
      GlobalNext, GlobalTake: unit_data = number(next_some, next);
      GlobalAfter:            unit_data = number(after_some, after);
      GlobalRunning:          unit_data = number(running_some_q, running_q);
      GlobalNow:              unit_data = now_i;
      GlobalInfo: begin
        unit_data[7:0]   = 8'(Records);
        unit_data[11:8]  = 4'(LevelWidth);
        unit_data[20:16] = 5'(OrderWidth);
        unit_data[27:24] = 4'(EventWidth);
        unit_data[31]    = Classic != 0;
      end
      default: ;
    endcase
  end

  always_comb begin
    waits = 1'b0;
    if (command && is_release) begin
      waits = !release_done || winner_some;
    end else if (unit_access && (word == GlobalNext || word == GlobalTake)) begin
      waits = !next_settled;
    end else if (unit_access && word == GlobalAfter) begin
      waits = !after_settled;
    end
  end

  assign done_o  = (slot_q == Command && !waits) || slot_q == Claim;
  assign error_o = slot_q == Command && error;

  always_comb begin
    data_o = '0;
    if (slot_q == Claim) begin
      data_o = number(1'b1, index_q);
    end else if (command && !write_q && !is_release) begin
      data_o = is_record ? record_data : unit_data;
    end
  end

  // The next cycle.
  assign ready_o      = slot_q == Free || slot_q == Expire;
  assign expire_ready = slot_d == Expire;

  always_comb begin
    slot_d  = Free;
    index_d = index_q;
    if (ready_o && valid_i) begin
      slot_d  = Command;
      index_d = address_i[RecordShift+:IndexWidth];
    end else if (slot_q == Command && waits) begin
      slot_d = release_done ? Claim : Command;
      if (release_done) begin
        index_d = winner;
      end
    end else if (expire) begin
      slot_d  = Expire;
      index_d = expire_index;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      slot_q         <= Free;
      write_q        <= 1'b0;
      address_q      <= '0;
      data_q         <= '0;
      index_q        <= '0;
      running_some_q <= 1'b0;
      running_q      <= '0;
    end else begin
      slot_q         <= slot_d;
      index_q        <= index_d;
      running_some_q <= running_some_d;
      running_q      <= running_d;
      if (ready_o && valid_i) begin
        write_q   <= write_i;
        address_q <= address_i;
        data_q    <= data_i;
      end
    end
  end
endmodule

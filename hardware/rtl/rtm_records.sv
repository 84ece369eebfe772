// SPDX-License-Identifier: Apache-2.0
// The records except their times. One is changed each cycle at most, by what is asked here; in classic mode besides
// that all whose delay is over. A task that becomes ready in a level that is not edf gets the next stamp as its order.
module rtm_records #(
  parameter int unsigned  Records    = 64,
  parameter int unsigned  Banks      = rtm_shape_pkg::usual_banks(Records),
  parameter int unsigned  LevelWidth = 8,
  parameter int unsigned  OrderWidth = 24,
  parameter int unsigned  EventWidth = 8,
  parameter int unsigned  Classic    = 0,
  localparam int unsigned IndexWidth = $clog2(rtm_shape_pkg::records(Records)),
  localparam int unsigned Lanes      = rtm_shape_pkg::row(Records, Banks),
  localparam int unsigned LaneWidth  = $clog2(Lanes),
  localparam int unsigned BankWidth  = Banks > 1 ? $clog2(Banks) : 1,
  localparam int unsigned KeyWidth   = rtm_shape_pkg::key_width(LevelWidth, OrderWidth)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  // What to do with the record index_i; one of them, or none.
  input  logic [IndexWidth-1:0]          index_i,
  input  logic                           write_i,   // a write of word_i
  input  logic [2:0]                     word_i,
  input  logic [31:0]                    data_i,
  input  logic                           expire_i,  // its time has come
  input  logic                           claim_i,   // its event is released
  input  logic [Records-1:0]             expired_i, // classic mode
  output logic                           changed_o, // of these records NEXT, AFTER or a winner may be others
  // That record as it is.
  output logic [rtm_pkg::StatusWidth-1:0] status_o,
  output logic [KeyWidth-1:0]            key_o,
  output logic [EventWidth-1:0]          event_o,
  // All of them.
  output logic [Records-1:0]             ready_o,
  output logic [Records-1:0]             waiting_o, // for an event
  output logic [Records-1:0]             delayed_o, // valid ones
  // A row of them.
  input  logic [BankWidth-1:0]           bank_i,
  output logic [Lanes-1:0][KeyWidth-1:0] row_key_o,
  output logic [Lanes-1:0][EventWidth-1:0] row_event_o
);
  import rtm_pkg::*;

  if (rtm_shape_pkg::event_width(EventWidth) == 0 ||
      !rtm_shape_pkg::fits("Classic", Classic, 0, 1)) begin : gen_refused
    $fatal(1, "a parameter is out of its range");
  end

  logic [Records-1:0] valid_q, delayed_q, event_q, suspended_q, timeout_q, edf_q;
  logic [StatusWidth-1:0] status_d;
  logic status_write;

  assign status_o[StatusValid]     = valid_q[index_i];
  assign status_o[StatusDelayed]   = delayed_q[index_i];
  assign status_o[StatusEvent]     = event_q[index_i];
  assign status_o[StatusSuspended] = suspended_q[index_i];
  assign status_o[StatusTimeout]   = timeout_q[index_i];
  assign status_o[StatusEdf]       = edf_q[index_i];

  function automatic logic is_ready(logic [StatusWidth-1:0] status);
    return status[StatusValid] && !status[StatusDelayed] && !status[StatusEvent] && !status[StatusSuspended];
  endfunction

  // What a write would make of it: whether there is one is known late.
  always_comb begin
    status_d = status_o;
    if (expire_i) begin
      // The wait may have ended since the time was looked at.
      if (status_o[StatusValid] && status_o[StatusDelayed]) begin
        status_d[StatusDelayed] = 1'b0;
        status_d[StatusEvent]   = 1'b0;
        status_d[StatusTimeout] = status_o[StatusTimeout] || status_o[StatusEvent];
      end
    end else if (claim_i) begin
      status_d[StatusDelayed] = 1'b0;
      status_d[StatusEvent]   = 1'b0;
      status_d[StatusTimeout] = 1'b0;
    end else begin
      unique case (word_i)
        RecordStatus: status_d = data_i[StatusWidth-1:0];
        RecordSet:    status_d = status_o | data_i[StatusWidth-1:0];
        RecordClear:  status_d = status_o & ~data_i[StatusWidth-1:0];
        RecordSleep: begin
          status_d[StatusDelayed] = 1'b1;
          status_d[StatusTimeout] = 1'b0;
        end
        RecordWait: begin
          status_d[StatusEvent]   = 1'b1;
          status_d[StatusTimeout] = 1'b0;
        end
        default: ;
      endcase
    end
  end

  assign status_write = expire_i || claim_i ||
                        (write_i && word_i inside {RecordStatus, RecordSet, RecordClear, RecordSleep, RecordWait});

  for (genvar r = 0; r < Records; r++) begin : gen_status
    logic write;
    assign write = status_write && index_i == IndexWidth'(r);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        valid_q[r]     <= 1'b0;
        delayed_q[r]   <= 1'b0;
        event_q[r]     <= 1'b0;
        suspended_q[r] <= 1'b0;
        timeout_q[r]   <= 1'b0;
        edf_q[r]       <= 1'b0;
      end else if (write) begin
        valid_q[r]     <= status_d[StatusValid];
        delayed_q[r]   <= status_d[StatusDelayed];
        event_q[r]     <= status_d[StatusEvent];
        suspended_q[r] <= status_d[StatusSuspended];
        timeout_q[r]   <= status_d[StatusTimeout];
        edf_q[r]       <= status_d[StatusEdf];
      end else if (expired_i[r]) begin
        delayed_q[r] <= 1'b0;
        event_q[r]   <= 1'b0;
        timeout_q[r] <= timeout_q[r] || event_q[r];
      end
    end
  end

  assign ready_o   = valid_q & ~delayed_q & ~event_q & ~suspended_q;
  assign waiting_o = valid_q & event_q;
  assign delayed_o = valid_q & delayed_q;

  // Keys: by record for what changes one, by row for the sweep.
  logic [OrderWidth-1:0] stamp_q;
  logic [KeyWidth-1:0] key_d;
  logic key_asked, key_given, key_write, stamped;

  assign key_asked = !expire_i && !claim_i && word_i == RecordKey;
  assign key_given = write_i && word_i == RecordKey;
  assign stamped   = Classic == 0 && !status_d[StatusEdf] &&
                     (key_given || (status_write && is_ready(status_d) && !is_ready(status_o)));
  assign key_write = key_given || stamped;
  assign key_d     = {
    key_asked ? data_i[24+:LevelWidth] : key_o[OrderWidth+:LevelWidth],
    key_asked && (Classic != 0 || status_o[StatusEdf]) ? data_i[OrderWidth-1:0] : stamp_q
  };
  assign changed_o = status_write || key_write || expired_i != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stamp_q <= '0;
    end else if (stamped) begin
      stamp_q <= stamp_q + OrderWidth'(1);
    end
  end

  logic event_write, unused;
  assign unused = ^data_i; // narrow fields
  assign event_write = write_i && (word_i == RecordEvent || word_i == RecordWait);

  rtm_ram #(
    .Words(Records),
    .Width(KeyWidth)
  ) u_key (
    .clk_i,
    .write_i     (key_write),
    .write_word_i(index_i),
    .data_i      (key_d),
    .read_word_i (index_i),
    .data_o      (key_o)
  );

  rtm_ram #(
    .Words(Records),
    .Width(EventWidth)
  ) u_event (
    .clk_i,
    .write_i     (event_write),
    .write_word_i(index_i),
    .data_i      (data_i[EventWidth-1:0]),
    .read_word_i (index_i),
    .data_o      (event_o)
  );

  logic [BankWidth-1:0] bank;
  if (Banks > 1) begin : gen_bank
    assign bank = index_i[LaneWidth+:BankWidth];
  end else begin : gen_no_bank
    assign bank = '0;
  end

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic here;
    assign here = index_i[LaneWidth-1:0] == LaneWidth'(l);
    rtm_ram #(
      .Words(Banks),
      .Width(KeyWidth)
    ) u_key (
      .clk_i,
      .write_i     (key_write && here),
      .write_word_i(bank),
      .data_i      (key_d),
      .read_word_i (bank_i),
      .data_o      (row_key_o[l])
    );
    rtm_ram #(
      .Words(Banks),
      .Width(EventWidth)
    ) u_event (
      .clk_i,
      .write_i     (event_write && here),
      .write_word_i(bank),
      .data_i      (data_i[EventWidth-1:0]),
      .read_word_i (bank_i),
      .data_o      (row_event_o[l])
    );
  end
endmodule

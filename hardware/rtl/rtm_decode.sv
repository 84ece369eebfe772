// SPDX-License-Identifier: Apache-2.0
// What an access to the unit asks for, and whether it may (docs/rtm-registers.md). With error_o on it asks for nothing.
module rtm_decode #(
  parameter int unsigned  Records    = 64,
  parameter int unsigned  LevelWidth = 8,
  parameter int unsigned  OrderWidth = 24,
  parameter int unsigned  EventWidth = 8,
  parameter int unsigned  Classic    = 0,
  localparam int unsigned IndexWidth = $clog2(rtm_shape_pkg::records(Records))
) (
  input  logic                             write_i,
  input  logic [rtm_pkg::AddressWidth-1:0] address_i,
  input  logic [31:0]                      data_i,
  output logic                             error_o,
  output logic                             record_o,   // a word of a record, else one of the unit, or a release
  output logic                             release_o,
  output logic [2:0]                       word_o,
  output logic [IndexWidth-1:0]            index_o,
  output logic [EventWidth-1:0]            event_o
);
  import rtm_pkg::*;

  if (rtm_shape_pkg::key_width(LevelWidth, OrderWidth) == 0 ||
      rtm_shape_pkg::event_width(EventWidth) == 0 ||
      !rtm_shape_pkg::fits("Classic", Classic, 0, 1)) begin : gen_refused
    $fatal(1, "a parameter is out of its range");
  end

  localparam logic [31:0] KeyMask = (32'((64'd1 << LevelWidth) - 1) << 24) | 32'((64'd1 << OrderWidth) - 1);
  localparam logic [31:0] EventMask = 32'((64'd1 << EventWidth) - 1);
  localparam logic [31:0] StatusMask = 32'((64'd1 << StatusWidth) - 1);
  localparam logic [31:0] TimeMask = Classic != 0 ? 32'h0000_ffff : 32'hffff_ffff;
  localparam logic [31:0] RunningMask = 32'h8000_00ff;

  logic [31:0] mask;
  logic        known;

  assign record_o  = address_i < GlobalsBase;
  assign release_o = address_i >= ReleaseBase;
  assign word_o    = address_i[4:2];
  assign index_o   = address_i[RecordShift+:IndexWidth];
  assign event_o   = address_i[2+:EventWidth];

  // Which bits a write may set; known: there is such a word, and it may be accessed so.
  always_comb begin
    mask  = '0;
    known = 1'b0;
    if (record_o) begin
      known = 32'(address_i[AddressWidth-1:RecordShift]) < Records;
      unique case (word_o)
        RecordStatus, RecordSet, RecordClear: mask = StatusMask;
        RecordKey:                            mask = KeyMask;
        RecordEvent, RecordWait:              mask = EventMask;
        RecordWake, RecordSleep:              mask = TimeMask;
        default: ;
      endcase
    end else if (release_o) begin
      known = !write_i && address_i[AddressWidth-1:10] == ReleaseBase[AddressWidth-1:10] &&
              (32'(address_i[9:2]) & ~EventMask) == '0;
    end else if (address_i[AddressWidth-1:5] == GlobalsBase[AddressWidth-1:5]) begin
      unique case (word_o)
        GlobalNext, GlobalAfter, GlobalTake, GlobalInfo: known = !write_i;
        GlobalNow:                                       known = !write_i && Classic == 0;
        GlobalTick:                                      known = Classic != 0;
        GlobalRunning:                                   known = !write_i || 32'(data_i[7:0]) < Records;
        default: ;
      endcase
      mask = word_o == GlobalRunning ? RunningMask : TimeMask;
    end
  end

  assign error_o = !known || address_i[1:0] != 2'b00 || (write_i && (data_i & ~mask) != '0);
endmodule

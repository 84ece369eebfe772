// SPDX-License-Identifier: Apache-2.0
// rtm_ibex.sv behind the names of the command port, so that one program drives both. An odd address represents an
// access to a part of the word there.
module rtm_at_ibex #(
  parameter int unsigned Records    = 64,
  parameter int unsigned Banks      = rtm_shape_pkg::usual_banks(Records),
  parameter int unsigned LevelWidth = 8,
  parameter int unsigned OrderWidth = 24,
  parameter int unsigned EventWidth = 8,
  parameter int unsigned Classic    = 0,
  parameter int unsigned Cuts       = 0,
  parameter int unsigned Delay      = 0
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [31:0] now_i,
  input  logic        valid_i,
  output logic        ready_o,
  input  logic        write_i,
  input  logic [rtm_pkg::AddressWidth-1:0] address_i,
  input  logic [31:0] data_i,
  output logic        done_o,
  output logic [31:0] data_o,
  output logic        error_o,
  output logic        switch_o
);
  rtm_ibex #(
    .Records   (Records),
    .Banks     (Banks),
    .LevelWidth(LevelWidth),
    .OrderWidth(OrderWidth),
    .EventWidth(EventWidth),
    .Classic   (Classic),
    .Cuts      (Cuts),
    .Delay     (Delay)
  ) u_wrapper (
    .clk_i,
    .rst_ni,
    .now_i,
    .req_i   (valid_i),
    .gnt_o   (ready_o),
    .we_i    (write_i),
    .be_i    (address_i[0] ? 4'b0010 : 4'b1111),
    .addr_i  ({address_i[rtm_pkg::AddressWidth-1:1], 1'b0}),
    .wdata_i (data_i),
    .rvalid_o(done_o),
    .rdata_o (data_o),
    .err_o   (error_o),
    .irq_o   (switch_o)
  );
endmodule

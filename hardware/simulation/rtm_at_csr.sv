// SPDX-License-Identifier: Apache-2.0
// rtm_csr.sv and the task manager behind it, with the names of the command port: address_i is the number of a CSR, and
// ready_o is on when an instruction ends.
module rtm_at_csr #(
  parameter int unsigned Records    = 64,
  parameter int unsigned Banks      = rtm_shape_pkg::usual_banks(Records),
  parameter int unsigned LevelWidth = 8,
  parameter int unsigned OrderWidth = 24,
  parameter int unsigned EventWidth = 8,
  parameter int unsigned Classic    = 0,
  parameter int unsigned Cuts       = 0
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
  logic valid, ready, write, done, error;
  logic [rtm_pkg::AddressWidth-1:0] address;
  logic [31:0] data, answer;

  assign ready_o = done_o;

  rtm_csr #(
    .Records   (Records),
    .EventWidth(EventWidth)
  ) u_csr (
    .clk_i,
    .rst_ni,
    .valid_i,
    .number_i (address_i[4:0]),
    .write_i,
    .data_i,
    .done_o,
    .data_o,
    .error_o,
    .valid_o  (valid),
    .ready_i  (ready),
    .write_o  (write),
    .address_o(address),
    .wdata_o  (data),
    .done_i   (done),
    .answer_i (answer),
    .error_i  (error)
  );

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
    .now_i,
    .valid_i  (valid),
    .ready_o  (ready),
    .write_i  (write),
    .address_i(address),
    .data_i   (data),
    .done_o   (done),
    .data_o   (answer),
    .error_o  (error),
    .switch_o
  );
endmodule

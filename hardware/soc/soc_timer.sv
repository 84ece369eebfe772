// SPDX-License-Identifier: Apache-2.0

// Machine time and the software interrupt, at the offsets of SiFive's CLINT. The time is in ns: each cycle adds its own
// length, so that an expiry of the kernel is a value of the comparator, without a multiplication or division.
module soc_timer #(
  parameter int unsigned NsPerCycle = 20
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        req_i,
  input  logic        we_i,
  input  logic [15:0] addr_i,
  input  logic [31:0] wdata_i,
  output logic [31:0] rdata_o,

  input  logic [63:0] skip_ns_i,  // what this cycle takes besides its own length
  output logic [63:0] time_ns_o,
  output logic [63:0] compare_ns_o,
  output logic        irq_software_o,
  output logic        irq_timer_o
);

  if (!rtm_shape_pkg::fits("NsPerCycle", NsPerCycle, 1, 1_000_000)) begin : gen_refused
    $fatal(1, "a parameter is out of its range");
  end

  localparam logic [15:0] Software    = 16'h0000;
  localparam logic [15:0] CompareLow  = 16'h4000;
  localparam logic [15:0] CompareHigh = 16'h4004;
  localparam logic [15:0] TimeLow     = 16'hBFF8;
  localparam logic [15:0] TimeHigh    = 16'hBFFC;

  logic [63:0] time_d, time_q, compare_d, compare_q;
  logic [31:0] rdata_d, rdata_q;
  logic software_d, software_q;

  always_comb begin
    time_d = time_q + 64'(NsPerCycle) + skip_ns_i;
    compare_d = compare_q;
    software_d = software_q;
    rdata_d = rdata_q;
    if (req_i && we_i) begin
      unique case (addr_i)
        Software: software_d = wdata_i[0];
        CompareLow: compare_d[31:0] = wdata_i;
        CompareHigh: compare_d[63:32] = wdata_i;
        TimeLow: time_d[31:0] = wdata_i;
        TimeHigh: time_d[63:32] = wdata_i;
        default: ;
      endcase
    end else if (req_i) begin
      unique case (addr_i)
        Software: rdata_d = {31'b0, software_q};
        CompareLow: rdata_d = compare_q[31:0];
        CompareHigh: rdata_d = compare_q[63:32];
        TimeLow: rdata_d = time_q[31:0];
        TimeHigh: rdata_d = time_q[63:32];
        default: rdata_d = '0;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      time_q <= '0;
      compare_q <= '1;
      software_q <= 1'b0;
      rdata_q <= '0;
    end else begin
      time_q <= time_d;
      compare_q <= compare_d;
      software_q <= software_d;
      rdata_q <= rdata_d;
    end
  end

  assign rdata_o = rdata_q;
  assign time_ns_o = time_q;
  assign compare_ns_o = compare_q;
  assign irq_software_o = software_q;
  assign irq_timer_o = time_q >= compare_q;

endmodule

// SPDX-License-Identifier: Apache-2.0

// Whose an address is. Every target takes a request at once and answers in the next cycle; nobody's is an error.
module soc_bus
  import soc_pkg::*;
(
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     req_i,
  input  logic [31:12]             addr_i,
  output logic                     rvalid_o,
  output logic [31:0]              rdata_o,
  output logic                     err_o,

  output target_e                  target_o,  // of the request in this cycle
  input  logic [31:0]              memory_rdata_i,
  input  logic [31:0]              timer_rdata_i,
  input  logic [31:0]              interrupts_rdata_i
);

  target_e target_q;
  logic rvalid_q;

  always_comb begin
    target_o = TargetNone;
    if (addr_i[31:23] == MemoryBase[31:23]) begin
      target_o = TargetMemory;
    end else if (addr_i[31:16] == TimerBase[31:16]) begin
      target_o = TargetTimer;
    end else if (addr_i[31:12] == InterruptsBase[31:12]) begin
      target_o = TargetInterrupts;
    end else if (addr_i[31:12] == HostBase[31:12]) begin
      target_o = TargetHost;
    end
    if (!req_i) begin
      target_o = TargetNone;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      target_q <= TargetNone;
      rvalid_q <= 1'b0;
    end else begin
      target_q <= target_o;
      rvalid_q <= req_i;
    end
  end

  always_comb begin
    rdata_o = '0;
    unique case (target_q)
      TargetMemory: rdata_o = memory_rdata_i;
      TargetTimer: rdata_o = timer_rdata_i;
      TargetInterrupts: rdata_o = interrupts_rdata_i;
      default: ;
    endcase
  end

  assign rvalid_o = rvalid_q;
  assign err_o = rvalid_q && target_q == TargetNone;

endmodule

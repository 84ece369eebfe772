// SPDX-License-Identifier: Apache-2.0

// Whose an address is. A target takes a request after its wait states, and every one but the task manager answers in the
// next cycle; nobody's is an error. The task manager takes and answers when it can, and until then nobody else is asked.
module soc_bus
  import soc_pkg::*;
(
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     req_i,
  output logic                     gnt_o,
  input  logic [31:12]             addr_i,
  output logic                     rvalid_o,
  output logic [31:0]              rdata_o,
  output logic                     err_o,

  output target_e                  target_o,  // of the request that is taken in this cycle, except the task manager's
  input  logic [15:0]              memory_cycles_i,  // what an access takes besides; constant
  input  logic [31:0]              memory_rdata_i,
  input  logic [31:0]              timer_rdata_i,
  input  logic [31:0]              interrupts_rdata_i,

  input  logic [15:0]              rtm_cycles_i,  // what an access takes besides
  output logic                     rtm_req_o,
  input  logic                     rtm_gnt_i,
  input  logic                     rtm_rvalid_i,
  input  logic [31:0]              rtm_rdata_i,
  input  logic                     rtm_err_i
);

  target_e asked, target_q, target_d;
  logic rvalid_q, busy, ready;
  logic [15:0] cycles;

  always_comb begin
    asked = TargetNone;
    if (addr_i[31:23] == MemoryBase[31:23]) begin
      asked = TargetMemory;
    end else if (addr_i[31:16] == TimerBase[31:16]) begin
      asked = TargetTimer;
    end else if (addr_i[31:12] == InterruptsBase[31:12]) begin
      asked = TargetInterrupts;
    end else if (addr_i[31:13] == RtmBase[31:13]) begin
      asked = TargetRtm;
    end else if (addr_i[31:12] == HostBase[31:12]) begin
      asked = TargetHost;
    end
  end

  // The task manager has an access that it has not answered.
  assign busy = target_q == TargetRtm && !rtm_rvalid_i;
  assign rtm_req_o = req_i && !busy && asked == TargetRtm && ready;
  assign gnt_o = req_i && !busy && ready && (asked != TargetRtm || rtm_gnt_i);
  assign target_o = gnt_o ? asked : TargetNone;
  assign target_d = busy ? TargetRtm : target_o;

  always_comb begin
    cycles = '0;
    unique case (asked)
      TargetMemory: cycles = memory_cycles_i;
      TargetRtm: cycles = rtm_cycles_i;
      default: ;
    endcase
  end

  soc_wait u_wait (
    .clk_i,
    .rst_ni,
    .req_i   (req_i && !busy),
    .gnt_i   (gnt_o),
    .cycles_i(cycles),
    .ready_o (ready)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      target_q <= TargetNone;
      rvalid_q <= 1'b0;
    end else begin
      target_q <= target_d;
      rvalid_q <= gnt_o && asked != TargetRtm;
    end
  end

  always_comb begin
    rdata_o = '0;
    unique case (target_q)
      TargetMemory: rdata_o = memory_rdata_i;
      TargetTimer: rdata_o = timer_rdata_i;
      TargetInterrupts: rdata_o = interrupts_rdata_i;
      TargetRtm: rdata_o = rtm_rdata_i;
      default: ;
    endcase
  end

  assign rvalid_o = rvalid_q || (target_q == TargetRtm && rtm_rvalid_i);
  assign err_o = target_q == TargetRtm ? rtm_rvalid_i && rtm_err_i : rvalid_q && target_q == TargetNone;

endmodule

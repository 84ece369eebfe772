// SPDX-License-Identifier: Apache-2.0

// What only a simulation has: the console, calls of the host (semihosting) and the end of the run. The host acts between
// two cycles, on the memory, so one store is a call and nothing can come in between.
module soc_host
  import soc_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        req_i,
  input  logic        we_i,
  input  logic [11:0] addr_i,
  input  logic [31:0] wdata_i,

  output host_event_e event_o,  // for one cycle
  output logic [31:0] data_o    // the character, the address of the call or the exit status
);

  localparam logic [11:0] Console = 12'h000;
  localparam logic [11:0] Call    = 12'h004;
  localparam logic [11:0] Exit    = 12'h008;

  host_event_e event_d, event_q;
  logic [31:0] data_q;

  always_comb begin
    event_d = HostNothing;
    if (req_i && we_i) begin
      unique case (addr_i)
        Console: event_d = HostConsole;
        Call: event_d = HostCall;
        Exit: event_d = HostExit;
        default: ;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      event_q <= HostNothing;
      data_q <= '0;
    end else begin
      event_q <= event_d;
      data_q <= wdata_i;
    end
  end

  assign event_o = event_q;
  assign data_o = data_q;

endmodule

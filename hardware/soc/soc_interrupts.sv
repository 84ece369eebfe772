// SPDX-License-Identifier: Apache-2.0

// The interrupt controller, and the devices that raise its lines: sources, each of which raises one line at a time
// and, if it has a period, again after each. A line remembers that it was raised, once, until it is claimed. The
// lowest number goes first, and the processor sees one interrupt as long as a line is raised that is enabled.
module soc_interrupts #(
  parameter int unsigned Sources = 8
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     req_i,
  input  logic                     we_i,
  input  logic [11:0]              addr_i,
  input  logic [31:0]              wdata_i,
  output logic [31:0]              rdata_o,

  input  logic [63:0]              time_ns_i,
  output logic [Sources-1:0][63:0] next_ns_o,  // the next time of each source; all ones: never
  output logic                     irq_o
);

  // Each has 16 bytes, in 256.
  if (!rtm_shape_pkg::fits("Sources", Sources, 2, 16)) begin : gen_refused
    $fatal(1, "a parameter is out of its range");
  end

  localparam logic [11:0] Pending = 12'h000;  // which lines are raised; writing ones raises them
  localparam logic [11:0] Enable  = 12'h004;
  localparam logic [11:0] Claim   = 12'h008;  // the lowest line that is raised and enabled, or 32
  // From here on 16 bytes for each source: period in ns (low, high), then its next time. Writing the upper half of
  // the time, which comes last, starts the source; its line is in the register after all of them.
  localparam logic [11:0] Source  = 12'h100;
  localparam logic [11:0] Line    = 12'h200;  // 4 bytes for each source

  localparam int unsigned IndexWidth = $clog2(Sources);

  logic [31:0] pending_d, pending_q, enable_d, enable_q, rdata_d, rdata_q, open;
  logic [Sources-1:0][63:0] next_d, next_q, period_d, period_q;
  logic [Sources-1:0][4:0] line_d, line_q;
  logic [Sources-1:0] due;
  logic [5:0] first;

  assign open = pending_q & enable_q;
  assign irq_o = |open;

  always_comb begin
    first = 6'd32;
    for (int i = 31; i >= 0; i--) begin
      if (open[i]) begin
        first = 6'(unsigned'(i));
      end
    end
  end

  always_comb begin
    for (int i = 0; i < Sources; i++) begin
      due[i] = time_ns_i >= next_q[i] && next_q[i] != '1;
    end
  end

  always_comb begin
    pending_d = pending_q;
    enable_d = enable_q;
    next_d = next_q;
    period_d = period_q;
    line_d = line_q;
    rdata_d = rdata_q;
    if (req_i && we_i) begin
      if (addr_i == Pending) begin
        pending_d = pending_q | wdata_i;
      end else if (addr_i == Enable) begin
        enable_d = wdata_i;
      end else if (addr_i[11:8] == Source[11:8]) begin
        unique case (addr_i[3:2])
          2'd0: period_d[addr_i[4+:IndexWidth]][31:0] = wdata_i;
          2'd1: period_d[addr_i[4+:IndexWidth]][63:32] = wdata_i;
          2'd2: next_d[addr_i[4+:IndexWidth]][31:0] = wdata_i;
          2'd3: next_d[addr_i[4+:IndexWidth]][63:32] = wdata_i;
          default: ;
        endcase
      end else if (addr_i[11:8] == Line[11:8]) begin
        line_d[addr_i[2+:IndexWidth]] = wdata_i[4:0];
      end
    end else if (req_i) begin
      unique case (addr_i)
        Pending: rdata_d = pending_q;
        Enable: rdata_d = enable_q;
        Claim: begin
          rdata_d = {26'b0, first};
          pending_d[first[4:0]] = pending_q[first[4:0]] && first[5];
        end
        default: rdata_d = '0;
      endcase
    end
    // What a source raises in the cycle of a claim is not lost.
    if (|due) begin
      for (int i = 0; i < Sources; i++) begin
        if (due[i]) begin
          pending_d[line_q[i]] = 1'b1;
          next_d[i] = period_q[i] == '0 ? '1 : next_q[i] + period_q[i];
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q <= '0;
      enable_q <= '0;
      next_q <= '1;
      period_q <= '0;
      line_q <= '0;
      rdata_q <= '0;
    end else begin
      pending_q <= pending_d;
      enable_q <= enable_d;
      next_q <= next_d;
      period_q <= period_d;
      line_q <= line_d;
      rdata_q <= rdata_d;
    end
  end

  assign rdata_o = rdata_q;
  assign next_ns_o = next_q;

endmodule

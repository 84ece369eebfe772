// SPDX-License-Identifier: Apache-2.0
// Time as seed 001 has it (3.2, figure 3.4): software says how many ticks have passed, and the delays of all delayed
// records shrink by as many at once, down to 0. A delayed record whose delay is 0 has waited long enough.
module rtm_ticks #(
  parameter int unsigned  Records    = 64,
  parameter int unsigned  DelayWidth = 16,
  localparam int unsigned IndexWidth = $clog2(rtm_shape_pkg::records(Records))
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [Records-1:0]    delayed_i,
  input  logic [IndexWidth-1:0] index_i,
  input  logic                  write_i,
  input  logic                  tick_i,
  input  logic [DelayWidth-1:0] data_i,  // a delay, or how many ticks
  output logic [DelayWidth-1:0] data_o,
  output logic [Records-1:0]    expired_o
);
  if (!rtm_shape_pkg::fits("DelayWidth", DelayWidth, 1, 16)) begin : gen_refused
    $fatal(1, "a parameter is out of its range");
  end

  logic [Records-1:0][DelayWidth-1:0] delay_q;

  for (genvar r = 0; r < Records; r++) begin : gen_record
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        delay_q[r] <= '0;
      end else if (write_i && index_i == IndexWidth'(r)) begin
        delay_q[r] <= data_i;
      end else if (tick_i && delayed_i[r]) begin
        delay_q[r] <= delay_q[r] > data_i ? delay_q[r] - data_i : '0;
      end
    end
    assign expired_o[r] = delayed_i[r] && delay_q[r] == '0;
  end

  assign data_o = delay_q[index_i];
endmodule

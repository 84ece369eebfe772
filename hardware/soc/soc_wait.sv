// SPDX-License-Identifier: Apache-2.0

// Wait states of a port: a request that stays is ready after so many cycles, until it is granted.
module soc_wait (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        req_i,
  input  logic        gnt_i,     // of a request that is ready
  input  logic [15:0] cycles_i,  // stays as it is while a request waits
  output logic        ready_o
);

  logic [15:0] count_q, count_d;

  assign ready_o = count_q == cycles_i;

  always_comb begin
    count_d = '0;
    if (req_i && !gnt_i) begin
      count_d = ready_o ? count_q : count_q + 16'd1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
    end else begin
      count_q <= count_d;
    end
  end

endmodule

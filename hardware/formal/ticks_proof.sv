// SPDX-License-Identifier: Apache-2.0
// Classic mode's time. A tick makes the delays of all delayed records shorter by as many, down to 0, and nothing else
// changes one but a write, which wins. So of a delay is left what was written less the ticks since then, while the record
// was delayed; when nothing is left it expires: not a tick early or late.
module ticks_proof #(
  parameter int unsigned  Records    = 4,
  parameter int unsigned  DelayWidth = 4,
  localparam int unsigned IndexWidth = $clog2(Records)
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic [Records-1:0]    delayed_i,
  input logic [IndexWidth-1:0] index_i,
  input logic                  write_i,
  input logic                  tick_i,
  input logic [DelayWidth-1:0] data_i
);
  logic [DelayWidth-1:0] data;
  logic [Records-1:0] expired;

  rtm_ticks #(
    .Records   (Records),
    .DelayWidth(DelayWidth)
  ) u_ticks (
    .clk_i,
    .rst_ni,
    .delayed_i,
    .index_i,
    .write_i,
    .tick_i,
    .data_i,
    .data_o   (data),
    .expired_o(expired)
  );

  logic started_q = 1'b0;
  logic known_q = 1'b0; // the registers below are of a cycle after the reset
  logic was_write_q, was_tick_q;
  logic [Records-1:0] was_delayed_q;
  logic [IndexWidth-1:0] was_index_q;
  logic [DelayWidth-1:0] was_data_q;
  logic [Records-1:0][DelayWidth-1:0] was_delay_q;
  logic [Records-1:0][DelayWidth-1:0] written_q;
  logic [Records-1:0][DelayWidth:0]   passed_q, passed; // ticks since; that many or more, if the first bit is on

  always_comb begin
    assume (rst_ni == started_q);
  end
  always_ff @(posedge clk_i) begin
    started_q     <= 1'b1;
    known_q       <= rst_ni;
    was_write_q   <= write_i;
    was_tick_q    <= tick_i;
    was_delayed_q <= delayed_i;
    was_index_q   <= index_i;
    was_data_q    <= data_i;
    was_delay_q   <= u_ticks.delay_q;
  end

  for (genvar r = 0; r < Records; r++) begin : gen_record
    logic [DelayWidth-1:0] delay, want;
    logic [DelayWidth:0] sum;
    assign delay     = u_ticks.delay_q[r];
    assign sum       = {1'b0, passed_q[r][DelayWidth-1:0]} + {1'b0, data_i};
    assign passed[r] = tick_i && delayed_i[r] ? {passed_q[r][DelayWidth] || sum[DelayWidth], sum[DelayWidth-1:0]} :
                                                passed_q[r];
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        written_q[r] <= '0;
        passed_q[r]  <= '0;
      end else if (write_i && index_i == IndexWidth'(r)) begin
        written_q[r] <= data_i;
        passed_q[r]  <= '0;
      end else begin
        passed_q[r] <= passed[r];
      end
    end

    always_comb begin
      want = was_delay_q[r];
      if (was_write_q && was_index_q == IndexWidth'(r)) begin
        want = was_data_q;
      end else if (was_tick_q && was_delayed_q[r]) begin
        want = was_delay_q[r] > was_data_q ? was_delay_q[r] - was_data_q : '0;
      end
      assert (!known_q || delay == want);
      if (started_q) begin
        assert (delay == ({1'b0, written_q[r]} > passed_q[r] ? written_q[r] - passed_q[r][DelayWidth-1:0] : '0));
        assert (expired[r] == (delayed_i[r] && passed_q[r] >= {1'b0, written_q[r]}));
        assert (index_i != IndexWidth'(r) || data == delay);
      end
      // Overtaken by more ticks than were left; and a write in the same cycle as a tick.
      cover (started_q && expired[r] && passed_q[r] > {1'b0, written_q[r]} && written_q[r] != '0);
      cover (started_q && was_write_q && was_tick_q && was_index_q == IndexWidth'(r) && was_delayed_q[r] && delay > '0);
    end
  end
  always_comb begin
    cover (known_q && was_tick_q && !was_write_q && $countones(expired) == 2);
  end
endmodule

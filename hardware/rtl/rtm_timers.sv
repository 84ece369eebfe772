// SPDX-License-Identifier: Apache-2.0
// Wake times of all records, absolute, compared with wrap: a time counts as come for half of the range. One comparator
// visits a record each cycle, so an expiry is never early, and late by a round of visits at most, and by the cycles in
// which expire_ready_i is off. There is no tick.
module rtm_timers #(
  parameter int unsigned  Records    = 64,
  parameter int unsigned  TimeWidth  = 32,
  localparam int unsigned IndexWidth = $clog2(rtm_shape_pkg::records(Records))
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [TimeWidth-1:0]  now_i,
  input  logic [Records-1:0]    delayed_i,
  // Of a command: the record's time is written, or read in the same cycle, in which no visit takes place.
  input  logic [IndexWidth-1:0] index_i,
  input  logic                  write_i,
  input  logic [TimeWidth-1:0]  data_i,
  input  logic                  read_i,
  output logic [TimeWidth-1:0]  data_o,
  // The time of this record has come, unless it was written since.
  output logic                  expire_o,
  output logic [IndexWidth-1:0] expire_index_o,
  input  logic                  expire_ready_i
);
  // Within half of the range there is time for two rounds.
  if (!rtm_shape_pkg::fits("TimeWidth", TimeWidth, IndexWidth + 2, 32)) begin : gen_refused
    $fatal(1, "a parameter is out of its range");
  end

  // A visit: the time is read (visit_q), compared (seen_q), and offered (expire_q).
  logic [IndexWidth-1:0] visit_q, seen_index_q, expire_index_q;
  logic [TimeWidth-1:0]  seen_time_q, age;
  logic                  seen_q, expire_q, stall, due;

  rtm_ram #(
    .Words(Records),
    .Width(TimeWidth)
  ) u_times (
    .clk_i,
    .write_i,
    .write_word_i(index_i),
    .data_i,
    .read_word_i (read_i ? index_i : visit_q),
    .data_o
  );

  assign age   = now_i - seen_time_q;
  assign due   = seen_q && delayed_i[seen_index_q] && !age[TimeWidth-1];
  assign stall = expire_q && !expire_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      visit_q        <= '0;
      seen_q         <= 1'b0;
      seen_index_q   <= '0;
      expire_q       <= 1'b0;
      expire_index_q <= '0;
    end else begin
      if (!stall) begin
        if (!read_i) begin
          visit_q <= visit_q + IndexWidth'(1);
        end
        seen_q         <= !read_i && !(write_i && index_i == visit_q);
        seen_index_q   <= visit_q;
        expire_q       <= due && !(write_i && index_i == seen_index_q);
        expire_index_q <= seen_index_q;
      end else if (write_i) begin
        seen_q   <= seen_q && index_i != seen_index_q;
        expire_q <= index_i != expire_index_q;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (!stall) begin
      seen_time_q <= data_o;
    end
  end

  assign expire_o       = expire_q && !(write_i && index_i == expire_index_q);
  assign expire_index_o = expire_index_q;
endmodule

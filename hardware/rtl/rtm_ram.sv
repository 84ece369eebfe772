// SPDX-License-Identifier: Apache-2.0
// Words with one write port and one read port that answers in the same cycle: what FPGAs build from lookup tables. A
// read sees what was written in earlier cycles.
module rtm_ram #(
  parameter int unsigned  Words     = 16,
  parameter int unsigned  Width     = 32,
  localparam int unsigned WordWidth = Words > 1 ? $clog2(Words) : 1
) (
  input  logic                 clk_i,
  input  logic                 write_i,
  input  logic [WordWidth-1:0] write_word_i,
  input  logic [Width-1:0]     data_i,
  input  logic [WordWidth-1:0] read_word_i,
  output logic [Width-1:0]     data_o
);
  if (!rtm_shape_pkg::fits("Words", Words, 1, rtm_pkg::RecordsMax) ||
      !rtm_shape_pkg::fits("Width", Width, 1, 32)) begin : gen_refused
    $fatal(1, "a parameter is out of its range");
  end

  if (Words == 1) begin : gen_register
    logic [Width-1:0] word_q;
    always_ff @(posedge clk_i) begin
      if (write_i) begin
        word_q <= data_i;
      end
    end
    assign data_o = word_q;
    logic unused;
    assign unused = ^{write_word_i, read_word_i};
  end else begin : gen_memory
    logic [Width-1:0] word_q[Words];
    always_ff @(posedge clk_i) begin
      if (write_i) begin
        word_q[write_word_i] <= data_i;
      end
    end
    assign data_o = word_q[read_word_i];
  end
endmodule

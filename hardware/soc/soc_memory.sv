// SPDX-License-Identifier: Apache-2.0

// One memory with a port for instructions and one for data, each of which answers in the next cycle.
module soc_memory #(
  parameter int unsigned Bytes = 32'h0080_0000,
  localparam int unsigned Words = soc_pkg::memory_words(Bytes),
  localparam int unsigned AddressWidth = $clog2(Words)
) (
  input  logic                    clk_i,

  input  logic                    instr_req_i,
  input  logic [AddressWidth-1:0] instr_word_i,
  output logic [31:0]             instr_rdata_o,

  input  logic                    data_req_i,
  input  logic                    data_we_i,
  input  logic [3:0]              data_be_i,
  input  logic [AddressWidth-1:0] data_word_i,
  input  logic [31:0]             data_wdata_i,
  output logic [31:0]             data_rdata_o
);

  // The simulation loads the program here, and the host's calls read and write here.
  logic [31:0] words [Words] /*verilator public_flat_rw*/;

  always_ff @(posedge clk_i) begin
    if (instr_req_i) begin
      instr_rdata_o <= words[instr_word_i];
    end
  end

  always_ff @(posedge clk_i) begin
    if (data_req_i) begin
      if (data_we_i) begin
        for (int i = 0; i < 4; i++) begin
          if (data_be_i[i]) begin
            words[data_word_i][8*i+:8] <= data_wdata_i[8*i+:8];
          end
        end
      end else begin
        data_rdata_o <= words[data_word_i];
      end
    end
  end

endmodule

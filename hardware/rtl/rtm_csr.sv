// SPDX-License-Identifier: Apache-2.0
// A window of 32 CSRs onto the command port, for cores that let one add some (Ibex as it is does not):
//   0 to 7    the words of the unit (NEXT ...)
//   8 to 15   the words of the record that SELECT names
//   16        SELECT
//   17        RELEASE: an instruction that writes an event here reads which record is claimed
// An instruction that writes does not read except RELEASE: it gets 0. The core waits for done_o.
module rtm_csr #(
  parameter int unsigned  Records    = 64,
  parameter int unsigned  EventWidth = 8,
  localparam int unsigned IndexWidth = $clog2(rtm_shape_pkg::records(Records))
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // An instruction, held until done_o.
  input  logic        valid_i,
  input  logic [4:0]  number_i,
  input  logic        write_i,
  input  logic [31:0] data_i,
  output logic        done_o,
  output logic [31:0] data_o,
  output logic        error_o,
  // The command port of the task manager.
  output logic        valid_o,
  input  logic        ready_i,
  output logic        write_o,
  output logic [rtm_pkg::AddressWidth-1:0] address_o,
  output logic [31:0] wdata_o,
  input  logic        done_i,
  input  logic [31:0] answer_i,
  input  logic        error_i
);
  import rtm_pkg::*;

  if (rtm_shape_pkg::event_width(EventWidth) == 0) begin : gen_refused
    $fatal(1, "a parameter is out of its range");
  end

  localparam logic [4:0] Select = 5'd16;
  localparam logic [4:0] Release = 5'd17;

  logic [IndexWidth-1:0] select_q;
  logic asked_q, local_access, refused, fits;

  // RELEASE is a read of the unit, of an address that holds the event.
  assign fits         = data_i < 32'd1 << EventWidth;
  assign refused      = number_i > Release || (number_i == Release && !(write_i && fits)) ||
                        (number_i == Select && write_i && data_i >= Records);
  assign local_access = refused || number_i == Select;

  always_comb begin
    address_o = GlobalsBase | AddressWidth'({number_i[2:0], 2'b00});
    if (number_i == Release) begin
      address_o = ReleaseBase | AddressWidth'({data_i[EventWidth-1:0], 2'b00});
    end else if (number_i[3]) begin
      address_o = AddressWidth'({select_q, number_i[2:0], 2'b00});
    end
  end

  assign valid_o   = valid_i && !local_access && !asked_q;
  assign write_o   = write_i && number_i != Release;
  assign wdata_o = data_i;
  assign done_o    = local_access ? valid_i : done_i;
  assign error_o   = local_access ? valid_i && refused : error_i;

  always_comb begin
    data_o = answer_i;
    if (local_access) begin
      data_o = refused || write_i ? '0 : 32'(select_q);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      select_q <= '0;
      asked_q  <= 1'b0;
    end else begin
      if (valid_i && write_i && number_i == Select && !refused) begin
        select_q <= data_i[IndexWidth-1:0];
      end
      asked_q <= (asked_q || (valid_o && ready_i)) && !done_i;
    end
  end
endmodule

// SPDX-License-Identifier: Apache-2.0
// The task manager at Ibex's data bus. An answer comes in the cycle after the grant when nothing needs to settle. Delay
// adds cycles in front of each access and as many behind it, as a bus to another chip would.
module rtm_ibex #(
  parameter int unsigned Records    = 64,
  parameter int unsigned Banks      = rtm_shape_pkg::usual_banks(Records),
  parameter int unsigned LevelWidth = 8,
  parameter int unsigned OrderWidth = 24,
  parameter int unsigned EventWidth = 8,
  parameter int unsigned Classic    = 0,
  parameter int unsigned Cuts       = 0,
  parameter int unsigned Delay      = 0
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [31:0] now_i,
  input  logic        req_i,
  output logic        gnt_o,
  input  logic        we_i,
  input  logic [3:0]  be_i,
  input  logic [rtm_pkg::AddressWidth-1:0] addr_i,
  input  logic [31:0] wdata_i,
  output logic        rvalid_o,
  output logic [31:0] rdata_o,
  output logic        err_o,
  output logic        irq_o
);
  if (!rtm_shape_pkg::fits("Delay", Delay, 0, 65535)) begin : gen_refused
    $fatal(1, "a parameter is out of its range");
  end

  logic ready, valid, write, done, error;
  logic [rtm_pkg::AddressWidth-1:0] address, asked_address;
  logic [31:0] data, answer;

  // Parts of words are refused: a byte that is written would be a word to the unit.
  assign asked_address = be_i == 4'b1111 ? addr_i : addr_i | rtm_pkg::AddressWidth'(1);

  rtm #(
    .Records   (Records),
    .Banks     (Banks),
    .LevelWidth(LevelWidth),
    .OrderWidth(OrderWidth),
    .EventWidth(EventWidth),
    .Classic   (Classic),
    .Cuts      (Cuts)
  ) u_rtm (
    .clk_i,
    .rst_ni,
    .now_i,
    .valid_i  (valid),
    .ready_o  (ready),
    .write_i  (write),
    .address_i(address),
    .data_i   (data),
    .done_o   (done),
    .data_o   (answer),
    .error_o  (error),
    .switch_o (irq_o)
  );

  if (Delay == 0) begin : gen_near
    assign valid    = req_i;
    assign gnt_o    = req_i && ready;
    assign write    = we_i;
    assign address  = asked_address;
    assign data     = wdata_i;
    assign rvalid_o = done;
    assign rdata_o  = answer;
    assign err_o    = error;
  end else begin : gen_far
    // One access at a time: on its way there, at the unit, on its way back.
    typedef enum logic [1:0] {Idle, There, Unit, Back} state_e;
    localparam int unsigned CountWidth = $clog2(Delay + 1);
    state_e state_q, state_d;
    logic [CountWidth-1:0] count_q, count_d;
    logic write_q, error_q;
    logic [rtm_pkg::AddressWidth-1:0] address_q;
    logic [31:0] data_q;
    logic arrived;

    assign arrived = count_q == CountWidth'(Delay - 1);

    always_comb begin
      state_d = state_q;
      count_d = count_q + CountWidth'(1);
      unique case (state_q)
        Idle: begin
          count_d = '0;
          state_d = req_i ? There : Idle;
        end
        There: begin
          if (arrived && ready) begin
            state_d = Unit;
            count_d = '0;
          end else if (arrived) begin
            count_d = count_q;
          end
        end
        Unit: begin
          count_d = '0;
          state_d = done ? Back : Unit;
        end
        Back: state_d = arrived ? Idle : Back;
        default: ;
      endcase
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        state_q   <= Idle;
        count_q   <= '0;
        write_q   <= 1'b0;
        error_q   <= 1'b0;
        address_q <= '0;
        data_q    <= '0;
      end else begin
        state_q <= state_d;
        count_q <= count_d;
        if (gnt_o) begin
          write_q   <= we_i;
          address_q <= asked_address;
          data_q    <= wdata_i;
        end
        if (done) begin
          data_q  <= answer;
          error_q <= error;
        end
      end
    end

    assign gnt_o    = req_i && state_q == Idle;
    assign valid    = state_q == There && arrived;
    assign write    = write_q;
    assign address  = address_q;
    assign data     = data_q;
    assign rvalid_o = state_q == Back && arrived;
    assign rdata_o  = data_q;
    assign err_o    = error_q && rvalid_o;
  end
endmodule

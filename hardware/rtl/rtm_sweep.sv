// SPDX-License-Identifier: Apache-2.0
// Finds NEXT, then the one after it, and on request the best record that waits for an event: all with one tree, which
// is given the records row by row. A change begins anew; what is settled is true of the records as they are now.
module rtm_sweep #(
  parameter int unsigned           Records    = 64,
  parameter int unsigned           Banks      = rtm_shape_pkg::usual_banks(Records),
  parameter int unsigned           LevelWidth = 8,
  parameter int unsigned           OrderWidth = 24,
  parameter int unsigned           Cuts       = 0,
  localparam int unsigned          IndexWidth = $clog2(rtm_shape_pkg::records(Records)),
  localparam int unsigned          Lanes      = rtm_shape_pkg::row(Records, Banks),
  localparam int unsigned          LaneWidth  = $clog2(Lanes),
  localparam int unsigned          BankWidth  = Banks > 1 ? $clog2(Banks) : 1,
  localparam int unsigned          KeyWidth   = rtm_shape_pkg::key_width(LevelWidth, OrderWidth)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  // The records. changed_i: they are others in the next cycle.
  input  logic                           changed_i,
  input  logic [Records-1:0]             ready_i,
  input  logic [Records-1:0]             waiting_i,
  // The row that is looked at: the keys of its records, and which have the event that is released.
  output logic [BankWidth-1:0]           bank_o,
  input  logic [Lanes-1:0][KeyWidth-1:0] key_i,
  input  logic [Lanes-1:0]               event_i,
  // Held until done_o, which is on for one cycle.
  input  logic                           release_i,
  output logic                           done_o,
  output logic                           winner_some_o,
  output logic [IndexWidth-1:0]          winner_o,

  output logic                           next_settled_o,
  output logic                           next_some_o,
  output logic [IndexWidth-1:0]          next_o,
  output logic                           after_settled_o,
  output logic                           after_some_o,
  output logic [IndexWidth-1:0]          after_o
);
  typedef enum logic [1:0] {Idle, Next, After, Release} mode_e;

  typedef struct packed {
    logic                 last;
    logic [BankWidth-1:0] bank;
  } tag_t;

  mode_e mode_q, mode_d;
  logic  feeding_q, feeding_d;
  logic [BankWidth-1:0] bank_q, bank_d;
  logic next_settled_q, next_settled_d, next_some_q, next_some_d;
  logic after_settled_q, after_settled_d, after_some_q, after_some_d;
  logic [IndexWidth-1:0] next_q, next_d, after_q, after_d;

  // What of the row counts.
  logic [Lanes-1:0] row_ready, row_waiting, row_next, candidate;
  if (Banks > 1) begin : gen_rows
    assign row_ready   = ready_i[bank_q*Lanes+:Lanes];
    assign row_waiting = waiting_i[bank_q*Lanes+:Lanes];
    assign row_next    = next_some_q && bank_q == next_q[LaneWidth+:BankWidth] ? Lanes'(1) << next_q[LaneWidth-1:0] : '0;
  end else begin : gen_row
    assign row_ready   = ready_i;
    assign row_waiting = waiting_i;
    assign row_next    = next_some_q ? Lanes'(1) << next_q : '0;
  end

  always_comb begin
    candidate = row_ready;
    unique case (mode_q)
      After:   candidate = row_ready & ~row_next;
      Release: candidate = row_waiting & event_i;
      default: ;
    endcase
  end

  // The best of the row, some cycles later; then the best of the rows so far.
  logic flush, out_row, out_some, best_some, so_far_some_q;
  tag_t in_tag, out_tag;
  logic [KeyWidth-1:0] out_key, best_key, so_far_key_q;
  logic [LaneWidth-1:0] out_lane;
  logic [IndexWidth-1:0] out_index, best_index, so_far_index_q;

  assign in_tag = '{last: bank_q == BankWidth'(Banks - 1), bank: bank_q};

  rtm_tree #(
    .Lanes     (Lanes),
    .LevelWidth(LevelWidth),
    .OrderWidth(OrderWidth),
    .TagWidth  ($bits(tag_t)),
    .Cuts      (Cuts)
  ) u_tree (
    .clk_i,
    .rst_ni,
    .flush_i(flush),
    .row_i  (feeding_q),
    .tag_i  (in_tag),
    .some_i (candidate),
    .key_i,
    .row_o  (out_row),
    .tag_o  (out_tag),
    .some_o (out_some),
    .key_o  (out_key),
    .lane_o (out_lane)
  );

  if (Banks > 1) begin : gen_index
    assign out_index = {out_tag.bank, out_lane};
  end else begin : gen_lane_index
    assign out_index = out_lane;
  end

  rtm_node #(
    .LevelWidth(LevelWidth),
    .OrderWidth(OrderWidth),
    .IndexWidth(IndexWidth)
  ) u_so_far (
    .a_some_i (so_far_some_q && out_tag.bank != '0),
    .a_key_i  (so_far_key_q),
    .a_index_i(so_far_index_q),
    .b_some_i (out_some),
    .b_key_i  (out_key),
    .b_index_i(out_index),
    .some_o   (best_some),
    .key_o    (best_key),
    .index_o  (best_index)
  );

  always_ff @(posedge clk_i) begin
    if (out_row) begin
      so_far_some_q  <= best_some;
      so_far_key_q   <= best_key;
      so_far_index_q <= best_index;
    end
  end

  // Begins again with a mode, or goes on with the next row.
  logic last;
  assign last = out_row && out_tag.last;
  assign flush = changed_i || (release_i && mode_q != Release);

  always_comb begin
    mode_d          = mode_q;
    feeding_d       = feeding_q && bank_q != BankWidth'(Banks - 1);
    bank_d          = feeding_q ? bank_q + BankWidth'(1) : bank_q;
    next_settled_d  = next_settled_q;
    next_some_d     = next_some_q;
    next_d          = next_q;
    after_settled_d = after_settled_q;
    after_some_d    = after_some_q;
    after_d         = after_q;
    done_o          = 1'b0;

    if (last) begin
      unique case (mode_q)
        Next: begin
          next_settled_d = 1'b1;
          next_some_d    = best_some;
          next_d         = best_index;
          mode_d         = After;
        end
        After: begin
          after_settled_d = 1'b1;
          after_some_d    = best_some;
          after_d         = best_index;
          mode_d          = Idle;
        end
        Release: begin
          done_o = 1'b1;
          mode_d = after_settled_q ? Idle : next_settled_q ? After : Next;
        end
        default: ;
      endcase
      feeding_d = mode_d != Idle;
      bank_d    = '0;
    end

    if (flush) begin
      mode_d    = changed_i ? Next : Release;
      feeding_d = 1'b1;
      bank_d    = '0;
    end
    if (changed_i) begin
      next_settled_d  = 1'b0;
      after_settled_d = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mode_q          <= Next;
      feeding_q       <= 1'b1;
      bank_q          <= '0;
      next_settled_q  <= 1'b0;
      next_some_q     <= 1'b0;
      next_q          <= '0;
      after_settled_q <= 1'b0;
      after_some_q    <= 1'b0;
      after_q         <= '0;
    end else begin
      mode_q          <= mode_d;
      feeding_q       <= feeding_d;
      bank_q          <= bank_d;
      next_settled_q  <= next_settled_d;
      next_some_q     <= next_some_d;
      next_q          <= next_d;
      after_settled_q <= after_settled_d;
      after_some_q    <= after_some_d;
      after_q         <= after_d;
    end
  end

  assign bank_o          = bank_q;
  assign winner_some_o   = best_some;
  assign winner_o        = best_index;
  assign next_settled_o  = next_settled_q;
  assign next_some_o     = next_some_q;
  assign next_o          = next_q;
  assign after_settled_o = after_settled_q;
  assign after_some_o    = after_some_q;
  assign after_o         = after_q;
endmodule

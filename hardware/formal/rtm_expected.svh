// SPDX-License-Identifier: Apache-2.0
// Of rtm_proof.sv: what docs/rtm-registers.md says of a command, of the records after it, and of answers.

  // Whether the command may be.
  function automatic logic is_legal();
    logic [31:0] allowed;
    allowed = '0;
    unique case (word)
      RecordStatus, RecordSet, RecordClear: allowed = 32'h3f;
      RecordKey:                            allowed = 32'((1 << LevelWidth) - 1) << 24 | 32'((1 << OrderWidth) - 1);
      RecordEvent, RecordWait:              allowed = 32'((1 << EventWidth) - 1);
      default:                              allowed = Classic ? 32'hffff : '1; // a time
    endcase
    is_legal = 1'b0;
    if (address_q[1:0] == 2'd0) begin
      if (of_record) begin
        is_legal = !write_q || (data_q & ~allowed) == '0;
      end else if (releases) begin
        is_legal = !write_q;
      end else if (of_unit && word == GlobalRunning) begin
        is_legal = !write_q || ((data_q & 32'h7fff_ff00) == '0 && data_q[7:0] < 8'(Records));
      end else if (of_unit && word == GlobalTick) begin
        is_legal = Classic && (!write_q || data_q < 32'h1_0000);
      end else if (of_unit) begin
        is_legal = !write_q && word != 3'd7 && !(Classic && word == GlobalNow);
      end
    end
  endfunction
  assign legal = is_legal();

  // What should be of record r now.
  logic [Records-1:0][StatusWidth-1:0] want_status;
  logic [Records-1:0][KeyWidth-1:0]    want_key;
  logic [Records-1:0][EventWidth-1:0]  want_event;
  logic [Records-1:0][31:0]            want_wake;
  logic [Records-1:0]                  becomes_ready;
  logic [OrderWidth-1:0]               want_stamp;
  logic record_write, claimed, ticked;
  assign record_write = was_done_q && was_legal_q && was_record_q && was_write_q;
  assign claimed      = was_done_q && was_legal_q && was_release_q && was_answer_q[31];
  assign ticked       = was_done_q && was_legal_q && was_unit_q && was_write_q && was_word_q == GlobalTick;

  always_comb begin
    want_status = was_status_q;
    want_key    = was_key_q;
    want_event  = was_event_q;
    want_wake   = was_wake_q;
    want_stamp  = was_stamp_q;
    for (int unsigned r = 0; r < Records; r++) begin
      if (record_write && was_index_q == IndexWidth'(r)) begin
        unique case (was_word_q)
          RecordStatus: want_status[r] = was_data_q[5:0];
          RecordSet:    want_status[r] = was_status_q[r] | was_data_q[5:0];
          RecordClear:  want_status[r] = was_status_q[r] & ~was_data_q[5:0];
          RecordKey:    want_key[r] = {was_data_q[24+:LevelWidth], was_data_q[OrderWidth-1:0]};
          RecordEvent:  want_event[r] = was_data_q[EventWidth-1:0];
          RecordWake:   want_wake[r] = was_data_q;
          RecordSleep: begin
            want_wake[r]                  = was_data_q;
            want_status[r][StatusDelayed] = 1'b1;
            want_status[r][StatusTimeout] = 1'b0;
          end
          RecordWait: begin
            want_event[r]                 = was_data_q[EventWidth-1:0];
            want_status[r][StatusEvent]   = 1'b1;
            want_status[r][StatusTimeout] = 1'b0;
          end
        endcase
      end
      if (claimed && was_answer_q[7:0] == 8'(r)) begin
        want_status[r][StatusDelayed] = 1'b0;
        want_status[r][StatusEvent]   = 1'b0;
        want_status[r][StatusTimeout] = 1'b0;
      end
      if (ticked && was_status_q[r][StatusDelayed:StatusValid] == 2'b11) begin
        want_wake[r] = was_wake_q[r] > was_data_q ? was_wake_q[r] - was_data_q : '0;
      end
      if (was_over_q[r] || (was_expire_q && was_index_q == IndexWidth'(r) &&
                            was_status_q[r][StatusDelayed:StatusValid] == 2'b11)) begin
        want_status[r][StatusDelayed] = 1'b0;
        want_status[r][StatusEvent]   = 1'b0;
        want_status[r][StatusTimeout] = was_status_q[r][StatusTimeout] || was_status_q[r][StatusEvent];
      end
      // First ready, first served: the next stamp. In classic mode an order is what software wrote.
      becomes_ready[r] = want_status[r][3:0] == 4'b0001 && was_status_q[r][3:0] != 4'b0001;
      if (!Classic && !want_status[r][StatusEdf] && (becomes_ready[r] ||
          (record_write && was_word_q == RecordKey && was_index_q == IndexWidth'(r)))) begin
        want_key[r][OrderWidth-1:0] = was_stamp_q;
        want_stamp                  = was_stamp_q + OrderWidth'(1);
      end
    end
  end

  // The answer to a command that reads.
  function automatic logic [31:0] number(logic some, logic [IndexWidth-1:0] which);
    return some ? 32'h8000_0000 | 32'(which) : 32'h0;
  endfunction
  logic [31:0] answer;
  always_comb begin
    answer = '0;
    if (legal && !write_q && of_record) begin
      unique case (word)
        RecordStatus: answer = 32'(status[index]);
        RecordKey:    answer = 32'(key[index][OrderWidth+:LevelWidth]) << 24 | 32'(key[index][OrderWidth-1:0]);
        RecordEvent:  answer = 32'(event_id[index]);
        RecordWake:   answer = wake[index];
        default: ;
      endcase
    end else if (legal && !write_q && of_unit) begin
      unique case (word)
        GlobalRunning: answer = number(u_rtm.running_some_q, u_rtm.running_q);
        GlobalNow:     answer = now_q;
        GlobalInfo:
          answer = {Classic, 3'd0, 4'(EventWidth), 3'd0, 5'(OrderWidth), 4'd0, 4'(LevelWidth), 8'(Records)};
        default: ;
      endcase
    end
  end

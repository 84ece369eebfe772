// SPDX-License-Identifier: Apache-2.0
// Of rtm_proof.sv: time. An expiry is never early, and has its turn when a command ends; in classic mode all whose
// delay is over have it in the cycle after.

  logic [Records-1:0] is_delayed, was_over_q; // in classic mode: delayed, and nothing is left
  for (genvar r = 0; r < Records; r++) begin : gen_delayed
    assign is_delayed[r] = status[r][StatusDelayed:StatusValid] == 2'b11;
    always_ff @(posedge clk_i) begin
      was_over_q[r] <= Classic && is_delayed[r] && wake[r] == '0;
    end
  end

  if (Classic) begin : gen_delays
    logic [Records-1:0] over;
    for (genvar r = 0; r < Records; r++) begin : gen_record
      assign wake[r] = 32'(u_rtm.gen_ticks.u_ticks.delay_q[r]);
      assign over[r] = is_delayed[r] && wake[r] == '0;
    end
    // Whose delay is over is so for a cycle, in which nothing else is done to records: neither waits, neither is lost.
    always_comb begin
      if (started_q) begin
        assert (over == '0 || slot == SlotFree);
        assert (over == '0 || was_over_q == '0);
      end
      cover (started_q && $countones(over) == 2); // at one tick
    end
  end else begin : gen_times
    logic visited, offered;
    logic [IndexWidth-1:0] visited_index, offered_index;
    assign visited       = u_rtm.gen_timers.u_timers.seen_q;
    assign visited_index = u_rtm.gen_timers.u_timers.seen_index_q;
    assign offered       = u_rtm.gen_timers.u_timers.expire_q;
    assign offered_index = u_rtm.gen_timers.u_timers.expire_index_q;
    for (genvar r = 0; r < Records; r++) begin : gen_record
      logic [31:0] age;
      assign wake[r] = u_rtm.gen_timers.u_timers.u_times.gen_memory.word_q[r];
      assign age     = now_q - wake[r];
      always_comb begin
        if ((visited && visited_index == IndexWidth'(r)) || (offered && offered_index == IndexWidth'(r)) ||
            (slot == SlotExpire && u_rtm.index_q == IndexWidth'(r))) begin
          assume (age < 32'h7fff_ffff || age[31]);
        end
      end
      // What was looked at is what is there, and an expiry is never early.
      always_comb begin
        if (started_q && visited && visited_index == IndexWidth'(r)) begin
          assert (u_rtm.gen_timers.u_timers.seen_time_q == wake[r]);
        end
        if (started_q && ((offered && offered_index == IndexWidth'(r)) ||
                          (slot == SlotExpire && u_rtm.index_q == IndexWidth'(r)))) begin
          assert (!age[31]);
        end
      end
    end

    // Visits go on: a command that reads a time holds them up for a cycle, an expiry for a command.
    logic [7:0] offered_q, reads_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni || !u_rtm.expire || u_rtm.expire_ready) begin
        offered_q <= '0;
      end else if (offered_q != '1) begin
        offered_q <= offered_q + 8'd1;
      end
      reads_q <= rst_ni && u_rtm.time_read ? reads_q + 8'd1 : '0;
    end
    always_comb begin
      if (started_q) begin
        // An expiry that had its turn ends the wait, as timers_proof.sv asks.
        assert (!known_q || !was_expire_q || !u_rtm.delayed[was_index_q]);
        assert (reads_q <= 8'd1);
        assert (!u_rtm.time_read || reads_q == '0);
        assert (offered_q <= (busy_q ? cycles_q + 8'd1 : 8'd0));
      end
      cover (started_q && offered_q > 8'd1 && u_rtm.expire_ready); // held up by a command
    end
  end

// SPDX-License-Identifier: Apache-2.0
// Which values parameters may have. Modules ask here, in constants: elaboration then ends with a message where one is
// out of its range, in Verilator and in slang alike. (Verilator takes a $fatal of a generate block for a warning, which
// -Wno-fatal goes on after, and looks at vectors and loops of a wrong size before.)
package rtm_shape_pkg;
  function automatic bit is_power_of_two(int unsigned value);
    return value != 0 && (value & (value - 1)) == 0;
  endfunction

  function automatic int unsigned records(int unsigned value);
    if (!is_power_of_two(value) || value < 2 || value > rtm_pkg::RecordsMax) begin
      $fatal(1, "Records = %d: it must be a power of two, from 2 to %d", value, rtm_pkg::RecordsMax);
    end
    return value;
  endfunction

  // Rows, unless other ones are wanted: of 16 records.
  function automatic int unsigned usual_banks(int unsigned all);
    return all > 16 ? all / 16 : 1;
  endfunction

  // Records of a row: two at least.
  function automatic int unsigned row(int unsigned all, int unsigned banks);
    if (!is_power_of_two(banks) || banks > all / 2) begin
      $fatal(1, "Banks = %d: it must be a power of two, from 1 to half of Records = %d", banks, all);
    end
    return all / banks;
  endfunction

  // Candidates of a tree. Level l of it may have a cut; that of the candidates themselves is level 0.
  function automatic int unsigned lanes(int unsigned value, int unsigned cuts);
    if (!is_power_of_two(value) || value > rtm_pkg::RecordsMax) begin
      $fatal(1, "Lanes = %d: it must be a power of two, from 1 to %d", value, rtm_pkg::RecordsMax);
    end
    if (cuts >= 2 * value) begin
      $fatal(1, "Cuts = %d: a tree of %d candidates has no such level", cuts, value);
    end
    return value;
  endfunction

  // A level and an order, as they have room in the register KEY.
  function automatic int unsigned key_width(int unsigned level_width, int unsigned order_width);
    if (level_width < 1 || level_width > 8) begin
      $fatal(1, "LevelWidth = %d: it must be from 1 to 8", level_width);
    end
    if (order_width < 2 || order_width > 24) begin
      $fatal(1, "OrderWidth = %d: it must be from 2 to 24", order_width);
    end
    return level_width + order_width;
  endfunction

  // The address of a release has so many bits for the event.
  function automatic int unsigned event_width(int unsigned value);
    if (value < 1 || value > rtm_pkg::EventWidthMax) begin
      $fatal(1, "EventWidth = %d: it must be from 1 to %d", value, rtm_pkg::EventWidthMax);
    end
    return value;
  endfunction

  // Of any other parameter, for a generate block that refuses.
  function automatic bit fits(string name, int unsigned value, int unsigned least, int unsigned most);
    if (value < least || value > most) begin
      $fatal(1, "%s = %d: it must be from %d to %d", name, value, least, most);
    end
    return value >= least && value <= most;
  endfunction
endpackage

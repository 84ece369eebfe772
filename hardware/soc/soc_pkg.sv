// SPDX-License-Identifier: Apache-2.0

// What the parts of the system agree on. chips/ibex/registers.h says the same in C.
package soc_pkg;

  // The device that answers at an address.
  typedef enum logic [2:0] {
    TargetNone,
    TargetMemory,
    TargetTimer,
    TargetInterrupts,
    TargetRtm,
    TargetHost
  } target_e;

  localparam int unsigned MemoryBytes = 32'h0080_0000;

  localparam logic [31:0] MemoryBase     = 32'h8000_0000;
  localparam logic [31:0] TimerBase      = 32'h0200_0000;  // 64 KiB
  localparam logic [31:0] InterruptsBase = 32'h0300_0000;  // 4 KiB
  localparam logic [31:0] RtmBase        = 32'h0400_0000;  // 8 KiB: docs/rtm-registers.md
  localparam logic [31:0] HostBase       = 32'h1000_0000;  // 4 KiB

  // What the program wants of the host that simulates it; see soc_host.
  typedef enum logic [1:0] {
    HostNothing,
    HostConsole,
    HostCall,
    HostExit
  } host_event_e;

  // As a port has bits for addresses.
  function automatic int unsigned memory_words(int unsigned bytes);
    if (bytes < 8 || bytes > 32'h4000_0000 || (bytes & (bytes - 1)) != 0) begin
      $fatal(1, "Bytes = %d: it must be a power of two, from 8 to 2**30", bytes);
    end
    return bytes / 4;
  endfunction

endpackage

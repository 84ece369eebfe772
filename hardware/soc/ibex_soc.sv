// SPDX-License-Identifier: Apache-2.0

// Ibex with user mode and PMP, a memory, a timer, an interrupt controller with its sources, the task manager, which has
// the first of the fast interrupts, and the host.
module ibex_soc
  import soc_pkg::*;
#(
  parameter int unsigned NsPerCycle = 20,
  parameter int unsigned Sources = 8,
  parameter int unsigned Pmp = 1,
  parameter int unsigned RtmRecords = 64,
  parameter int unsigned RtmClassic = 0,
  parameter int unsigned RtmShift = 6  // the task manager counts 2 to that ns
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  // While the processor sleeps the simulation may let time jump, to the next of these times at most.
  output logic                     asleep_o,
  input  logic [63:0]              skip_ns_i,
  output logic [63:0]              time_ns_o,
  output logic [63:0]              compare_ns_o,
  output logic [Sources-1:0][63:0] next_ns_o,

  // Cycles that an access takes besides, by target; constant.
  input  logic [15:0]              rtm_cycles_i,
  input  logic [15:0]              fetch_cycles_i,  // of instructions
  input  logic [15:0]              data_cycles_i,   // of data in the memory

  output host_event_e              host_event_o,
  output logic [31:0]              host_data_o,

  // One instruction retires.
  output logic                     retired_o,
  output logic [31:0]              retired_pc_o
);

  if (!rtm_shape_pkg::fits("Pmp", Pmp, 0, 1) ||
      !rtm_shape_pkg::fits("RtmShift", RtmShift, 0, 32)) begin : gen_refused
    $fatal(1, "a parameter is out of its range");
  end

  logic        instr_req, instr_ready, instr_gnt, instr_rvalid, instr_err, instr_ours;
  logic [31:0] instr_addr, instr_rdata;
  logic        data_req, data_gnt, data_rvalid, data_we, data_err;
  logic [3:0]  data_be;
  logic [31:0] data_addr, data_wdata, data_rdata;
  logic        irq_software, irq_timer, irq_external, irq_rtm;
  logic        rtm_req, rtm_gnt, rtm_rvalid, rtm_err;
  logic [31:0] memory_rdata, timer_rdata, interrupts_rdata, rtm_rdata;
  target_e     target;

  ibex_top #(
    .PMPEnable     (Pmp != 0),
    .PMPGranularity(0),
    .PMPNumRegions (16),
    .RV32M         (ibex_pkg::RV32MFast),
    .RV32B         (ibex_pkg::RV32BNone),
    .RegFile       (ibex_pkg::RegFileFF)
  ) u_ibex (
    .clk_i,
    .rst_ni,
    .test_en_i             (1'b0),
    .ram_cfg_i             ('0),
    .hart_id_i             ('0),
    .boot_addr_i           (MemoryBase),
    .instr_req_o           (instr_req),
    .instr_gnt_i           (instr_gnt),
    .instr_rvalid_i        (instr_rvalid),
    .instr_addr_o          (instr_addr),
    .instr_rdata_i         (instr_rdata),
    .instr_rdata_intg_i    ('0),
    .instr_err_i           (instr_err),
    .data_req_o            (data_req),
    .data_gnt_i            (data_gnt),
    .data_rvalid_i         (data_rvalid),
    .data_we_o             (data_we),
    .data_be_o             (data_be),
    .data_addr_o           (data_addr),
    .data_wdata_o          (data_wdata),
    .data_wdata_intg_o     (),
    .data_rdata_i          (data_rdata),
    .data_rdata_intg_i     ('0),
    .data_err_i            (data_err),
    .irq_software_i        (irq_software),
    .irq_timer_i           (irq_timer),
    .irq_external_i        (irq_external),
    .irq_fast_i            ({14'b0, irq_rtm}),
    .irq_nm_i              (1'b0),
    .scramble_key_valid_i  (1'b0),
    .scramble_key_i        ('0),
    .scramble_nonce_i      ('0),
    .scramble_req_o        (),
    .debug_req_i           (1'b0),
    .crash_dump_o          (),
    .double_fault_seen_o   (),
    .rvfi_valid            (retired_o),
    .rvfi_order            (),
    .rvfi_insn             (),
    .rvfi_trap             (),
    .rvfi_halt             (),
    .rvfi_intr             (),
    .rvfi_mode             (),
    .rvfi_ixl              (),
    .rvfi_rs1_addr         (),
    .rvfi_rs2_addr         (),
    .rvfi_rs3_addr         (),
    .rvfi_rs1_rdata        (),
    .rvfi_rs2_rdata        (),
    .rvfi_rs3_rdata        (),
    .rvfi_rd_addr          (),
    .rvfi_rd_wdata         (),
    .rvfi_pc_rdata         (retired_pc_o),
    .rvfi_pc_wdata         (),
    .rvfi_mem_addr         (),
    .rvfi_mem_rmask        (),
    .rvfi_mem_wmask        (),
    .rvfi_mem_rdata        (),
    .rvfi_mem_wdata        (),
    .rvfi_ext_pre_mip      (),
    .rvfi_ext_post_mip     (),
    .rvfi_ext_nmi          (),
    .rvfi_ext_nmi_int      (),
    .rvfi_ext_debug_req    (),
    .rvfi_ext_debug_mode   (),
    .rvfi_ext_rf_wr_suppress(),
    .rvfi_ext_mcycle       (),
    .rvfi_ext_mhpmcounters (),
    .rvfi_ext_mhpmcountersh(),
    .rvfi_ext_ic_scr_key_valid(),
    .rvfi_ext_irq_valid    (),
    .fetch_enable_i        (ibex_pkg::IbexMuBiOn),
    .alert_minor_o         (),
    .alert_major_internal_o(),
    .alert_major_bus_o     (),
    .core_sleep_o          (asleep_o),
    .scan_rst_ni           (1'b1)
  );

  logic unused_instr_addr;
  assign unused_instr_addr = ^instr_addr[1:0];  // Ibex fetches words

  assign instr_ours = instr_addr[31:23] == MemoryBase[31:23];
  assign instr_gnt = instr_req && instr_ready;

  soc_wait u_fetch_wait (
    .clk_i,
    .rst_ni,
    .req_i   (instr_req),
    .gnt_i   (instr_gnt),
    .cycles_i(fetch_cycles_i),
    .ready_o (instr_ready)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      instr_rvalid <= 1'b0;
      instr_err <= 1'b0;
    end else begin
      instr_rvalid <= instr_gnt;
      instr_err <= instr_gnt && !instr_ours;
    end
  end

  soc_bus u_bus (
    .clk_i,
    .rst_ni,
    .req_i             (data_req),
    .gnt_o             (data_gnt),
    .addr_i            (data_addr[31:12]),
    .rvalid_o          (data_rvalid),
    .rdata_o           (data_rdata),
    .err_o             (data_err),
    .target_o          (target),
    .memory_cycles_i   (data_cycles_i),
    .memory_rdata_i    (memory_rdata),
    .timer_rdata_i     (timer_rdata),
    .interrupts_rdata_i(interrupts_rdata),
    .rtm_cycles_i,
    .rtm_req_o         (rtm_req),
    .rtm_gnt_i         (rtm_gnt),
    .rtm_rvalid_i      (rtm_rvalid),
    .rtm_rdata_i       (rtm_rdata),
    .rtm_err_i         (rtm_err)
  );

  soc_memory #(
    .Bytes(MemoryBytes)
  ) u_memory (
    .clk_i,
    .instr_req_i  (instr_gnt),
    .instr_word_i (instr_addr[22:2]),
    .instr_rdata_o(instr_rdata),
    .data_req_i   (target == TargetMemory),
    .data_we_i    (data_we),
    .data_be_i    (data_be),
    .data_word_i  (data_addr[22:2]),
    .data_wdata_i (data_wdata),
    .data_rdata_o (memory_rdata)
  );

  soc_timer #(
    .NsPerCycle(NsPerCycle)
  ) u_timer (
    .clk_i,
    .rst_ni,
    .req_i         (target == TargetTimer),
    .we_i          (data_we),
    .addr_i        (data_addr[15:0]),
    .wdata_i       (data_wdata),
    .rdata_o       (timer_rdata),
    .skip_ns_i,
    .time_ns_o,
    .compare_ns_o,
    .irq_software_o(irq_software),
    .irq_timer_o   (irq_timer)
  );

  soc_interrupts #(
    .Sources(Sources)
  ) u_interrupts (
    .clk_i,
    .rst_ni,
    .req_i    (target == TargetInterrupts),
    .we_i     (data_we),
    .addr_i   (data_addr[11:0]),
    .wdata_i  (data_wdata),
    .rdata_o  (interrupts_rdata),
    .time_ns_i(time_ns_o),
    .next_ns_o,
    .irq_o    (irq_external)
  );

  rtm_ibex #(
    .Records(RtmRecords),
    .Classic(RtmClassic)
  ) u_rtm (
    .clk_i,
    .rst_ni,
    .now_i   (time_ns_o[RtmShift+:32]),
    .req_i   (rtm_req),
    .gnt_o   (rtm_gnt),
    .we_i    (data_we),
    .be_i    (data_be),
    .addr_i  (data_addr[rtm_pkg::AddressWidth-1:0]),
    .wdata_i (data_wdata),
    .rvalid_o(rtm_rvalid),
    .rdata_o (rtm_rdata),
    .err_o   (rtm_err),
    .irq_o   (irq_rtm)
  );

  soc_host u_host (
    .clk_i,
    .rst_ni,
    .req_i  (target == TargetHost),
    .we_i   (data_we),
    .addr_i (data_addr[11:0]),
    .wdata_i(data_wdata),
    .event_o(host_event_o),
    .data_o (host_data_o)
  );

endmodule

# SPDX-License-Identifier: Apache-2.0
set(CMAKE_TOOLCHAIN_FILE ${ROOT}/cmake/riscv.cmake)
set(TAKT_PORT rv32)
set(PORT ${FREERTOS}/portable/GCC/RISC-V ${FREERTOS}/portable/GCC/RISC-V/chip_specific_extensions/RISCV_MTIME_CLINT_no_extensions)
set(LINK -Wl,--defsym=__freertos_irq_stack_top=takti_interrupt_stack_top)

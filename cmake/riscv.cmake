# SPDX-License-Identifier: Apache-2.0
# Tool chain for RV32 boards: Debian's gcc-riscv64-unknown-elf, with picolibc (no start-up files of its own). The
# compiler must be given Zicsr, which is no part of I any more; given it when linking, it takes the RV64 libraries.
# TAKT_RISCV_ISA: what the board's processor has.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR riscv32)
set(CMAKE_C_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_CXX_COMPILER riscv64-unknown-elf-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(TAKT_RISCV_ISA "rv32imac" CACHE STRING "Instruction set")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TAKT_RISCV_ISA)
set(CMAKE_C_FLAGS_INIT "-march=${TAKT_RISCV_ISA} -mabi=ilp32 -specs=picolibc.specs")
set(CMAKE_CXX_FLAGS_INIT ${CMAKE_C_FLAGS_INIT})
set(CMAKE_ASM_FLAGS_INIT "-march=${TAKT_RISCV_ISA} -mabi=ilp32")
add_compile_options(-march=${TAKT_RISCV_ISA}_zicsr)
set(CMAKE_C_FLAGS_RELEASE "-O2 -g" CACHE STRING "Flags of images")
set(CMAKE_CXX_FLAGS_RELEASE ${CMAKE_C_FLAGS_RELEASE} CACHE STRING "Flags of images")
set(CMAKE_C_FLAGS_MINSIZEREL "-Os -msave-restore -g" CACHE STRING "Flags of small images")
set(CMAKE_EXECUTABLE_SUFFIX_C .elf)
set(CMAKE_EXECUTABLE_SUFFIX_ASM .elf)
set(CMAKE_EXECUTABLE_SUFFIX_CXX .elf)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)

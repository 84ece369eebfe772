# SPDX-License-Identifier: Apache-2.0
# Tool chain for boards with a Cortex-M3, or a larger one that computes floating-point numbers in software: Debian's
# gcc-arm-none-eabi, with picolibc (no start-up files of its own). TAKT_ARM_CPU: the board's processor.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(TAKT_ARM_CPU "cortex-m3" CACHE STRING "Processor")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TAKT_ARM_CPU)
set(CMAKE_C_FLAGS_INIT "-mcpu=${TAKT_ARM_CPU} -mthumb -specs=picolibc.specs")
set(CMAKE_ASM_FLAGS_INIT "-mcpu=${TAKT_ARM_CPU} -mthumb")
set(CMAKE_C_FLAGS_RELEASE "-O2 -g" CACHE STRING "Flags of images")
set(CMAKE_C_FLAGS_MINSIZEREL "-Os -g" CACHE STRING "Flags of small images")
set(CMAKE_EXECUTABLE_SUFFIX_C .elf)
set(CMAKE_EXECUTABLE_SUFFIX_ASM .elf)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)

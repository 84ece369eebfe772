# SPDX-License-Identifier: Apache-2.0
set(CMAKE_TOOLCHAIN_FILE ${ROOT}/cmake/arm-none-eabi.cmake)
set(CMAKE_C_FLAGS "-mcpu=cortex-m3 -mthumb" CACHE STRING "Takt's, without its C library")
set(TAKT_PORT armv7m)
set(PORT ${FREERTOS}/portable/GCC/ARM_CM3)

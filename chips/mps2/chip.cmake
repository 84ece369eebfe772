# SPDX-License-Identifier: Apache-2.0
# As the kernel: reordering takes a register more, which takt_port_timer_set has to save.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/clock.c PROPERTIES COMPILE_OPTIONS -fno-schedule-insns)

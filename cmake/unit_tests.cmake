# SPDX-License-Identifier: Apache-2.0
# Unit tests of the rooms in C.
set(TAKT_TEST_TIMEOUT_S 120) # a program that hangs is a failure too

# The test `name`: `program` with these arguments. Its label is the path of the program's *_test.c, by which
# `./takt test PATH` finds it (tools/takt/dev/by_path.py).
function(takt_test name program)
    get_target_property(sources ${program} SOURCES)
    list(FILTER sources INCLUDE REGEX "_test\\.c$")
    list(GET sources 0 source)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    add_test(NAME ${name} COMMAND ${program} ${ARGN})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${TAKT_TEST_TIMEOUT_S} LABELS ${source})
endfunction()

# SPDX-License-Identifier: Apache-2.0
# The same image, debug information included, from any clone and of an application in any folder: paths in it begin with
# /takt or /app, which gdb maps back (tools/takt/gdb/sources.py). Of several maps of a path the last one counts.
add_compile_options(
    -fdebug-prefix-map=${PROJECT_SOURCE_DIR}=/takt -fdebug-prefix-map=${CMAKE_BINARY_DIR}=/takt/build/image)
foreach(folder ${TAKT_INCLUDE})
    if(NOT folder MATCHES "^${PROJECT_SOURCE_DIR}/")
        add_compile_options(-fdebug-prefix-map=${folder}=/app -fmacro-prefix-map=${folder}/=)
    endif()
endforeach()

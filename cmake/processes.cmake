# SPDX-License-Identifier: Apache-2.0
# The parts of a protected application: `takt build` says which files are whose (TAKT_PROCESS_NAMES and, for each of
# them, TAKT_PROCESS_SOURCES_NAME; TAKT_SHARED_SOURCES; TAKT_SHARED_MEMORY), and places them with processes.ld.

# Files that run in user mode: calls are traps there, and addresses of objects handles.
function(takt_user_files target)
    add_library(${target} OBJECT ${ARGN})
    target_include_directories(${target} PRIVATE ${TAKT_INCLUDE})
    target_include_directories(${target} SYSTEM PRIVATE ${TAKT_GENERATED} ${PROJECT_SOURCE_DIR}/runner/include)
    target_compile_definitions(${target} PRIVATE TAKT_IN_PROCESS=1)
    # No call of printf becomes one of another function, whose name the header would not map.
    target_compile_options(${target} PRIVATE -include takt/process_names.h -fno-builtin-printf -fno-builtin-vprintf
        ${TAKT_USER_OPTIONS})
    target_link_libraries(${target} PRIVATE takt_kernel_headers)
    takt_application_target(${target})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    if(TAKT_PORT STREQUAL "host") # virtual tables are constants, as they are on boards
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-pie>)
    endif()
endfunction()

foreach(name IN LISTS TAKT_PROCESS_NAMES)
    takt_user_files(takt_process_${name} ${TAKT_GENERATED}/process_${name}.c ${TAKT_PROCESS_SOURCES_${name}})
    target_compile_definitions(takt_process_${name} PRIVATE "TAKTI_PROCESS=\"${name}\"" TAKTI_PROCESS_NAME=${name})
    target_link_libraries(application PRIVATE takt_process_${name})
endforeach()
if(TAKT_SHARED_SOURCES)
    takt_user_files(takt_shared_text ${TAKT_SHARED_SOURCES})
    target_compile_definitions(takt_shared_text PRIVATE "TAKTI_PROCESS=\"shared\"" TAKTI_PROCESS_NAME=)
    target_link_libraries(application PRIVATE takt_shared_text)
endif()
if(TAKT_SHARED_MEMORY)
    add_library(takt_shared_memory OBJECT ${TAKT_SHARED_MEMORY})
    target_include_directories(takt_shared_memory PRIVATE ${TAKT_INCLUDE})
    target_include_directories(takt_shared_memory SYSTEM PRIVATE ${TAKT_GENERATED})
    target_link_libraries(takt_shared_memory PRIVATE takt_kernel_headers)
    takt_application_target(takt_shared_memory)
    target_link_libraries(application PRIVATE takt_shared_memory)
endif()
target_sources(application PRIVATE ${TAKT_GENERATED}/processes.c)
target_link_options(application PRIVATE -T${TAKT_GENERATED}/processes.ld -no-pie)
set_property(TARGET application APPEND PROPERTY LINK_DEPENDS ${TAKT_GENERATED}/processes.ld)

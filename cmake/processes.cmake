# SPDX-License-Identifier: Apache-2.0
# The parts of a protected application: `takt build` says which files are whose (TAKT_PROCESS_NAMES and, for each of
# them, TAKT_PROCESS_SOURCES_NAME; TAKT_SHARED_SOURCES; TAKT_SHARED_MEMORY), and places them with processes.ld.

# Files that run in user mode: calls are traps there, and addresses of objects handles.
function(takt_user_files target)
    add_library(${target} OBJECT ${ARGN})
    target_include_directories(${target} PRIVATE ${TAKT_GENERATED} ${TAKT_INCLUDE} ${PROJECT_SOURCE_DIR}/runner/include)
    target_compile_definitions(${target} PRIVATE TAKT_IN_PROCESS=1)
    target_compile_options(${target} PRIVATE -include takt/process_names.h ${TAKT_USER_OPTIONS})
    target_link_libraries(${target} PRIVATE takt_kernel_headers)
    set_target_properties(${target} PROPERTIES TAKT_APPLICATION ON NO_SYSTEM_FROM_IMPORTED ON
        POSITION_INDEPENDENT_CODE OFF)
endfunction()

foreach(name IN LISTS TAKT_PROCESS_NAMES)
    takt_user_files(takt_process_${name} ${TAKT_GENERATED}/process_${name}.c ${TAKT_PROCESS_SOURCES_${name}})
    target_compile_definitions(takt_process_${name} PRIVATE "TAKTI_PROCESS=\"${name}\"")
    target_link_libraries(application PRIVATE takt_process_${name})
endforeach()
if(TAKT_SHARED_SOURCES)
    takt_user_files(takt_shared_text ${TAKT_SHARED_SOURCES})
    target_compile_definitions(takt_shared_text PRIVATE "TAKTI_PROCESS=\"shared\"")
    target_link_libraries(application PRIVATE takt_shared_text)
endif()
if(TAKT_SHARED_MEMORY)
    add_library(takt_shared_memory OBJECT ${TAKT_SHARED_MEMORY})
    target_include_directories(takt_shared_memory PRIVATE ${TAKT_GENERATED} ${TAKT_INCLUDE})
    target_link_libraries(takt_shared_memory PRIVATE takt_kernel_headers)
    set_target_properties(takt_shared_memory PROPERTIES TAKT_APPLICATION ON NO_SYSTEM_FROM_IMPORTED ON)
    target_link_libraries(application PRIVATE takt_shared_memory)
endif()
target_sources(application PRIVATE ${TAKT_GENERATED}/processes.c)
target_link_options(application PRIVATE -T${TAKT_GENERATED}/processes.ld -no-pie)
set_property(TARGET application APPEND PROPERTY LINK_DEPENDS ${TAKT_GENERATED}/processes.ld)

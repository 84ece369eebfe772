# SPDX-License-Identifier: Apache-2.0
# The C files of the engine of that name (kernel/engine/engine.h): queues, small for a kernel that is compiled for size,
# or rtm.
function(takt_engine_sources variable engine)
    set(root ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/..)
    cmake_path(NORMAL_PATH root)
    if(engine STREQUAL "rtm")
        file(GLOB found CONFIGURE_DEPENDS ${root}hardware/driver/*.c)
    else()
        file(GLOB found CONFIGURE_DEPENDS ${root}kernel/engine/${engine}/*.c ${root}kernel/engine/shared/*.c)
    endif()
    set(${variable} ${found} PARENT_SCOPE)
endfunction()

# The C files of a kernel without processes, by name: so the order of what is one file for the compiler is that of names.
# Two are of process/: quotas are without protection too.
function(takt_kernel_sources variable engine)
    set(rooms core time jobs sync messages observe)
    set(folder ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../kernel)
    cmake_path(NORMAL_PATH folder)
    set(found ${folder}/process/unprotected.c ${folder}/process/quota.c)
    foreach(room ${rooms})
        file(GLOB files CONFIGURE_DEPENDS ${folder}/${room}/*.c)
        list(APPEND found ${files})
    endforeach()
    takt_engine_sources(files ${engine})
    list(APPEND found ${files})
    list(SORT found COMPARE FILE_BASENAME)
    set(${variable} ${found} PARENT_SCOPE)
endfunction()

# Those of a kernel with processes.
function(takt_kernel_sources_protected variable engine)
    takt_kernel_sources(found ${engine})
    set(folder ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../kernel)
    cmake_path(NORMAL_PATH folder)
    file(GLOB files CONFIGURE_DEPENDS ${folder}/process/*.c ${folder}/process/entries/*.c)
    list(APPEND found ${files})
    list(REMOVE_DUPLICATES found)
    set(${variable} ${found} PARENT_SCOPE)
endfunction()

# Files of the kernel's rooms that `target` has are one file for the compiler. But services that few systems call are
# another: as more callers they would change what is inlined in all the others. What is of no group is compiled alone.
function(takt_kernel_as_one target)
    set(folder ${PROJECT_SOURCE_DIR}/kernel)
    foreach(engine queues small)
        takt_kernel_sources(core ${engine})
        set_source_files_properties(${core} PROPERTIES UNITY_GROUP core)
    endforeach()
    file(GLOB checks ${folder}/observe/invariants*.c ${folder}/engine/*/invariants*.c)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    set_source_files_properties(${folder}/process/unprotected.c ${folder}/process/quota.c PROPERTIES UNITY_GROUP quota)
    set_source_files_properties(${checks} PROPERTIES UNITY_GROUP checks)
    set(messages ${folder}/messages)
    set_source_files_properties(${messages}/pipe.c ${messages}/priority_mailbox.c ${messages}/signal.c
        ${messages}/slot.c ${messages}/slot_process.c PROPERTIES UNITY_GROUP services)
    # What a stopped task was handed goes back by functions that are linked where their file is: kernel/core/handed.h.
    set_source_files_properties(${folder}/sync/handed.c PROPERTIES UNITY_GROUP handed)
    set_source_files_properties(${folder}/sync/ceiling.c ${folder}/sync/condition.c ${folder}/sync/events.c
        ${messages}/pool.c ${folder}/sync/rendezvous.c PROPERTIES UNITY_GROUP objects)
    set_source_files_properties(${folder}/observe/invariants_process.c PROPERTIES UNITY_GROUP alone)
    if(TAKT_TEST OR TAKT_PORT STREQUAL "host") # admission is linked with the analysis
        set_source_files_properties(${folder}/jobs/admission.c PROPERTIES UNITY_GROUP admission)
    endif()
endfunction()

# SPDX-License-Identifier: Apache-2.0
# The files of the kernel's src/ that `target` has are one file for the compiler. But services that few systems call are
# another: as more callers they would change what is inlined in all the others. What is of no group is compiled alone.
function(takt_kernel_as_one target)
    set(folder ${PROJECT_SOURCE_DIR}/kernel)
    file(GLOB core ${folder}/src/*.c)
    file(GLOB checks ${folder}/src/invariants*.c)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    set_source_files_properties(${core} PROPERTIES UNITY_GROUP core)
    set_source_files_properties(${folder}/src/direct.c ${folder}/src/quota.c PROPERTIES UNITY_GROUP quota)
    set_source_files_properties(${checks} PROPERTIES UNITY_GROUP checks)
    set_source_files_properties(${folder}/src/pipe.c ${folder}/src/priority_mailbox.c ${folder}/src/signal.c
        ${folder}/src/slot.c PROPERTIES UNITY_GROUP services)
    # What a stopped task was handed goes back by functions that are linked where their file is: kernel/src/handed.h.
    set_source_files_properties(${folder}/src/handed.c PROPERTIES UNITY_GROUP handed)
    set_source_files_properties(${folder}/src/ceiling.c ${folder}/src/condition.c ${folder}/src/events.c
        ${folder}/src/pool.c ${folder}/src/rendezvous.c PROPERTIES UNITY_GROUP objects)
    set_source_files_properties(${folder}/src/invariants_process.c PROPERTIES UNITY_GROUP alone)
    if(TAKT_TEST OR TAKT_PORT STREQUAL "host") # admission is linked with the analysis
        set_source_files_properties(${folder}/src/admission.c PROPERTIES UNITY_GROUP admission)
    endif()
endfunction()

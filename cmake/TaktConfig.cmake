# SPDX-License-Identifier: Apache-2.0
# takt_application, for CMake projects of your own: find_package(Takt) or add_subdirectory (docs/build.md).
cmake_path(SET Takt_ROOT_DIR NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/..)
set_property(GLOBAL PROPERTY takt_root ${Takt_ROOT_DIR})

# takt_application(TARGET SYSTEM FILE [BOARD B] [SCHEDULER S] [SOURCES FILE...] [NO_PROTECTION] [FORCE])
#
# The executable TARGET: the application that FILE, a system.toml, declares, with the kernel and the tables. Whenever the
# declaration changes, it is proved anew; one that is refuted ends the configuration with takt's message.
#   BOARD      default: ${TAKT_BOARD}, else the declared one. The project's compiler must be for it.
#   SOURCES    in place of the files that FILE says. The flags of [build] are for these and for those that
#              target_sources adds.
#   NO_PROTECTION, FORCE   as of `takt build`
# TARGET_takt: our headers and their macros, for libraries that make calls of the kernel. TARGET_run: runs the image.
function(takt_application target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "NO_PROTECTION;FORCE" "SYSTEM;BOARD;SCHEDULER" "SOURCES")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "takt_application(${target}): unknown argument ${arg_UNPARSED_ARGUMENTS}\n"
            "  try: SYSTEM, BOARD, SCHEDULER, SOURCES, NO_PROTECTION or FORCE before it")
    endif()
    if(NOT arg_SYSTEM)
        message(FATAL_ERROR "takt_application(${target}): SYSTEM is missing\n  try: SYSTEM system.toml")
    endif()
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if(NOT "C" IN_LIST languages)
        message(FATAL_ERROR "takt_application(${target}): the project is without C\n  try: project(NAME LANGUAGES C)")
    endif()
    cmake_path(ABSOLUTE_PATH arg_SYSTEM)
    if(NOT EXISTS ${arg_SYSTEM})
        message(FATAL_ERROR "takt_application(${target}): ${arg_SYSTEM} does not exist\n  try: SYSTEM with the path of a system.toml")
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${arg_SYSTEM})
    if(NOT arg_BOARD)
        set(arg_BOARD ${TAKT_BOARD})
    endif()
    get_property(root GLOBAL PROPERTY takt_root)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}-takt)
    set(options "")
    foreach(option BOARD SCHEDULER)
        if(arg_${option})
            string(TOLOWER ${option} name)
            list(APPEND options --${name} ${arg_${option}})
        endif()
    endforeach()
    if(arg_NO_PROTECTION)
        list(APPEND options --no-protection)
    endif()
    if(arg_FORCE)
        list(APPEND options --force)
    endif()
    set(run_options ${options})
    foreach(source IN LISTS arg_SOURCES)
        cmake_path(ABSOLUTE_PATH source)
        list(APPEND options --source ${source})
    endforeach()
    execute_process(
        COMMAND ${root}/takt generate ${arg_SYSTEM} ${options} --format cmake -o ${folder} --compiler ${CMAKE_C_COMPILER}
        OUTPUT_VARIABLE said ERROR_VARIABLE problem RESULT_VARIABLE code)
    if(NOT code EQUAL 0)
        message("${said}${problem}") # as it is: an error's lines are wrapped
        message(FATAL_ERROR "takt_application(${target}): takt refuses ${arg_SYSTEM}, as it says above")
    endif()
    message(STATUS "takt_application(${target}):\n${said}")
    include(${folder}/takt.cmake)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${TAKT_DEPENDS})
    takt_need_language(${target} CXX "\\.(cpp|cc|cxx)$")
    takt_need_language(${target} ASM "\\.S$")
    takt_add_executable(${target} ${folder})
    add_custom_target(${target}_run COMMAND ${root}/takt run ${arg_SYSTEM} ${run_options} --image $<TARGET_FILE:${target}>
        DEPENDS ${target} USES_TERMINAL VERBATIM)
endfunction()

# Files in a language that a project does not name are left out without a word.
function(takt_need_language target language pattern)
    list(FILTER TAKT_SOURCES INCLUDE REGEX "${pattern}")
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if(TAKT_SOURCES AND NOT language IN_LIST languages)
        list(GET TAKT_SOURCES 0 first)
        message(FATAL_ERROR "takt_application(${target}): ${first} is built, and the project is without ${language}\n"
            "  try: project(NAME LANGUAGES C ${language})")
    endif()
endfunction()

# The target, of the variables of takt.cmake, which takt_application has read.
function(takt_add_executable target folder)
    # The tool chain may have said it: GCC takes -specs once.
    string(REGEX MATCH "-specs=[^ ]+" specs "${CMAKE_C_FLAGS}")
    if(specs)
        list(TRANSFORM TAKT_OPTIONS REPLACE "${specs}" "")
        list(TRANSFORM TAKT_LINK REPLACE "${specs}" "")
    endif()
    add_library(${target}_takt INTERFACE)
    target_include_directories(${target}_takt SYSTEM INTERFACE ${TAKT_SYSTEM_INCLUDE})
    target_compile_definitions(${target}_takt INTERFACE ${TAKT_DEFINES})
    add_executable(${target} ${TAKT_SOURCES})
    set_target_properties(${target} PROPERTIES
        C_STANDARD ${TAKT_C_STANDARD} CXX_STANDARD ${TAKT_CXX_STANDARD} POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE ${TAKT_OPTIONS})
    target_compile_definitions(${target} PRIVATE ${TAKT_DEFINES})
    target_include_directories(${target} PRIVATE ${TAKT_INCLUDE})
    target_include_directories(${target} SYSTEM PRIVATE ${TAKT_SYSTEM_INCLUDE})
    # The tables come first of what is linked, as in the image of `takt build`; objects among sources would come last.
    target_link_options(${target} PRIVATE ${TAKT_LINK} -Wl,-Map=$<TARGET_FILE_DIR:${target}>/${target}.map ${TAKT_OBJECTS})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${folder}/takt.cmake ${TAKT_OBJECTS})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
    if(NOT TAKT_BOARD STREQUAL "host")
        set_target_properties(${target} PROPERTIES SUFFIX .elf)
        set(name $<TARGET_FILE_DIR:${target}>/${target})
        add_custom_command(TARGET ${target} POST_BUILD
            COMMAND ${TAKT_OBJCOPY} -O binary $<TARGET_FILE:${target}> ${name}.bin
            COMMAND ${TAKT_OBJCOPY} -O ihex $<TARGET_FILE:${target}> ${name}.hex VERBATIM)
    endif()
    # Archives are searched in order: ours come behind the libraries that the project links after this call.
    set_property(TARGET ${target} PROPERTY takt_libraries ${TAKT_LIBRARIES})
    cmake_language(EVAL CODE "cmake_language(DEFER CALL takt_link_last [[${target}]])")
endfunction()

function(takt_link_last target)
    get_target_property(libraries ${target} takt_libraries)
    target_link_libraries(${target} PRIVATE ${libraries})
endfunction()

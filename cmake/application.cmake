# SPDX-License-Identifier: Apache-2.0
# What [build] of system.toml says of an application's files (TAKT_BUILD, a file that `takt build` writes): TAKT_CXX and,
# where it is on, the compiler; TAKT_APP_... that are used below.
set(TAKT_PART_LAST 0)
if(TAKT_BUILD)
    include(${TAKT_BUILD})
endif()
if(TAKT_CXX)
    enable_language(CXX)
endif()

# Options of the application's files: those of each process (TAKT_PART_..._NUMBER), with protection and without, then the
# others. Only these files have them: what is generated is not the user's, nor are the kernel's headers.
function(takt_application_files)
    foreach(part RANGE ${TAKT_PART_LAST})
        foreach(source IN LISTS TAKT_PART_SOURCES_${part})
            if(source MATCHES "\\.(cpp|cc|cxx)$")
                set(options ${TAKT_APP_CXX_FLAGS})
            elseif(source MATCHES "\\.c$")
                set(options ${TAKT_APP_C_FLAGS})
            else()
                set(options "")
            endif()
            set_source_files_properties(${source} PROPERTIES
                COMPILE_OPTIONS "${options}"
                COMPILE_DEFINITIONS "${TAKT_PART_DEFINES_${part}};${TAKT_APP_DEFINES}"
                INCLUDE_DIRECTORIES "${TAKT_PART_INCLUDE_${part}};${TAKT_APP_INCLUDE}")
        endforeach()
    endforeach()
endfunction()

# A target with files of the application. C++ is without what needs a library, unless [build] says that there is one.
function(takt_application_target target)
    set_target_properties(${target} PROPERTIES TAKT_APPLICATION ON
        C_STANDARD ${TAKT_APP_C_STANDARD} CXX_STANDARD ${TAKT_APP_CXX_STANDARD})
    if(TAKT_HEAP AND TAKT_PORT STREQUAL "host")
        target_compile_options(${target} PRIVATE
            $<$<COMPILE_LANGUAGE:C,CXX>:--include=${PROJECT_SOURCE_DIR}/library/heap/host_names.h>)
    endif()
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${TAKT_APP_CXX_OPTIONS}>")
endfunction()

# What the link of the application needs besides the rooms: libraries, flags, and for C++ what a compiler expects of a
# system (runner/cxx). On boards main is called through runner/cxx/constructors.c.
function(takt_application_link target)
    target_link_options(${target} PRIVATE ${TAKT_APP_LINK_FLAGS})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
    if(TAKT_APP_CONSTRUCTORS AND NOT TAKT_PORT STREQUAL "host")
        target_link_options(${target} PRIVATE -Wl,--wrap=main
            -Wl,--no-warn-rwx-segments) # pointers to constructors, in a section that objects may write, are in the text
    endif()
    target_link_libraries(${target} PRIVATE ${TAKT_APP_LIBRARIES})
    if(TAKT_HEAP AND NOT TAKT_PORT STREQUAL "host") # before the C library's own, which others of its functions call
        target_link_options(${target} PRIVATE -Wl,--undefined=malloc)
    endif()
    if(TAKT_APP_LIBRARIES AND NOT TAKT_PORT STREQUAL "host") # some objects say so, and boards have no such stack
        target_link_options(${target} PRIVATE -Wl,--no-warn-execstack)
    endif()
    if(TAKT_APP_CONSTRUCTORS)
        takt_application_cxx(${target})
    endif()
endfunction()

# The library takt_cxx, of the files of runner/cxx that nothing else has: with the C++ standard library those that stand
# in for parts of it, and without it those that say that there is none.
function(takt_application_cxx target)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/runner/cxx/*.c)
    if(TAKT_PORT STREQUAL "host")
        list(FILTER sources EXCLUDE REGEX "/(constructors|exit)\\.c$") # its C library has these
        target_link_options(${target} PRIVATE -Wl,--undefined=__cxa_pure_virtual) # runner/cxx/virtual.c
    endif()
    if(NOT TAKT_HEAP)
        list(FILTER sources EXCLUDE REGEX "/new\\.c$")
    endif()
    if(TAKT_APP_CXX_LIBRARY)
        list(FILTER sources EXCLUDE REGEX "/(throw|delete)\\.c$")
    else()
        list(FILTER sources EXCLUDE REGEX "/exceptions\\.c$")
    endif()
    add_library(takt_cxx STATIC ${sources})
    if(TAKT_HEAP AND TAKT_PORT STREQUAL "host")
        target_compile_options(takt_cxx PRIVATE --include=${PROJECT_SOURCE_DIR}/library/heap/host_names.h)
    endif()
    target_link_libraries(takt_cxx PRIVATE takt_kernel_headers)
    if(NOT TAKT_APP_CXX_LIBRARY)
        target_link_libraries(${target} PRIVATE takt_cxx)
        return()
    endif()
    target_compile_options(takt_cxx PRIVATE -fexceptions) # operator new throws
    # Each of the two libraries calls the other. What both define is to be ours.
    target_link_options(${target} PRIVATE -Wl,--undefined=__cxa_get_globals)
    if(TAKT_HEAP AND TAKT_PORT STREQUAL "host") # operator new: the library's has the heap of the machine
        target_link_options(${target} PRIVATE -Wl,--undefined=_Znwm)
    endif()
    target_link_libraries(${target} PRIVATE -Wl,--start-group takt_cxx -l:libstdc++.a -Wl,--end-group)
endfunction()

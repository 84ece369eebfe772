# SPDX-License-Identifier: Apache-2.0
# The code of a board: the C files of boards/NAME, and those of the folders of chips/ that its board.toml names.

# The key `chips` of a board.toml, one line: chips = ["mps2", "emulated"].
function(takt_board_chips board_toml chips)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${board_toml})
    file(STRINGS ${board_toml} line REGEX "^chips *=")
    string(REGEX MATCHALL "\"[a-z0-9_-]+\"" names "${line}")
    list(TRANSFORM names REPLACE "\"" "")
    set(${chips} ${names} PARENT_SCOPE)
endfunction()

# The library takt_board. A folder of chips/ may bring a chip.cmake, for options of its files, and parts of linker
# scripts.
function(takt_board root board)
    takt_board_chips(${root}/boards/${board}/board.toml chips)
    set(sources "")
    set(folders "")
    set(scripts "")
    foreach(folder IN LISTS chips)
        set(folder ${root}/chips/${folder})
        file(GLOB found CONFIGURE_DEPENDS ${folder}/*.c)
        file(GLOB parts CONFIGURE_DEPENDS ${folder}/*.ld)
        list(APPEND sources ${found})
        list(APPEND scripts ${parts})
        list(APPEND folders ${folder})
        include(${folder}/chip.cmake OPTIONAL)
    endforeach()
    set(folder ${root}/boards/${board})
    file(GLOB found CONFIGURE_DEPENDS ${folder}/*.c)
    add_library(takt_board OBJECT ${sources} ${found})
    target_include_directories(takt_board PRIVATE ${folders}) # chips/emulated asks for semihosting_call.h
    target_link_libraries(takt_board PUBLIC takt_options)
    if(EXISTS ${folder}/link.ld)
        list(TRANSFORM folders PREPEND -L)
        target_link_options(takt_board INTERFACE -nostartfiles -T${folder}/link.ld ${folders})
        set_property(TARGET takt_board PROPERTY INTERFACE_LINK_DEPENDS ${folder}/link.ld ${scripts})
    endif()
endfunction()

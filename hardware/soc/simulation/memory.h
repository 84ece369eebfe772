/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_SIMULATION_MEMORY_H
#define TAKT_SIMULATION_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <string>

/* The simulated memory as bytes, which lie in it as on this machine: both are little-endian. */
struct Memory {
    uint8_t *bytes;
    uint32_t base;
    uint32_t size;

    /* `length` bytes at an address of the program, or nullptr: not all of them are in the memory. */
    uint8_t *at(uint32_t address, size_t length) const
    {
        uint32_t offset = address - base;
        return offset <= size && length <= size - offset ? bytes + offset : nullptr;
    }
};

/* Loads an ELF file where its segments want to be (physical addresses). False, and `problem` says why: it is none. */
bool load_elf(const std::string &path, const Memory &memory, std::string &problem);

#endif

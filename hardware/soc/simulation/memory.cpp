/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

bool load_elf(const std::string &path, const Memory &memory, std::string &problem)
{
    std::ifstream file(path, std::ios::binary);
    std::vector<char> content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    Elf32_Ehdr header;
    if (content.size() < sizeof header) {
        problem = path + ": not there, or no ELF file";
        return false;
    }
    std::memcpy(&header, content.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS32 ||
        header.e_machine != EM_RISCV) {
        problem = path + ": no ELF file of a 32-bit RISC-V";
        return false;
    }
    for (size_t i = 0; i < header.e_phnum; i++) {
        Elf32_Phdr segment;
        size_t at = header.e_phoff + i * sizeof segment;
        if (at + sizeof segment > content.size()) {
            problem = path + ": the file ends early";
            return false;
        }
        std::memcpy(&segment, content.data() + at, sizeof segment);
        if (segment.p_type != PT_LOAD || segment.p_filesz == 0) {
            continue;
        }
        uint8_t *to = memory.at(segment.p_paddr, segment.p_filesz);
        if (to == nullptr || size_t{segment.p_offset} + segment.p_filesz > content.size()) {
            problem = path + ": a segment lies outside the memory, or the file ends early";
            return false;
        }
        std::memcpy(to, content.data() + segment.p_offset, segment.p_filesz);
    }
    return true;
}

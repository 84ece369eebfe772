/* SPDX-License-Identifier: Apache-2.0 */
#include "profile.h"

#include <cinttypes>
#include <cstdio>

bool Profile::write(const std::string &path) const
{
    std::FILE *file = std::fopen(path.c_str(), "w");
    if (file == nullptr) {
        return false;
    }
    std::fprintf(file, "cycles %" PRIu64 "\nasleep %" PRIu64 "\ninstructions %" PRIu64 "\n", cycles_, asleep_,
                 instructions_);
    for (size_t i = 0; i < counts_.size(); i++) {
        if (counts_[i].instructions != 0) {
            std::fprintf(file, "0x%08" PRIx32 " %" PRIu64 " %" PRIu64 "\n", base_ + 2 * static_cast<uint32_t>(i),
                         counts_[i].cycles, counts_[i].instructions);
        }
    }
    return std::fclose(file) == 0;
}

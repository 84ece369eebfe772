/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_SIMULATION_PROFILE_H
#define TAKT_SIMULATION_PROFILE_H

#include <cstdint>
#include <string>
#include <vector>

/*
 * Where the time goes: an instruction is charged the cycles since the one before it retired, those aside in which the
 * processor slept. What it waited for, and the way into a trap, is in the instruction that came out of it.
 */
class Profile
{
  public:
    Profile(uint32_t base, uint32_t size) : base_(base), counts_(size / 2)
    {
    }

    void retired(uint32_t pc)
    {
        Count &count = counts_[(pc - base_) / 2 % counts_.size()];
        count.instructions++;
        count.cycles += since_;
        instructions_++;
        since_ = 0;
    }
    void cycle(bool asleep)
    {
        cycles_++;
        asleep_ += asleep ? 1 : 0;
        since_ += asleep ? 0 : 1;
    }
    void skipped(uint64_t cycles)
    {
        cycles_ += cycles;
        asleep_ += cycles;
    }
    uint64_t instructions() const
    {
        return instructions_;
    }

    /*
     * Lines of text: "cycles N", "asleep N", "instructions N", then for each address whose instruction retired
     * "0xADDRESS CYCLES INSTRUCTIONS". tools/takt/observe/cycles.py reads it. False: the file cannot be written.
     */
    bool write(const std::string &path) const;

  private:
    struct Count {
        uint64_t cycles = 0;
        uint64_t instructions = 0;
    };
    uint32_t base_;
    std::vector<Count> counts_;
    uint64_t cycles_ = 0;
    uint64_t asleep_ = 0;
    uint64_t instructions_ = 0;
    uint64_t since_ = 0;
};

#endif

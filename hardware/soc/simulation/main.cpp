/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulation of hardware/soc: `ibex-soc [--every-cycle] [--access-cycles N] [--fetch-waits N] [--data-waits N]
 * [--figures FILE] IMAGE [name=value ...]` loads an image, hands the options over to it and ends with the status that
 * it ends with. Its console is standard output. FILE: see profile.h. --every-cycle: no time is skipped. N: cycles that
 * each access to the task manager, each fetch of a word of instructions, each access to data in the memory takes
 * besides.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "Vibex_soc.h"
#include "Vibex_soc___024root.h"
#include "host.h"
#include "manager.h"
#include "memory.h"
#include "profile.h"

namespace
{

constexpr uint32_t MEMORY_BASE = 0x80000000; /* soc_pkg.sv */
constexpr uint64_t NS_PER_CYCLE = 20;        /* ibex_soc.sv */
constexpr uint64_t NEVER = UINT64_MAX;
constexpr uint64_t NOBODYS_NS = 1000; /* a sleep of so long after an expiry does not wait for it: it is masked */
constexpr int STATUS_MISUSE = 2;
constexpr int STATUS_ASLEEP = 5; /* and nothing will wake it */

/* Cycles besides, by target. */
struct Waits {
    unsigned long access = 0;
    unsigned long fetch = 0;
    unsigned long data = 0;
};

enum HostEvent { NOTHING, CONSOLE, CALL, EXIT }; /* soc_pkg.sv */

class Simulation
{
  public:
    Simulation(bool skips, const Waits &waits)
        : skips_(skips), memory_{reinterpret_cast<uint8_t *>(&soc_.rootp->ibex_soc__DOT__u_memory__DOT__words[0]),
                                 MEMORY_BASE, sizeof soc_.rootp->ibex_soc__DOT__u_memory__DOT__words},
          profile_(MEMORY_BASE, memory_.size)
    {
        soc_.rtm_cycles_i = static_cast<uint16_t>(waits.access);
        soc_.fetch_cycles_i = static_cast<uint16_t>(waits.fetch);
        soc_.data_cycles_i = static_cast<uint16_t>(waits.data);
    }

    const Memory &memory() const
    {
        return memory_;
    }
    const Profile &profile() const
    {
        return profile_;
    }

    int run(const std::string &command_line)
    {
        reset();
        for (;;) {
            edge();
            bool asleep = soc_.asleep_o != 0;
            profile_.cycle(asleep);
            if (soc_.retired_o != 0) {
                profile_.retired(soc_.retired_pc_o);
            }
            if (soc_.host_event_o == EXIT) {
                std::fflush(stdout);
                return static_cast<int>(soc_.host_data_o);
            }
            if (soc_.host_event_o != NOTHING) {
                serve(command_line);
            }
            soc_.skip_ns_i = 0;
            if (asleep && skips_ && !skip()) {
                std::fprintf(stderr, "ibex-soc: the processor sleeps and nothing will wake it\n");
                return STATUS_ASLEEP;
            }
        }
    }

  private:
    void edge()
    {
        soc_.clk_i = 1;
        soc_.eval();
        soc_.clk_i = 0;
        soc_.eval();
    }

    void reset()
    {
        soc_.rst_ni = 1;
        edge();
        soc_.rst_ni = 0;
        edge();
        soc_.rst_ni = 1;
    }

    void serve(const std::string &command_line)
    {
        if (soc_.host_event_o == CONSOLE) {
            std::putchar(static_cast<int>(soc_.host_data_o & 0xff));
            return;
        }
        std::fflush(stdout);
        host_call(soc_.host_data_o, memory_, command_line);
    }

    uint64_t awaited(uint64_t expiry_ns) const
    {
        return soc_.time_ns_o > NOBODYS_NS && expiry_ns < soc_.time_ns_o - NOBODYS_NS ? NEVER : expiry_ns;
    }

    /*
     * Lets time jump to the edge that sees the next expiry, or a little before, by whole rounds of the task manager,
     * which looks at the same record again then. Nothing else changes while the processor sleeps.
     */
    bool skip()
    {
        uint64_t next = manager::next_ns(*soc_.rootp, soc_.time_ns_o);
        next = std::min(next, awaited(soc_.compare_ns_o));
        for (size_t i = 0; i < sizeof soc_.next_ns_o / sizeof(uint64_t); i++) {
            next =
                std::min(next, awaited(static_cast<uint64_t>(soc_.next_ns_o[2 * i + 1]) << 32 | soc_.next_ns_o[2 * i]));
        }
        if (next == NEVER) {
            return false;
        }
        if (next > soc_.time_ns_o) {
            uint64_t cycles = (next - soc_.time_ns_o + NS_PER_CYCLE - 1) / NS_PER_CYCLE - 1;
            cycles -= cycles % manager::ROUND;
            soc_.skip_ns_i = cycles * NS_PER_CYCLE;
            profile_.skipped(cycles);
        }
        return true;
    }

    bool skips_;
    Vibex_soc soc_;
    Memory memory_;
    Profile profile_;
};

} // namespace

int main(int argc, char **argv)
{
    int next = 1;
    bool skips = true;
    Waits waits;
    const std::map<std::string, unsigned long *> numbers = {
        {"--access-cycles", &waits.access}, {"--fetch-waits", &waits.fetch}, {"--data-waits", &waits.data}};
    std::string figures;
    for (; next < argc && argv[next][0] == '-'; next++) {
        std::string option = argv[next];
        auto number = numbers.find(option);
        if (option == "--every-cycle") {
            skips = false;
        } else if (number != numbers.end() && next + 1 < argc) {
            *number->second = std::strtoul(argv[++next], nullptr, 10);
        } else if (option == "--figures" && next + 1 < argc) {
            figures = argv[++next];
        } else {
            next = argc;
        }
    }
    if (next >= argc || std::max({waits.access, waits.fetch, waits.data}) > UINT16_MAX) {
        std::fprintf(stderr,
                     "ibex-soc [--every-cycle] [--access-cycles N] [--fetch-waits N] [--data-waits N] [--figures "
                     "FILE] IMAGE [name=value ...]\n");
        return STATUS_MISUSE;
    }
    Simulation simulation(skips, waits);
    std::string problem;
    if (!load_elf(argv[next], simulation.memory(), problem)) {
        std::fprintf(stderr, "ibex-soc: %s\n", problem.c_str());
        return STATUS_MISUSE;
    }
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    std::string command_line = "takt";
    for (int i = next + 1; i < argc; i++) {
        command_line += std::string(" ") + argv[i];
    }
    int status = simulation.run(command_line);
    if (!figures.empty() && !simulation.profile().write(figures)) {
        std::fprintf(stderr, "ibex-soc: %s cannot be written\n", figures.c_str());
        return STATUS_MISUSE;
    }
    return status;
}

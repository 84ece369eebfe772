/* SPDX-License-Identifier: Apache-2.0 */
/* What the task manager will do by itself, with no access to it: to be asked while the processor sleeps. */
#ifndef TAKT_SOC_MANAGER_H
#define TAKT_SOC_MANAGER_H

#include <algorithm>
#include <cstdint>

#include "Vibex_soc.h"
#include "Vibex_soc___024root.h"

namespace manager
{

/* One record's time is looked at in a cycle, in turn: after so many cycles the same one is. ibex_soc.sv: RtmRecords */
constexpr uint64_t ROUND = RTM_RECORDS;
constexpr unsigned SHIFT = 6; /* ibex_soc.sv: RtmShift */

/* The bits of a vector of 32, 64 or 128. */
template <typename Word> bool bit(const Word &word, unsigned index)
{
    return (word >> index & 1) != 0;
}
template <std::size_t Words> bool bit(const VlWide<Words> &words, unsigned index)
{
    return (words[index / 32] >> index % 32 & 1) != 0;
}

/* The time at which it may act next, in ns; `now_ns`: it is active. UINT64_MAX: never. */
inline uint64_t next_ns(const Vibex_soc___024root &root, uint64_t now_ns)
{
    if (root.ibex_soc__DOT__u_rtm__DOT__u_rtm__DOT__slot_q != 0 ||
        root.ibex_soc__DOT__u_rtm__DOT__u_rtm__DOT__after_settled == 0) {
        return now_ns;
    }
    uint64_t next = UINT64_MAX;
#if !RTM_CLASSIC
    const auto &delayed = root.ibex_soc__DOT__u_rtm__DOT__u_rtm__DOT__delayed;
    const auto &times =
        root.ibex_soc__DOT__u_rtm__DOT__u_rtm__DOT__gen_timers__DOT__u_timers__DOT__u_times__DOT__gen_memory__DOT__word_q;
    uint64_t now = now_ns >> SHIFT;
    for (unsigned i = 0; i < RTM_RECORDS; i++) {
        if (bit(delayed, i)) {
            uint32_t left = times[i] - static_cast<uint32_t>(now);
            bool come = left == 0 || left > UINT32_C(1) << 31;
            next = std::min(next, come ? now_ns : (now + left) << SHIFT);
        }
    }
#endif
    return next;
}

} // namespace manager

#endif

// SPDX-License-Identifier: Apache-2.0
// What Python calls (tools/takt/hardware/simulate.py): one cycle of rtm.sv, and what it shows. UNIT: where rtm.sv is in
// the module that was compiled, as in rtm__DOT__.
#include "Vrtm.h"
#include "Vrtm___024root.h"

#define JOIN(a, b) a##b
#define NAME(unit, signal) JOIN(unit, signal)
#define INSIDE(signal) rtm->rootp->NAME(UNIT, signal)

struct out {
    uint32_t ready, done, data, error, switch_on, slot, index, settled, some, next, waits;
};

extern "C" {

void *rtm_new()
{
    Vrtm *rtm = new Vrtm;
    rtm->clk_i = 0;
    rtm->valid_i = 0;
    rtm->rst_ni = 1;
    rtm->eval();
    rtm->rst_ni = 0;
    rtm->eval();
    rtm->rst_ni = 1;
    rtm->eval();
    return rtm;
}

void rtm_delete(void *handle)
{
    delete static_cast<Vrtm *>(handle);
}

// The outputs are those of the cycle, before the edge that ends it.
void rtm_step(void *handle, uint32_t now, uint32_t valid, uint32_t write, uint32_t address, uint32_t data, out *out)
{
    Vrtm *rtm = static_cast<Vrtm *>(handle);
    rtm->now_i = now;
    rtm->valid_i = valid;
    rtm->write_i = write;
    rtm->address_i = address;
    rtm->data_i = data;
    rtm->eval();
    out->ready = rtm->ready_o;
    out->done = rtm->done_o;
    out->data = rtm->data_o;
    out->error = rtm->error_o;
    out->switch_on = rtm->switch_o;
    out->slot = INSIDE(slot_q);
    out->index = INSIDE(index_q);
    out->settled = INSIDE(next_settled);
    out->some = INSIDE(next_some);
    out->next = INSIDE(next);
    out->waits = INSIDE(waits);
    rtm->clk_i = 1;
    rtm->eval();
    rtm->clk_i = 0;
    rtm->eval();
}
}

// SPDX-License-Identifier: Apache-2.0
// What Python calls (tools/takt/hardware/simulate.py): one cycle of rtm.sv, and what it shows.
#include "Vrtm.h"
#include "Vrtm___024root.h"

struct out {
    uint32_t ready, done, data, error, switch_on, slot, index, settled, some, next;
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
    out->slot = rtm->rootp->rtm__DOT__slot_q;
    out->index = rtm->rootp->rtm__DOT__index_q;
    out->settled = rtm->rootp->rtm__DOT__next_settled;
    out->some = rtm->rootp->rtm__DOT__next_some;
    out->next = rtm->rootp->rtm__DOT__next;
    rtm->clk_i = 1;
    rtm->eval();
    rtm->clk_i = 0;
    rtm->eval();
}
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "takt/can_service.h"

#include <string.h>

#include "base/arith.h"
#include "kernel/port.h"
#include "takt/fault.h"
#include "takt/task.h"
#include "takt/time.h"

static struct takt_can_controller *controller_of(const struct takt_can_service_config *config)
{
    struct takt_can_controller *controller = takt_board_can(config->index, &config->bus);
    TAKT_ASSERT(controller != NULL); /* the tool has looked */
    return controller;
}

void takt_can_service_start(struct takt_can_service *service, const struct takt_can_service_config *config)
{
    struct takt_can_controller *controller = controller_of(config);
    *service = (struct takt_can_service){.config = config, .controller = controller};
    (void)controller->calls->filter(controller, config->filters, config->filter_count); /* else it receives all */
    (void)controller->calls->start(controller);
    if (config->sends) {
        struct takt_can_queue_config queue = config->queue;
        queue.controller = controller;
        takt_can_queue_init(&service->queue, &queue);
    }
}

/* Times of a message: of all that wait, and of one that is queued before what was transmitted is noted. */
static uint32_t ages_of(const struct takt_can_service *service, uint32_t message)
{
    return service->config->queue.streams[message].depth + 1u;
}

/* Notes of a message how long what was transmitted since the last call took. Of one identifier frames are sent as they
 * were queued. */
static void note(struct takt_can_service *service, uint32_t message, uint64_t now_ns)
{
    const struct takt_can_service_config *config = service->config;
    const struct takt_can_counters *counters = takt_can_queue_counters(&service->queue, message);
    struct takt_can_seen *seen = &config->seen[message];
    uint32_t sent = counters->sent - seen->count;
    uint32_t gone = seen->waiting - (counters->queued - counters->sent - counters->lost);
    for (; gone > 0; gone--, sent -= sent != 0) {
        uint64_t took_ns = now_ns - config->ages[config->sent[message].ages + seen->oldest] + config->intermission_ns;
        if (sent > 0 && took_ns > seen->response_max_ns) {
            seen->response_max_ns = took_ns;
        }
        if (took_ns > config->sent[message].bound_ns && seen->late_ns == 0) {
            seen->late_ns = now_ns;
        }
        uint16_t next = (uint16_t)(seen->oldest + 1u);
        seen->oldest = next == ages_of(service, message) ? 0 : next;
        seen->waiting--;
    }
    seen->count = counters->sent;
    seen->lost = counters->lost + counters->early + counters->full + counters->off;
    if (seen->lost != 0 && seen->late_ns == 0) {
        seen->late_ns = now_ns;
    }
}

/* Of those of which something was transmitted or lost. */
static void note_all(struct takt_can_service *service, uint64_t now_ns)
{
    uint32_t message = takt_can_queue_ended(&service->queue);
    for (; message != TAKT_CAN_STREAMS_MAX; message = takt_can_queue_ended(&service->queue)) {
        note(service, message, now_ns);
    }
}

/* From when the response of a message counts. A kernel without jobs has none that is released. */
static uint64_t released(const struct takt_can_sent *sent, uint64_t now_ns)
{
#if TAKT_JOBS
    return sent->of_job ? takt_job_release_ns() : now_ns;
#else
    (void)sent;
    return now_ns;
#endif
}

static enum takt_status queue(struct takt_can_service *service, uint32_t message, const void *data, uint64_t now_ns,
                              uint64_t release_ns, uint64_t counts_from_ns)
{
    const struct takt_can_service_config *config = service->config;
    const struct takt_can_sent *sent = &config->sent[message];
    struct takt_can_seen *seen = &config->seen[message];
    struct takt_can_frame frame; /* whose data beyond its length is not read */
    frame.shape = sent->shape;
    frame.passive = false;
    frame.id = sent->id;
    memcpy(frame.data, data, sent->size);
    memset(frame.data + sent->size, 0, takt_can_bytes(&frame.shape) - sent->size);
    enum takt_status status = takt_can_queue_send(&service->queue, message, &frame, release_ns);
    if (status == TAKT_OK) {
        uint32_t place = (uint32_t)seen->oldest + seen->waiting, count = ages_of(service, message);
        config->ages[sent->ages + (place < count ? place : place - count)] = counts_from_ns;
        seen->waiting++;
        if (sent->forwarded) {
            takt_board_can_queued(config->index, &frame, counts_from_ns);
        }
    } else {
        note(service, message, now_ns);
    }
    note_all(service, now_ns);
    return status;
}

enum takt_status takt_can_service_send(struct takt_can_service *service, uint32_t message, const void *data)
{
    uint32_t lock = takt_port_lock();
    uint64_t now_ns = takt_port_now_ns();
    uint64_t release_ns = released(&service->config->sent[message], now_ns);
    enum takt_status status = queue(service, message, data, now_ns, release_ns, release_ns);
    takt_port_unlock(lock);
    return status;
}

enum takt_status takt_can_service_forward(struct takt_can_service *service, uint32_t message, const void *data,
                                          const uint64_t *origin_ns)
{
    uint32_t lock = takt_port_lock();
    uint64_t now_ns = takt_port_now_ns();
    enum takt_status status = queue(service, message, data, now_ns, now_ns, origin_ns == NULL ? now_ns : *origin_ns);
    takt_port_unlock(lock);
    return status;
}

/* Below zero: `frame` comes before it. */
static int compare(const struct takt_can_frame *frame, const struct takt_can_received *received)
{
    if (frame->shape.extended != received->shape.extended) {
        return frame->shape.extended ? 1 : -1;
    }
    return frame->id < received->id ? -1 : frame->id > received->id;
}

static void take(const struct takt_can_service_config *config, const struct takt_can_frame *frame)
{
    uint32_t low = 0, high = config->received_count;
    while (low < high) { /* O(log count) */
        uint32_t middle = low + (high - low) / 2;
        int order = compare(frame, &config->received[middle]);
        if (order == 0) {
            const struct takt_can_received *received = &config->received[middle];
            struct takt_can_seen *seen = &config->seen[config->queue.stream_count + middle];
            bool whole = !frame->shape.remote && takt_can_bytes(&frame->shape) >= received->size;
            bool taken = whole && received->take(frame->data);
            seen->count += taken;
            seen->lost += !taken;
            seen->late_ns = taken || seen->late_ns != 0 ? seen->late_ns : takt_port_now_ns();
            return;
        }
        low = order < 0 ? low : middle + 1;
        high = order < 0 ? middle : high;
    }
}

static bool receive(struct takt_can_service *service, struct takt_can_frame *frame)
{
    uint32_t lock = takt_port_lock();
    bool received = service->controller->calls->receive(service->controller, frame);
    takt_port_unlock(lock);
    return received;
}

void takt_can_service_interrupt(struct takt_can_service *service)
{
    struct takt_can_frame frame;
    uint32_t lock = takt_port_lock();
    if (service->config->sends) {
        takt_can_queue_service(&service->queue);
        note_all(service, takt_port_now_ns());
        if (takt_can_queue_is_off(&service->queue)) {
            service->bus_offs++;
            takt_can_queue_recover(&service->queue);
        }
    }
    takt_port_unlock(lock);
    while (receive(service, &frame)) { /* as many as the controller has buffers */
        take(service->config, &frame);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_PORT_PROCESS_H
#define TAKT_PORT_PROCESS_H

/* What a protected build knows of this port: protected.c. */
#include <stdint.h>

struct takt_port_map;

/*
 * The registers of a task that does not run except those that the processor keeps on the task's stack: with the task's
 * rights, and nothing that decides where privileged code goes on. First what a switch saves, then what it loads
 * besides.
 */
struct takt_port_context {
    uint32_t psp;
    uint32_t r4_to_r11[8];
    uint32_t guard;                  /* MPU_RBAR of the guard region */
    uint32_t control;                /* CONTROL */
    const struct takt_port_map *map; /* NULL: privileged, and any will do */
};

/* MPU_RBAR and MPU_RASR of regions 0 to 6. The last is the guard's: the highest number wins. */
#define TAKT_ARMV7M_REGIONS 7u
struct takt_port_map {
    uint32_t registers[2 * TAKT_ARMV7M_REGIONS];
};

/* r12 is free at a call, and the trap takes it from the frame, with the arguments. */
#define TAKT_PORT_STUB(symbol, number)                            \
    __asm(".pushsection .text." #symbol ", \"ax\", %progbits\n\t" \
          ".syntax unified\n\t"                                   \
          ".thumb\n\t"                                            \
          ".balign 4\n\t"                                         \
          ".global " #symbol "\n\t"                               \
          ".type " #symbol ", %function\n\t"                      \
          ".thumb_func\n" #symbol ":\n\t"                         \
          "movw r12, #" #number "\n\t"                            \
          "svc  0\n\t"                                            \
          "bx   lr\n\t"                                           \
          ".size " #symbol ", . - " #symbol "\n\t"                \
          ".popsection")

#endif

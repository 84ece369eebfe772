/* SPDX-License-Identifier: Apache-2.0 */
/* Ticks are so far apart that none comes by itself: they are pended by hand (target.h), except in share.c. */
#define configMTIME_BASE_ADDRESS 0x0200BFF8u
#define configMTIMECMP_BASE_ADDRESS 0x02004000u
#ifdef BENCHMARK_TICKS
#define configCPU_CLOCK_HZ 40000000u
#define configTICK_RATE_HZ 250u
#else
#define configCPU_CLOCK_HZ 4000000000u
#define configTICK_RATE_HZ 1u
#endif

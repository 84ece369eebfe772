/* SPDX-License-Identifier: Apache-2.0 */
/* Three bits of priority are used; the kernel's line is where Takt's is. */
#define configPRIO_BITS 3
#define configKERNEL_INTERRUPT_PRIORITY 0xE0u
#define configMAX_SYSCALL_INTERRUPT_PRIORITY 0x40u
#define configCPU_CLOCK_HZ 25000000u
#ifdef BENCHMARK_TICKS
#define configTICK_RATE_HZ 250u
#else
#define configTICK_RATE_HZ 1000u
#endif

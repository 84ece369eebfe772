/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is not as in benchmarks/kernel/freertos/FreeRTOSConfig.h, which includes this: a priority for each task of the
 * workload, and idle's, so no slices among equals; the processor sleeps in idle; no heap. The clock counts ns.
 * CMakeLists.txt defines TICK_US and TICK_HOOK.
 */
#undef configMAX_PRIORITIES
#define configMAX_PRIORITIES 64
#undef configUSE_PORT_OPTIMISED_TASK_SELECTION
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 0
#undef configUSE_TICK_HOOK
#define configUSE_TICK_HOOK TICK_HOOK
#undef configUSE_TIME_SLICING
#define configUSE_TIME_SLICING 0
#undef configUSE_IDLE_HOOK
#define configUSE_IDLE_HOOK 1
#undef configSUPPORT_DYNAMIC_ALLOCATION
#define configSUPPORT_DYNAMIC_ALLOCATION 0

#define configMTIME_BASE_ADDRESS 0x0200BFF8u
#define configMTIMECMP_BASE_ADDRESS 0x02004000u
#define configCPU_CLOCK_HZ 1000000000u
#define configTICK_RATE_HZ (1000000u / TICK_US)

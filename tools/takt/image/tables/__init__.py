# SPDX-License-Identifier: Apache-2.0
"""From a proof to tables in C: of the kernel, of processes, of injected faults."""

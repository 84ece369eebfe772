# SPDX-License-Identifier: Apache-2.0
"""The proof: bands, response times, the kernel's overhead, and the distance of a system from the other verdict."""

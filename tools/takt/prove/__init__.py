# SPDX-License-Identifier: Apache-2.0
"""The proof: bands, response times, what the kernel costs, how far a system is from the other verdict."""

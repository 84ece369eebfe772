# SPDX-License-Identifier: Apache-2.0
"""The proof of a network: each system, the buses that join them, and what they expect of one another."""

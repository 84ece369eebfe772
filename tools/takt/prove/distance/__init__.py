# SPDX-License-Identifier: Apache-2.0
"""How far a system is from the other verdict: limits of its numbers, and what would mend it."""

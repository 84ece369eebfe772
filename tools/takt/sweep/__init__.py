# SPDX-License-Identifier: Apache-2.0
"""Studies over many task sets (docs/sweep.md)."""

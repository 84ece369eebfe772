# SPDX-License-Identifier: Apache-2.0
"""Mutexes that are locked next, found in the C of an application (docs/hints.md; seed 000, 5.4)."""

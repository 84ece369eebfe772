# SPDX-License-Identifier: Apache-2.0
"""The experiments of seed 002, 7.3."""

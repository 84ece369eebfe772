# SPDX-License-Identifier: Apache-2.0
"""Identifiers that mend a bus: which ones, and what is said of them."""

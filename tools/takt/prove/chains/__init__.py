# SPDX-License-Identifier: Apache-2.0
"""Chains of tasks and messages: whether reaction and age keep to their limits."""

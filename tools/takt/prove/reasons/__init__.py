# SPDX-License-Identifier: Apache-2.0
"""Verdicts in words."""

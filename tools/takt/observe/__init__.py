# SPDX-License-Identifier: Apache-2.0
"""Runs: an image executed, its trace rebuilt, its faults, and what was observed held against the proof."""

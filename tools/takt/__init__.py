# SPDX-License-Identifier: Apache-2.0
"""Takt's host tools: one command line over one declaration."""

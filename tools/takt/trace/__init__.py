# SPDX-License-Identifier: Apache-2.0
"""Trace files: their format, read and written."""

# SPDX-License-Identifier: Apache-2.0
"""Runs that someone watches: again when a file changes (`watch.py`)."""

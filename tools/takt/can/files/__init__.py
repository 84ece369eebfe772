# SPDX-License-Identifier: Apache-2.0
"""Readers of the files that describe the messages of a bus, a format each."""

# SPDX-License-Identifier: Apache-2.0
"""Logs of a bus: candump, ASC, BLF and pcap, written and read."""

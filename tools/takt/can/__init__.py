# SPDX-License-Identifier: Apache-2.0
"""CAN buses: files that describe their messages, and whether these arrive in time."""

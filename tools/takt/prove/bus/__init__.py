# SPDX-License-Identifier: Apache-2.0
"""CAN buses of a system: whether every message arrives in time."""

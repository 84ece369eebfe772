# SPDX-License-Identifier: Apache-2.0
"""A choice of offsets for the messages of each node (docs/can.md)."""

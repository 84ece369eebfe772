# SPDX-License-Identifier: Apache-2.0
"""CAN buses: [[can]] and [[message]]."""

# SPDX-License-Identifier: Apache-2.0
"""A bus in simulation: what its messages do beside what is proved of them."""

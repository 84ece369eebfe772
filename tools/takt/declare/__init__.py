# SPDX-License-Identifier: Apache-2.0
"""What system.toml declares: read, checked against itself, and as data."""

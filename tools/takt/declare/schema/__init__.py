# SPDX-License-Identifier: Apache-2.0
"""What system.toml may hold, how a TOML file is read by it, and the classes that it becomes."""

# SPDX-License-Identifier: Apache-2.0
"""[console] of system.toml: input from the console."""

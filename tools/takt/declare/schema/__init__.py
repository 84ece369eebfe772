# SPDX-License-Identifier: Apache-2.0
"""The schema of system.toml: its keys, the reader, and the classes of the model."""

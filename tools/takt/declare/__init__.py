# SPDX-License-Identifier: Apache-2.0
"""Reads and checks the declaration, system.toml, and holds it as data."""

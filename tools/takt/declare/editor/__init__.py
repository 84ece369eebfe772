# SPDX-License-Identifier: Apache-2.0
"""What editors and CI know of a declaration: its schema, and messages at a line."""

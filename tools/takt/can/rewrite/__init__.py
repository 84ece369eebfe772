# SPDX-License-Identifier: Apache-2.0
"""Other identifiers for the messages of a file, in which nothing else changes: a module for each format."""

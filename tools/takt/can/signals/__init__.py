# SPDX-License-Identifier: Apache-2.0
"""Signals of messages: where they lie, and C code that packs and unpacks them."""

# SPDX-License-Identifier: Apache-2.0
"""Figures by name, as tools of this folder hand them on."""

from __future__ import annotations

Rows = dict[str, int]

# SPDX-License-Identifier: Apache-2.0
"""The page of a run: one self-contained HTML file with the schedule's timeline, its figures, and the plant's plots."""

from takt.report.page import page, trace_page

__all__ = ["page", "trace_page"]

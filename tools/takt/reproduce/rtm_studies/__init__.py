# SPDX-License-Identifier: Apache-2.0
"""What seed 001 did not vary, or more than the grid of takt.reproduce.rtm has, on the same kernels and workload.

A module has NAME, the document that is kept of it, `measure`, and `markdown`, its part of docs/reproduction-rtm.md.
"""

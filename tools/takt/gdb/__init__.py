# SPDX-License-Identifier: Apache-2.0
"""The extension of gdb that knows Takt's tasks and objects. It runs in gdb's own Python: standard library only.

`takt_gdb.py` is what gdb loads. Nothing here writes to the program that is debugged, or calls a function of it.
"""

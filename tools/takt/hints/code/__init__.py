# SPDX-License-Identifier: Apache-2.0
"""The sources of an application, parsed: expressions, writes, calls of the kernel, and what C++ hides."""

# SPDX-License-Identifier: Apache-2.0
"""What is for work on Takt itself: tests, faults that they must find, coverage, generated pages."""

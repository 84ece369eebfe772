# SPDX-License-Identifier: Apache-2.0
"""The kinds of services, a file for each, and what some of them compute."""

# SPDX-License-Identifier: Apache-2.0
"""Searches over lists of bands."""

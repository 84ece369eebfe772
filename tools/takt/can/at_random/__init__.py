# SPDX-License-Identifier: Apache-2.0
"""Errors at random, which have no bound: the probability of a missed deadline."""

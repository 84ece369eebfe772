# SPDX-License-Identifier: Apache-2.0
"""Measurements of the host tools, of peers, and of the experiments of the seeds."""

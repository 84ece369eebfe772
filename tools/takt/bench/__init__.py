# SPDX-License-Identifier: Apache-2.0
"""Measurements of the kernel on its boards, beside its peers; what else is measured: takt.bench.studies."""

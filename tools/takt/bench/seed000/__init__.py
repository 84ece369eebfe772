# SPDX-License-Identifier: Apache-2.0
"""`takt bench seed000`: tables of seed 000, ours beside its figures."""

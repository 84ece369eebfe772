# SPDX-License-Identifier: Apache-2.0
"""The commands of `takt can`, a module each."""

# SPDX-License-Identifier: Apache-2.0
"""Builds of one's own: what they compile and link, in the words of their build systems, and their images."""

# SPDX-License-Identifier: Apache-2.0
"""Reflective memory: areas of this machine (takt.reflect.areas is their Python binding), and channels between
machines."""

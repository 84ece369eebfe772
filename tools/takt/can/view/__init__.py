# SPDX-License-Identifier: Apache-2.0
"""The load of a bus as a picture that can be zoomed: one HTML file, or a section of one."""

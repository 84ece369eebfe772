# SPDX-License-Identifier: Apache-2.0
"""The formats of other tools, a file or two for each."""

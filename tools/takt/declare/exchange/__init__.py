# SPDX-License-Identifier: Apache-2.0
"""Systems in the formats of other tools: read into a declaration, and written from one."""

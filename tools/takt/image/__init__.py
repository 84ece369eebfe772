# SPDX-License-Identifier: Apache-2.0
"""From a proved system to an image: tables, compilation, links, regions, stacks."""

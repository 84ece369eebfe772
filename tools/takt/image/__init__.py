# SPDX-License-Identifier: Apache-2.0
"""From a proved system to an image: compilation, links, regions, stacks; tables/: tables in C."""

# SPDX-License-Identifier: Apache-2.0
"""What commands take on the machine that they run on."""

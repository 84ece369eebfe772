# SPDX-License-Identifier: Apache-2.0
"""Networks: [[node]] tables that name systems."""

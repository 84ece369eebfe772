# SPDX-License-Identifier: Apache-2.0
"""The mixed traffic scheduler on a bus that is declared: how its identifiers are laid out, what is proved, what it does
in simulation."""

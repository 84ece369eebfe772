# SPDX-License-Identifier: Apache-2.0
"""`takt reproduce can`: chapter 7 of seed 000, deadlines in the identifiers of CAN."""

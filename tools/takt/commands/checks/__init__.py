# SPDX-License-Identifier: Apache-2.0
"""`takt check`, of a system and of a network."""

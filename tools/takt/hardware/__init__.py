# SPDX-License-Identifier: Apache-2.0
"""Tools of the room hardware/: what is generated there, how it is simulated, how it is proved."""

# SPDX-License-Identifier: Apache-2.0
"""What an application is built of: [build] of system.toml, its files and their flags."""

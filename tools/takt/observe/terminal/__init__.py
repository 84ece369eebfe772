# SPDX-License-Identifier: Apache-2.0
"""`takt run --console`: the terminal on the board's serial line."""

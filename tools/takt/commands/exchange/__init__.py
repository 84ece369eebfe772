# SPDX-License-Identifier: Apache-2.0
"""Commands that read and write what other tools use."""

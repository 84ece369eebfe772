# SPDX-License-Identifier: Apache-2.0
"""Why a message may take as long as its bound."""

# SPDX-License-Identifier: Apache-2.0
"""What an image was made of."""

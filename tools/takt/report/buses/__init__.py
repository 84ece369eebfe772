# SPDX-License-Identifier: Apache-2.0
"""The buses that a system drives, in the page of a run."""

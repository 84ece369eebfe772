# SPDX-License-Identifier: Apache-2.0
"""Pages and other documents for people: of a proof, and of a run."""

# SPDX-License-Identifier: Apache-2.0
"""What every other package uses: durations, files, errors, child programs, output. Knows nothing of systems."""

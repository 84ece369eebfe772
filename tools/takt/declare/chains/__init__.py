# SPDX-License-Identifier: Apache-2.0
"""[[chain]]: paths of tasks and messages with limits on reaction and age."""

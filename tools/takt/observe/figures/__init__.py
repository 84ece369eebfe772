# SPDX-License-Identifier: Apache-2.0
"""What a run saw of queues and of the messages on buses, beside what was proved."""

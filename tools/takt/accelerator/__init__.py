# SPDX-License-Identifier: Apache-2.0
"""What a task manager in hardware changes for an application, from its declaration and from measured costs: seed 004's
time model (paper C). `plan` reads the declaration, `walk` plays it, `costs` are what events take, `forecast` compares.
"""

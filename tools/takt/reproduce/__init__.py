# SPDX-License-Identifier: Apache-2.0
"""`takt reproduce`: published figures, drawn anew from what is computed or measured here.

docs/reproduction.md, docs/reproduction-can.md, docs/reproduction-rtm.md and docs/reproduction-midart.md show them
beside what was published, from figures that are kept (`takt bench docs`).
"""

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The version of Takt that an image was built with, of pyproject.toml: `takt VERSION` in an ELF note that is not
 * loaded, so it costs no byte on the board. tools/takt/image/version_note.py reads it, as do `strings` and `readelf -n`.
 */
    .section .note.takt, "", %note
    .balign 4
    .long 2f - 1f, 4f - 3f, 1
1:
    .asciz "Takt"
2:
    .balign 4
3:
    .asciz "takt " TAKT_VERSION
4:
    .balign 4
    .section .note.GNU-stack, "", %progbits /* no executable stack */

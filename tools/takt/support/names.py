# SPDX-License-Identifier: Apache-2.0
"""Names of files and what else others call things, as people are shown them. Standard library only."""

from __future__ import annotations

import re

_HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")

CXX_HEADERS = frozenset(
    """
    algorithm any array atomic barrier bit bitset cassert ccomplex cctype cerrno cfenv cfloat charconv chrono cinttypes
    ciso646 climits clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal
    cstdalign cstdarg cstdbool cstddef cstdint cstdio cstdlib cstring ctgmath ctime cuchar cwchar cwctype deque
    exception execution expected filesystem flat_map flat_set format forward_list fstream functional future generator
    initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map mdspan memory
    memory_resource mutex new numbers numeric optional ostream print queue random ranges ratio regex scoped_allocator
    semaphore set shared_mutex source_location span spanstream sstream stack stacktrace stdexcept stdfloat stop_token
    streambuf string string_view syncstream system_error thread tuple type_traits typeindex typeinfo
    unordered_map unordered_set utility valarray variant vector version
    """.split()
)
"""Headers of the C++ library, up to C++23."""


def shown(text: str) -> str:
    """A name in one line: what is no UTF-8 in it, and what moves a terminal's cursor, as `\\xNN` or `\\uNNNN`."""
    return _HIDDEN.sub(lambda found: _escaped(found[0]), text)


def line_of(text: str) -> str:
    """What others wrote, in one line, which may have tabs."""
    return "\t".join(map(shown, text.split("\t")))


def _escaped(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file's name: surrogateescape
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"

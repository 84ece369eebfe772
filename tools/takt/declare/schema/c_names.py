# SPDX-License-Identifier: Apache-2.0
"""Names that C reserves: of its language, its library, and the headers of an application."""

from __future__ import annotations

import re

KEYWORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register"
    " restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool"
    " true false nullptr alignas alignof static_assert thread_local typeof typeof_unqual constexpr asm".split()
)
_MACROS = frozenset("NULL offsetof linux unix i386 errno EOF FALLTHROUGH POSIX_IO TINY_STDIO ATOMIC_UNGETC".split())
# Names of macros in <limits.h>, <float.h>, <stdint.h>, <inttypes.h> and the generated header.
_MACRO_SHAPES = re.compile(
    r"\w+_(MAX|MIN|WIDTH)|U?INT\w*_C|(PRI|SCN)[a-zX]\w*|(DBL|FLT|LDBL)_\w+|DECIMAL_DIG|FAST_STRCMP"
    r"|(NEWLIB|PICOLIBC)_\w+|PREFER_SIZE_OVER_SPEED|TAKT[ABIR]?_\w+|takt_(log|mark|hint)_\w+|(TASK|SIZE|PROCESS)_\w+"
)
_TYPES = re.compile(r"u?int(_fast|_least)?\d+_t|u?int(max|ptr)_t|s?size_t|ptrdiff_t|wchar_t|max_align_t|off_t|time_t")
# Functions and objects of ISO C, others that compilers know, and those that the board `host` calls.
_LIBRARY = frozenset(
    """
    abort abs acos acosh aligned_alloc alloca asctime asin asinh assert at_quick_exit atan atan2 atanh atexit atof
    atoi atol atoll bcmp bcopy bsearch bzero cabs calloc cbrt ceil cexp clearerr clock copysign cos cosh ctime
    difftime div drem erf erfc exit exp exp10 exp2 expm1 fabs fclose fdim feof ferror fflush ffs fgetc fgetpos fgets
    floor fma fmax fmin fmod fopen fprintf fputc fputs fread free freopen frexp fscanf fseek fsetpos ftell fwrite
    gamma getc getchar getenv gets gmtime hypot ilogb index isalnum isalpha isascii isblank iscntrl isdigit isfinite
    isgraph isinf islower isnan isnormal isprint ispunct isspace isupper isxdigit j0 j1 jn labs ldexp ldiv lgamma
    llabs lldiv llrint llround localtime log log10 log1p log2 logb longjmp lrint lround malloc mblen mbstowcs mbtowc
    memccpy memchr memcmp memcpy memmove mempcpy memset mktime mmap modf mprotect nan nearbyint nextafter nexttoward
    perror pow pow10 printf putc putchar puts qsort quick_exit raise rand realloc remainder remove remquo rename
    rewind rindex rint round scalb scalbln scalbn scanf setbuf setjmp setlocale setvbuf signal signbit significand
    sin sincos sinh snprintf sprintf sqrt srand sscanf stderr stdin stdout stpcpy stpncpy strcasecmp strcat strchr
    strcmp strcoll strcpy strcspn strdup strerror strftime strlen strncasecmp strncat strncmp strncpy strndup
    strnlen strpbrk strrchr strspn strstr strtod strtof strtok strtol strtold strtoll strtoul strtoull strxfrm
    system tan tanh tgamma time tmpfile tmpnam toascii tolower toupper trunc ungetc vfprintf vprintf vscanf
    vsnprintf vsprintf vsscanf wcslen wcstombs wctomb y0 y1 yn
    """.split()
)
_FLOATING = frozenset(
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma"
    " fmax fmin fmod frexp hypot ilogb ldexp lgamma log log10 log1p log2 logb lrint lround modf nearbyint nextafter"
    " pow remainder remquo rint round scalbn sin sincos sinh sqrt tan tanh tgamma trunc".split()
)
_LONG_AND_SHORT = re.compile(r"(\w+?)[fl]")  # sinf and sinl of sin


def taken(name: str) -> str | None:
    """The reason why an application cannot use an identifier for a function or an object; None: no known one, though a
    compiler may still refuse it."""
    if name in KEYWORDS:
        return "a keyword of C"
    if name == "main":
        return "the image begins there"
    if name.startswith("_"):
        return "names of C that begin with _ belong to the compiler and its library"
    if name in _MACROS or _MACRO_SHAPES.fullmatch(name):
        return "a macro of this name is defined, or may be"
    variant = _LONG_AND_SHORT.fullmatch(name)
    if name in _LIBRARY or _TYPES.fullmatch(name) or (variant and variant[1] in _FLOATING):
        return "it belongs to the library of C"
    return None

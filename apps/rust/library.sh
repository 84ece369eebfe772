#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sh apps/rust/library.sh BOARD [FOLDER]: makes lib/BOARD/libcontrol.a of src/lib.rs, in FOLDER if it is another copy. It
# needs Debian's rustc-web, rust-web-src and bindgen. The library `core` is compiled for the board's processor from its
# source, once, in build/rust/TARGET.
set -eu
here=$(dirname "$(realpath "$0")")
root=$(realpath "$here/../..")
board=${1:-mps2-an385}
application=${2:-$here}
case $board in
mps2-an385) target=thumbv7m-none-eabi port=armv7m enums=-fshort-enums ;;
rv32-virt) target=riscv32imac-unknown-none-elf port=rv32 enums=-fno-short-enums ;;
*)
    echo "library.sh: no target of Rust is known for $board (mps2-an385 and rv32-virt are)" >&2
    exit 2
    ;;
esac
rustc=/usr/bin/rustc
source=$(echo /usr/src/rustc-*/library/core/src/lib.rs)
for file in "$rustc" "$source" /usr/bin/bindgen; do
    [ -e "$file" ] || { echo "library.sh: $file is missing: apt-get install rustc-web rust-web-src bindgen" >&2 && exit 2; }
done
export RUSTC_BOOTSTRAP=1 # core is compiled with features that only it has

made=$root/build/rust/$target
mkdir -p "$made" "$application/lib/$board"
compile() { "$rustc" --target "$target" -C opt-level=2 -C panic=abort -C codegen-units=1 --out-dir "$made" -L "$made" "$@"; }
if [ ! -e "$made/libcore.rlib" ]; then
    compile --crate-type rlib --crate-name core --edition 2024 --cap-lints allow "$source"
fi
compile --crate-type rlib --crate-name compiler_builtins --edition 2021 "$here/compiler_builtins.rs"

"$root/takt" generate "$application" --board "$board" --output "$made" > /dev/null
bindgen --use-core --ctypes-prefix core::ffi --no-layout-tests --allowlist-file '.*/takt_app\.h' \
    --allowlist-function 'takt_(mutex|mailbox|fault)_.*' -o "$made/bindings.rs" "$made/takt_app.h" -- \
    --target="${target%imac-unknown-none-elf}" "$enums" -ffreestanding -I"$root" -I"$root/kernel/include" -I"$root/kernel/config/preset/standard" \
    -I"$root/kernel/config/sched/bands" -I"$root/ports/$port" -isystem /usr/lib/picolibc/arm-none-eabi/include

TAKT_BINDINGS=$made compile --crate-type staticlib --crate-name control --edition 2021 "$application/src/lib.rs"
mv "$made/libcontrol.a" "$application/lib/$board/libcontrol.a"

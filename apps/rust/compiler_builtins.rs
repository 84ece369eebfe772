// SPDX-License-Identifier: Apache-2.0
// What rustc links without being asked: nothing is in it, since libgcc and the C library of the board have all of it.
#![feature(no_core, compiler_builtins)]
#![no_core]
#![compiler_builtins]
#![allow(internal_features)]

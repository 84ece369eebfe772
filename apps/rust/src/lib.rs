// SPDX-License-Identifier: Apache-2.0
//! The task `control` in Rust, without its standard library. `bindings.rs` is generated from takt_app.h.
#![no_std]

use core::ffi::c_void;
use core::ptr::addr_of_mut;

#[allow(dead_code, non_camel_case_types, non_snake_case, non_upper_case_globals)]
mod takt {
    include!(concat!(env!("TAKT_BINDINGS"), "/bindings.rs"));
}

/// A plant that follows its command: guarded by `data`.
struct Plant {
    position: i32,
    command: i32,
}

static mut PLANT: Plant = Plant { position: 0, command: 0 };

/// A section of a mutex, to the end of the scope; None if the lock failed.
struct Section(*mut takt::takt_mutex);

impl Section {
    fn new(mutex: *mut takt::takt_mutex) -> Option<Section> {
        match unsafe { takt::takt_mutex_lock(mutex) } {
            takt::takt_status_TAKT_OK => Some(Section(mutex)),
            _ => None,
        }
    }
}

impl Drop for Section {
    fn drop(&mut self) {
        unsafe { takt::takt_mutex_unlock(self.0) }
    }
}

/// Called once per job, every 10 ms.
#[no_mangle]
pub extern "C" fn control_step(_argument: *mut c_void) {
    let mut position = 0;
    if let Some(_section) = Section::new(addr_of_mut!(takt::data)) {
        let plant = unsafe { &mut *addr_of_mut!(PLANT) };
        plant.position += plant.command;
        plant.command = (1000 - plant.position) / 4;
        position = plant.position;
    }
    unsafe {
        let message = &position as *const i32 as *const c_void;
        let _ = takt::takt_mailbox_try_send(addr_of_mut!(takt::positions), message);
    }
}

/// An index out of range, an overflow ...: as an assertion that fails.
#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    let line = info.location().map_or(0, |location| location.line());
    unsafe { takt::takt_fault_raise(takt::takt_fault_reason_TAKT_FAULT_ASSERTION, c"lib.rs".as_ptr(), line, 0) };
    loop {} // it does not return
}

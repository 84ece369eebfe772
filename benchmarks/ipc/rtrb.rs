// SPDX-License-Identifier: Apache-2.0
//! rtrb behind queues.h.
use rtrb::{Consumer, Producer, RingBuffer};
use std::os::raw::{c_char, c_uint};
use std::sync::Once;

const QUEUE_ITEMS: usize = 64;

#[derive(Clone, Copy)]
struct Item<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Item<WORDS> {
    fn is(&self, number: u64) -> bool {
        self.0[0] == number && self.0[WORDS - 1] == number
    }
}

#[repr(C)]
pub struct Queue {
    name: *const c_char,
    bytes: c_uint,
    pairs: Option<extern "C" fn(u64) -> u64>,
    produce: Option<extern "C" fn(u64)>,
    consume: Option<extern "C" fn(u64) -> u64>,
}
unsafe impl Sync for Queue {}

extern "C" {
    fn queue_refused();
}

type Ends<const WORDS: usize> = (Producer<Item<WORDS>>, Consumer<Item<WORDS>>);

fn pairs<const WORDS: usize>(ends: &mut Ends<WORDS>, count: u64) -> u64 {
    let mut wrong = 0;
    for number in 0..count {
        if ends.0.push(Item([number; WORDS])).is_err() {
            return count;
        }
        match ends.1.pop() {
            Ok(item) => wrong += !item.is(number) as u64,
            Err(_) => return count,
        }
    }
    wrong
}

fn produce<const WORDS: usize>(producer: &mut Producer<Item<WORDS>>, count: u64) {
    for number in 0..count {
        let item = Item([number; WORDS]);
        while producer.push(item).is_err() {
            unsafe { queue_refused() }
        }
    }
}

fn consume<const WORDS: usize>(consumer: &mut Consumer<Item<WORDS>>, count: u64) -> u64 {
    let mut wrong = 0;
    for number in 0..count {
        let item = loop {
            if let Ok(item) = consumer.pop() {
                break item;
            }
            unsafe { queue_refused() }
        };
        wrong += !item.is(number) as u64;
    }
    wrong
}

macro_rules! queue {
    ($name:ident, $words:expr) => {
        mod $name {
            use super::*;
            static ONCE: Once = Once::new();
            static mut ENDS: Option<Ends<$words>> = None;

            fn ends() -> *mut Ends<$words> {
                unsafe {
                    ONCE.call_once(|| ENDS = Some(RingBuffer::new(QUEUE_ITEMS)));
                    match *std::ptr::addr_of_mut!(ENDS) {
                        Some(ref mut ends) => ends,
                        None => std::process::abort(),
                    }
                }
            }
            extern "C" fn pairs(count: u64) -> u64 {
                super::pairs(unsafe { &mut *ends() }, count)
            }
            extern "C" fn produce(count: u64) {
                super::produce(unsafe { &mut *std::ptr::addr_of_mut!((*ends()).0) }, count)
            }
            extern "C" fn consume(count: u64) -> u64 {
                super::consume(unsafe { &mut *std::ptr::addr_of_mut!((*ends()).1) }, count)
            }
            pub const QUEUE: Queue = Queue {
                name: b"rtrb\0" as *const u8 as *const c_char,
                bytes: $words * 8,
                pairs: Some(pairs),
                produce: Some(produce),
                consume: Some(consume),
            };
        }
    };
}

queue!(words_1, 1);
queue!(words_7, 7);
queue!(words_8, 8);

#[no_mangle]
pub static rtrb_queues: [Queue; 4] = [
    words_1::QUEUE,
    words_7::QUEUE,
    words_8::QUEUE,
    Queue { name: std::ptr::null(), bytes: 0, pairs: None, produce: None, consume: None },
];

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_CALLS_H
#define TAKTI_CALLS_H

/*
 * The calls that a process may make: the single list from which the kernel's table, the stubs, the names in processes
 * and the tests are generated. DIRECT(number, name): takt_NAME takes at most four words, and its stub is the trap.
 * MULTIWORD: its stub is a function in user/multiword.c that passes further arguments in a structure of multiword.h, or
 * makes several traps. Numbers are permanent: append, never renumber.
 *
 * Not included, since their links are in the caller's memory: alarms served by a task.
 */
#define TAKTI_CALLS(DIRECT, MULTIWORD)             \
    DIRECT(0, process_null)                        \
    DIRECT(1, fault_raise)                         \
    DIRECT(2, task_start)                          \
    DIRECT(3, task_stop)                           \
    DIRECT(4, task_delete)                         \
    DIRECT(5, task_stopped)                        \
    DIRECT(6, task_suspend)                        \
    DIRECT(7, task_resume)                         \
    DIRECT(8, task_running)                        \
    DIRECT(9, task_yield)                          \
    MULTIWORD(10, task_statistics)                 \
    DIRECT(11, job_wait)                           \
    DIRECT(12, job_release_ns)                     \
    DIRECT(13, job_deadline_ns)                    \
    DIRECT(14, job_release)                        \
    DIRECT(15, job_release_at)                     \
    DIRECT(16, now)                                \
    DIRECT(17, delay_until)                        \
    DIRECT(18, delay)                              \
    DIRECT(19, mutex_lock)                         \
    DIRECT(20, mutex_lock_until)                   \
    DIRECT(21, mutex_try_lock)                     \
    DIRECT(22, mutex_unlock)                       \
    DIRECT(23, mutex_delete)                       \
    DIRECT(24, ceiling_lock)                       \
    DIRECT(25, ceiling_lock_until)                 \
    DIRECT(26, ceiling_try_lock)                   \
    DIRECT(27, ceiling_unlock)                     \
    DIRECT(28, ceiling_delete)                     \
    DIRECT(29, condition_wait)                     \
    DIRECT(30, condition_wait_until)               \
    DIRECT(31, condition_signal)                   \
    DIRECT(32, condition_broadcast)                \
    DIRECT(33, condition_delete)                   \
    DIRECT(34, semaphore_wait)                     \
    DIRECT(35, semaphore_wait_until)               \
    DIRECT(36, semaphore_wait_in_turn)             \
    DIRECT(37, semaphore_try_wait)                 \
    DIRECT(38, semaphore_post)                     \
    DIRECT(39, semaphore_flush)                    \
    DIRECT(40, semaphore_count)                    \
    DIRECT(41, semaphore_delete)                   \
    DIRECT(42, events_set)                         \
    DIRECT(43, events_clear)                       \
    DIRECT(44, events_get)                         \
    DIRECT(45, events_wait)                        \
    DIRECT(46, events_wait_until)                  \
    DIRECT(47, events_try_wait)                    \
    DIRECT(48, events_delete)                      \
    DIRECT(49, mailbox_send)                       \
    DIRECT(50, mailbox_send_until)                 \
    DIRECT(51, mailbox_try_send)                   \
    DIRECT(52, mailbox_receive)                    \
    DIRECT(53, mailbox_receive_until)              \
    DIRECT(54, mailbox_try_receive)                \
    DIRECT(55, mailbox_delete)                     \
    DIRECT(56, priority_mailbox_send)              \
    MULTIWORD(57, priority_mailbox_send_until)     \
    DIRECT(58, priority_mailbox_try_send)          \
    DIRECT(59, priority_mailbox_send_urgent)       \
    DIRECT(60, priority_mailbox_send_urgent_until) \
    DIRECT(61, priority_mailbox_try_send_urgent)   \
    DIRECT(62, priority_mailbox_broadcast)         \
    DIRECT(63, priority_mailbox_receive)           \
    DIRECT(64, priority_mailbox_receive_until)     \
    DIRECT(65, priority_mailbox_try_receive)       \
    DIRECT(66, priority_mailbox_delete)            \
    MULTIWORD(67, pipe_write)                      \
    MULTIWORD(68, pipe_write_until)                \
    MULTIWORD(69, pipe_try_write)                  \
    MULTIWORD(70, pipe_read)                       \
    MULTIWORD(71, pipe_read_until)                 \
    MULTIWORD(72, pipe_try_read)                   \
    DIRECT(73, pipe_delete)                        \
    DIRECT(74, rendezvous_call)                    \
    MULTIWORD(75, rendezvous_call_until)           \
    DIRECT(76, rendezvous_accept)                  \
    DIRECT(77, rendezvous_accept_until)            \
    DIRECT(78, rendezvous_try_accept)              \
    DIRECT(79, rendezvous_complete)                \
    DIRECT(80, rendezvous_delete)                  \
    DIRECT(81, alarm_start)                        \
    DIRECT(82, alarm_restart)                      \
    DIRECT(83, alarm_stop)                         \
    DIRECT(84, alarm_remaining_ns)                 \
    DIRECT(85, alarm_missed)                       \
    DIRECT(86, watchdog_start)                     \
    DIRECT(87, watchdog_kick)                      \
    DIRECT(88, watchdog_stop)                      \
    DIRECT(89, watchdog_expired)                   \
    DIRECT(90, state_read_locked)                  \
    DIRECT(91, hint_next)                          \
    DIRECT(92, task_budget_ns)                     \
    DIRECT(93, task_exhausted)                     \
    DIRECT(94, memory_alloc)                       \
    MULTIWORD(95, shared_attach)                   \
    DIRECT(96, shared_detach)                      \
    DIRECT(97, device_map)                         \
    DIRECT(98, irq_attach)                         \
    DIRECT(99, irq_ack)                            \
    DIRECT(100, thread_create)                     \
    DIRECT(101, thread_join)                       \
    DIRECT(102, thread_join_until)                 \
    DIRECT(103, thread_detach)                     \
    DIRECT(104, thread_exit)                       \
    MULTIWORD(105, board_console_write)            \
    DIRECT(106, board_link_exchange)               \
    DIRECT(107, mutex_create)                      \
    DIRECT(108, condition_create)                  \
    DIRECT(109, events_create)                     \
    DIRECT(110, semaphore_create)                  \
    DIRECT(111, mailbox_create)                    \
    DIRECT(112, pipe_create)                       \
    DIRECT(113, task_cancel)                       \
    DIRECT(114, mailbox_count)                     \
    DIRECT(115, signal_allocate)                   \
    DIRECT(116, signal_send)                       \
    DIRECT(117, signal_receive)                    \
    MULTIWORD(118, signal_receive_until)           \
    DIRECT(119, signal_try_receive)                \
    DIRECT(120, signal_free)                       \
    DIRECT(121, pool_allocate)                     \
    DIRECT(122, pool_allocate_until)               \
    DIRECT(123, pool_try_allocate)                 \
    DIRECT(124, pool_free)                         \
    DIRECT(125, pool_delete)                       \
    DIRECT(126, hint_next_set)                     \
    DIRECT(127, priority_mailbox_create)           \
    DIRECT(128, process_start)                     \
    DIRECT(129, process_stop)                      \
    DIRECT(130, process_stopped)                   \
    DIRECT(131, slot_allocate)                     \
    DIRECT(132, slot_open)                         \
    DIRECT(133, slot_close)                        \
    DIRECT(134, slot_deallocate)                   \
    DIRECT(135, slot_reserve)                      \
    MULTIWORD(136, slot_reserve_until)             \
    DIRECT(137, slot_try_reserve)                  \
    DIRECT(138, slot_commit)                       \
    DIRECT(139, slot_take)                         \
    DIRECT(140, slot_take_until)                   \
    DIRECT(141, slot_try_take)                     \
    DIRECT(142, slot_release)                      \
    DIRECT(143, slot_flush)                        \
    MULTIWORD(144, slot_info)                      \
    DIRECT(145, log_put)                           \
    DIRECT(146, log_put_words)                     \
    DIRECT(147, alarm_create)                      \
    DIRECT(148, alarm_delete)                      \
    DIRECT(149, heap_allocate)                     \
    DIRECT(150, heap_free)                         \
    DIRECT(151, heap_resize)

enum takti_call_number {
#define TAKTI_NUMBER(number, name) TAKTI_CALL_##name = (number),
    TAKTI_CALLS(TAKTI_NUMBER, TAKTI_NUMBER)
#undef TAKTI_NUMBER
        TAKTI_CALL_COUNT
};

#endif

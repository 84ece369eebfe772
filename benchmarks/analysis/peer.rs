// SPDX-License-Identifier: Apache-2.0
//! The crate response-time-analysis, called as measure.c calls every analysis.
//!
//! Its own tests build their sets like this. Arrivals are `Periodic`: their bounds are those of `Sporadic` without
//! jitter, and take no longer.
use response_time_analysis::arrival::Periodic;
use response_time_analysis::demand::RBF;
use response_time_analysis::edf::fully_preemptive as edf;
use response_time_analysis::fixed_point::SearchResult;
use response_time_analysis::fixed_priority::fully_preemptive as fixed;
use response_time_analysis::time::{Duration, Service};
use response_time_analysis::wcet::Scalar;

const LIMIT_NS: u64 = 1 << 62;

#[repr(C)]
pub struct Task {
    wcet_ns: u64,
    period_ns: u64,
    deadline_ns: u64,
}

type Bound = RBF<Periodic, Scalar>;

fn limit() -> Duration {
    Duration::from(LIMIT_NS)
}

fn bounds(tasks: &[Task]) -> Vec<Bound> {
    let bound = |task: &Task| {
        RBF::new(Periodic::new(Duration::from(task.period_ns)), Scalar::new(Service::from(task.wcet_ns)))
    };
    tasks.iter().map(bound).collect()
}

fn fixed_response(bounds: &[Bound], task: usize) -> SearchResult {
    fixed::dedicated_uniproc_rta(&bounds[task], &bounds[..task], limit())
}

fn edf_response(tasks: &[Task], bounds: &[Bound], task: usize) -> SearchResult {
    let member = |i: usize| edf::Task { rbf: &bounds[i], deadline: Duration::from(tasks[i].deadline_ns) };
    let others: Vec<_> = (0..tasks.len()).filter(|i| *i != task).map(member).collect();
    edf::dedicated_uniproc_rta(&member(task), &others, limit())
}

fn fill(answers: &mut [u64], response: impl Fn(usize) -> SearchResult) -> usize {
    for (task, answer) in answers.iter_mut().enumerate() {
        match response(task) {
            Ok(found) => *answer = found.into(),
            Err(_) => return 0,
        }
    }
    answers.len()
}

/// # Safety
/// `tasks` and `answers` have `count` elements.
#[no_mangle]
pub unsafe extern "C" fn peer_fixed(tasks: *const Task, count: usize, answers: *mut u64) -> usize {
    let tasks = std::slice::from_raw_parts(tasks, count);
    let bounds = bounds(tasks);
    fill(std::slice::from_raw_parts_mut(answers, count), |task| fixed_response(&bounds, task))
}

/// # Safety
/// `tasks` and `answers` have `count` elements.
#[no_mangle]
pub unsafe extern "C" fn peer_edf(tasks: *const Task, count: usize, answers: *mut u64) -> usize {
    let tasks = std::slice::from_raw_parts(tasks, count);
    let bounds = bounds(tasks);
    fill(std::slice::from_raw_parts_mut(answers, count), |task| edf_response(tasks, &bounds, task))
}

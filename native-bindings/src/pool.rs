//! Threads that the addon owns, and promises that they settle.
//!
//! libuv's pool has four threads that file and DNS calls share, and an index build would hold them for seconds. This
//! pool starts a thread when work arrives and none is idle, up to [`MAX_THREADS`], and lets idle ones end. How many
//! calls run at once is up to the callers: they count threads, the pool only carries them.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use napi::Env;
use napi::bindgen_prelude::{FromNapiValue, Object, ToNapiValue, Unknown};

use crate::errors::{Code, Failure, Outcome, guarded};

const MAX_THREADS: usize = 64;
const IDLE_SECONDS: u64 = 5;
/// Four times what 500 levels of nested JSON need; only what is used becomes memory.
const STACK_BYTES: usize = 4 << 20;

type Job = Box<dyn FnOnce() + Send>;

struct Pool {
    state: Mutex<PoolState>,
    wake: Condvar,
}

struct PoolState {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
}

static POOL: Pool = Pool {
    state: Mutex::new(PoolState { jobs: VecDeque::new(), threads: 0, idle: 0 }),
    wake: Condvar::new(),
};

impl Pool {
    fn lock(&self) -> MutexGuard<'_, PoolState> {
        // Jobs never run under this lock, so a panic cannot leave the state half-changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs a job on a thread of the pool. Jobs catch their own panics.
pub fn run(job: impl FnOnce() + Send + 'static) {
    let mut state = POOL.lock();
    state.jobs.push_back(Box::new(job));
    if state.idle >= state.jobs.len() || state.threads >= MAX_THREADS {
        POOL.wake.notify_one();
        return;
    }
    state.threads += 1;
    let started = std::thread::Builder::new().name("sluice".into()).stack_size(STACK_BYTES).spawn(work);
    if started.is_err() {
        state.threads -= 1;
        if state.threads == 0 {
            // No thread can be had at all: slow is better than a promise that never settles.
            let jobs = std::mem::take(&mut state.jobs);
            drop(state);
            jobs.into_iter().for_each(|job| job());
        }
    }
}

fn work() {
    let mut state = POOL.lock();
    loop {
        if let Some(job) = state.jobs.pop_front() {
            drop(state);
            let _ = guarded(|| {
                job();
                Ok(())
            });
            state = POOL.lock();
            continue;
        }
        state.idle += 1;
        let (woken, timeout) = POOL
            .wake
            .wait_timeout(state, Duration::from_secs(IDLE_SECONDS))
            .unwrap_or_else(PoisonError::into_inner);
        state = woken;
        state.idle -= 1;
        if timeout.timed_out() && state.jobs.is_empty() {
            state.threads -= 1;
            return;
        }
    }
}

/// A promise for `work`, which runs on the pool. `finish` makes the JavaScript value, on the thread of `env`.
///
/// If the environment is torn down first, the result is dropped: nothing reaches into a dead environment.
pub fn promise<'env, T, V>(
    env: &'env Env,
    work: impl FnOnce() -> Outcome<T> + Send + 'static,
    finish: impl FnOnce(T) -> V + Send + 'static,
) -> napi::Result<Object<'env>, Code>
where
    T: Send + 'static,
    V: ToNapiValue + 'static,
{
    promise_on(env, run_boxed, work, finish)
}

fn run_boxed(job: Job) {
    run(job);
}

fn promise_on<'env, T, V>(
    env: &'env Env,
    submit: impl FnOnce(Job),
    work: impl FnOnce() -> Outcome<T> + Send + 'static,
    finish: impl FnOnce(T) -> V + Send + 'static,
) -> napi::Result<Object<'env>, Code>
where
    T: Send + 'static,
    V: ToNapiValue + 'static,
{
    let (deferred, promise) = env
        .create_deferred()
        .map_err(|error| Failure::new(Code::Failed, format!("cannot make a promise: {}", error.reason)))?;
    submit(Box::new(move || {
        let outcome = guarded(work);
        deferred.resolve(move |env: Env| match outcome {
            Ok(value) => Ok(finish(value)),
            Err(failure) => {
                // An error that keeps its JavaScript value is rejected as that value, with our code.
                let value = failure.into_js(env.raw());
                Err(napi::Error::from(unsafe { Unknown::from_napi_value(env.raw(), value) }?))
            }
        });
    }));
    Ok(promise)
}

/// Work that must happen in the order of the calls: one job at a time, on whatever thread of the pool is free.
#[derive(Clone, Default)]
pub struct Lane {
    state: Arc<Mutex<LaneState>>,
}

#[derive(Default)]
struct LaneState {
    jobs: VecDeque<Job>,
    running: bool,
}

impl Lane {
    pub fn promise<'env, T, V>(
        &self,
        env: &'env Env,
        work: impl FnOnce() -> Outcome<T> + Send + 'static,
        finish: impl FnOnce(T) -> V + Send + 'static,
    ) -> napi::Result<Object<'env>, Code>
    where
        T: Send + 'static,
        V: ToNapiValue + 'static,
    {
        promise_on(env, |job| self.push(job), work, finish)
    }

    fn push(&self, job: Job) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.jobs.push_back(job);
        if state.running {
            return;
        }
        state.running = true;
        drop(state);
        let lane = self.clone();
        run(move || lane.drain());
    }

    fn drain(&self) {
        loop {
            let job = {
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                match state.jobs.pop_front() {
                    Some(job) => job,
                    None => {
                        state.running = false;
                        return;
                    }
                }
            };
            job();
        }
    }
}

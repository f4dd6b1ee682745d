//! One parse with bounds on what it costs. They are counted in work, so that the same text has the same outline on a
//! slow machine, and its chunks and their vectors stay the same. Two things cannot be counted. Where a text has errors
//! everywhere, a step costs a hundred times what it does in code, which only the thread's own clock tells; its bound is
//! so far from what code takes that no code comes near. And at the end of some texts without any grammar the parser
//! compares all ways to read them, in one step that cannot be stopped: so the parse runs on another thread, and who
//! waits for it goes on without.
//!
//! The thread has a stack as large as the text may ask for. Where a parse ends early the parser frees its ways to read
//! the text by recursion, one call a token; an overflow would end the process.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU8, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::Builder;
use std::time::Duration;

use tree_sitter::{ParseOptions, Parser, Tree};

use super::clock::ThreadClock;
use super::grammars::Grammar;
use crate::cpu::thread_cpu_ms;
use crate::errors::{Code, Failure, Outcome, guarded};
use crate::pool;

/// A tree takes 25 to 60 times the memory of its text.
const MAX_BYTES: usize = 4 << 20;
/// The parser asks every 100 steps. Real code takes 0.2 to 3 steps a byte.
const STEPS_A_CALL: usize = 100;
const MAX_STEPS_A_BYTE: usize = 5;
/// A scanner that looks ahead for the end of something and goes back asks for parts of the text again; real code is
/// read 2 to 50 times by this count.
const PART_BYTES: usize = 1 << 13;
const MAX_READS_A_BYTE: usize = 200;
/// Short texts may well be all exceptions.
const MIN_COUNTED_BYTES: usize = 1 << 14;

/// Real code takes at most a third of a microsecond of CPU time a byte, on a machine of 2023.
const MIN_CPU_MS: f64 = 500.0;
const CPU_MS_A_BYTE: f64 = 0.0025;
/// Asking the clock costs as much as ten steps.
const CALLS_A_CLOCK: usize = 8;

/// A call of that recursion takes 96 bytes, and no token is shorter than a byte. What is not used takes no memory.
const MIN_STACK_BYTES: usize = 1 << 19;
const STACK_BYTES_A_BYTE: usize = 112;
/// What threads of the pool have. A thread of its own costs a parse a few milliseconds where starting one is slow.
const POOL_STACK_BYTES: usize = 4 << 20;

/// Who waits goes on without after this many times the bound, in CPU time of the parse where the system tells it, else
/// in time: freeing what was read takes some, too.
const WAIT_A_BOUND: f64 = 4.0;
const RECHECK: Duration = Duration::from_secs(1);
/// With so many parses left to themselves no further one begins before one of them ends.
const MAX_ABANDONED: i32 = 2;
static ABANDONED: AtomicI32 = AtomicI32::new(0);

const RUNNING: u8 = 0;
const DONE: u8 = 1;
const LEFT: u8 = 2;

/// None where the text is over a bound.
pub fn parse(grammar: &'static Grammar, text: &Arc<str>) -> Outcome<Option<Tree>> {
    if text.len() > MAX_BYTES || ABANDONED.load(Ordering::Relaxed) >= MAX_ABANDONED {
        return Ok(None);
    }
    let (sender, receiver) = sync_channel(1);
    let state = Arc::new(AtomicU8::new(RUNNING));
    let clock = Arc::new(ThreadClock::default());
    let (own_text, own_state, own_clock) = (text.clone(), state.clone(), clock.clone());
    let work = move || {
        own_clock.start();
        let outcome = guarded(|| parse_here(grammar, &own_text, &own_state));
        if own_state.swap(DONE, Ordering::AcqRel) == LEFT {
            ABANDONED.fetch_sub(1, Ordering::Relaxed);
        }
        // Nobody waits for a parse that was left.
        let _ = sender.send(outcome);
    };
    let stack_bytes = MIN_STACK_BYTES + text.len() * STACK_BYTES_A_BYTE;
    if stack_bytes <= POOL_STACK_BYTES {
        pool::run(work);
    } else if Builder::new().name("sluice-parse".into()).stack_size(stack_bytes).spawn(work).is_err() {
        return Ok(None);
    }
    let most_ms = most_cpu_ms(text.len()) * WAIT_A_BOUND;
    let mut wait = Duration::from_secs_f64(most_ms / 1e3);
    loop {
        match receiver.recv_timeout(wait) {
            Ok(outcome) => return outcome,
            Err(RecvTimeoutError::Timeout) if clock.ms().is_some_and(|ms| ms < most_ms) => wait = RECHECK,
            Err(_) => break,
        }
    }
    if state.swap(LEFT, Ordering::AcqRel) == RUNNING {
        ABANDONED.fetch_add(1, Ordering::Relaxed);
    }
    Ok(None)
}

fn most_cpu_ms(bytes: usize) -> f64 {
    MIN_CPU_MS + bytes as f64 * CPU_MS_A_BYTE
}

fn parse_here(grammar: &Grammar, text: &str, state: &AtomicU8) -> Outcome<Option<Tree>> {
    let bytes = text.as_bytes();
    let mut parser = Parser::new();
    parser.set_language(&(grammar.language)()).map_err(|error| {
        Failure::new(Code::Failed, format!("grammar {} does not load: {error}", grammar.name))
    })?;
    let counted = bytes.len().max(MIN_COUNTED_BYTES);
    let mut calls = 0;
    let reads = Cell::new(0);
    let started = thread_cpu_ms();
    let most_ms = most_cpu_ms(bytes.len());
    let is_over_time = || started.zip(thread_cpu_ms()).is_some_and(|(from, to)| to - from > most_ms);
    let is_over_read = || reads.get() * PART_BYTES > counted * MAX_READS_A_BYTE;
    let mut progress = |_: &_| {
        calls += 1;
        let is_over = calls * STEPS_A_CALL > counted * MAX_STEPS_A_BYTE
            || is_over_read()
            || (calls % CALLS_A_CLOCK == 0 && is_over_time());
        if is_over || state.load(Ordering::Relaxed) == LEFT {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let mut read = |at: usize, _| {
        reads.set(reads.get() + 1);
        // Over the bound the text ends here, so that no scanner goes on to its true end.
        if is_over_read() { &[][..] } else { &bytes[at.min(bytes.len())..part_end(text, at)] }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    Ok(tree.filter(|_| !is_over_read()))
}

/// Parts begin at multiples of their size, so that going back a little often finds the same one, and end with a
/// character.
fn part_end(text: &str, at: usize) -> usize {
    let mut end = ((at / PART_BYTES + 1) * PART_BYTES).min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    end
}

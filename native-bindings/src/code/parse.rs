//! One parse with bounds on what it costs. They are counted in work, so that the same text has the same outline on a
//! slow machine, and its chunks and their vectors stay the same. One thing cannot be counted: at the end of some texts
//! without any grammar the parser compares all ways to read them, in one step that cannot be stopped. So the parse runs
//! on a thread of the pool, and who waits for it goes on without.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU8, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use tree_sitter::{ParseOptions, Parser, Tree};

use super::grammars::Grammar;
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

/// Ten times what real code takes on a machine under load.
const MIN_WAIT: Duration = Duration::from_secs(5);
const WAIT_A_MEBIBYTE: Duration = Duration::from_secs(10);
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
    let (own_text, own_state) = (text.clone(), state.clone());
    pool::run(move || {
        let outcome = guarded(|| parse_here(grammar, &own_text, &own_state));
        if own_state.swap(DONE, Ordering::AcqRel) == LEFT {
            ABANDONED.fetch_sub(1, Ordering::Relaxed);
        }
        // Nobody waits for a parse that was left.
        let _ = sender.send(outcome);
    });
    let wait = MIN_WAIT + WAIT_A_MEBIBYTE.mul_f64(text.len() as f64 / f64::from(1 << 20));
    receiver.recv_timeout(wait).unwrap_or_else(|_| {
        if state.swap(LEFT, Ordering::AcqRel) == RUNNING {
            ABANDONED.fetch_add(1, Ordering::Relaxed);
        }
        Ok(None)
    })
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
    let is_over_read = || reads.get() * PART_BYTES > counted * MAX_READS_A_BYTE;
    let mut progress = |_: &_| {
        calls += 1;
        let is_over = calls * STEPS_A_CALL > counted * MAX_STEPS_A_BYTE || is_over_read();
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

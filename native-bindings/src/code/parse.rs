//! One parse with a bound on what it costs. Everything is counted in work, never in time: the same text has the same
//! outline on a slow machine, so its chunks and their vectors stay the same.

use std::cell::Cell;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, Parser, Tree};

use super::grammars::Grammar;
use crate::errors::{Code, Failure, Outcome};

/// A tree takes 25 to 60 times the memory of its text.
const MAX_BYTES: usize = 4 << 20;
/// The parser asks every 100 steps. Ordinary code takes 0.3 to 1.5 steps a byte.
const STEPS_A_CALL: usize = 100;
const MAX_STEPS_A_BYTE: usize = 20;
/// A scanner that looks ahead for the end of something and goes back fetches parts of the text again.
const PART_BYTES: usize = 1 << 13;
const MAX_READS_A_BYTE: usize = 50;
/// Short texts may well be all exceptions.
const MIN_COUNTED_BYTES: usize = 1 << 14;

/// None where the text is over a bound.
pub fn parse(grammar: &Grammar, text: &str) -> Outcome<Option<Tree>> {
    let bytes = text.as_bytes();
    if bytes.len() > MAX_BYTES {
        return Ok(None);
    }
    let mut parser = Parser::new();
    parser
        .set_language(&(grammar.language)())
        .map_err(|error| Failure::new(Code::Failed, format!("grammar {} does not load: {error}", grammar.name)))?;
    let counted = bytes.len().max(MIN_COUNTED_BYTES);
    let mut calls = 0;
    let reads = Cell::new(0);
    let mut progress = |_: &_| {
        calls += 1;
        let over = calls * STEPS_A_CALL > counted * MAX_STEPS_A_BYTE
            || reads.get() * PART_BYTES > counted * MAX_READS_A_BYTE;
        if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut read = |at: usize, _| {
        reads.set(reads.get() + 1);
        // Over the bound the text ends here, so that no scanner goes on to its true end.
        if reads.get() * PART_BYTES > counted * (MAX_READS_A_BYTE + 1) {
            return &[][..];
        }
        &bytes[at.min(bytes.len())..part_end(text, at)]
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    let over = reads.get() * PART_BYTES > counted * MAX_READS_A_BYTE;
    Ok(tree.filter(|_| !over))
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

//! Where classes and functions lie in source code, by tree-sitter. Synchronous and re-entrant: callers run it in worker
//! threads. Code that is broken or cut has an outline too, of what the parser recovered.
//!
//! What it costs is bounded by the length of the text: see [`parse`]. What the grammars' own scanners cannot be trusted
//! with is refused before: see [`hazards`].

mod banner;
mod clock;
mod grammars;
mod hazards;
mod parse;
mod settle;
mod signature;
mod walk;

use std::sync::Arc;

use napi_derive::napi;

use crate::args::Arg;
use crate::errors::{Code, Failure, Outcome, guarded};
use crate::results::{U8s, U32s};
use crate::tokens::positions::Utf16Positions;
use grammars::{GRAMMARS, Grammar};
use walk::Definition;

/// Row i is a definition, in the order of their starts; positions are UTF-16.
#[napi(object, object_from_js = false)]
pub struct CodeOutline {
    #[napi(ts_type = "Uint32Array")]
    pub start: U32s,
    #[napi(ts_type = "Uint32Array")]
    pub end: U32s,
    #[napi(ts_type = "Uint32Array")]
    pub signature_start: U32s,
    #[napi(ts_type = "Uint32Array")]
    pub signature_end: U32s,
    #[napi(ts_type = "Uint32Array")]
    pub name_start: U32s,
    #[napi(ts_type = "Uint32Array")]
    pub name_end: U32s,
    #[napi(ts_type = "Uint8Array")]
    pub depth: U8s,
    #[napi(ts_type = "Uint8Array")]
    pub kind: U8s,
}

/// The definitions of a text; none where it is over a bound of size or of work.
#[napi(ts_args_type = "grammar: string, text: string", ts_return_type = "CodeOutline | null")]
pub fn code_outline(grammar: Arg, text: Arg) -> napi::Result<Option<CodeOutline>, Code> {
    let grammar = grammar_of(&grammar.text("grammar")?)?;
    let text: Arc<str> = text.text("text")?.into();
    Ok(guarded(|| outline(grammar, &text))?)
}

fn grammar_of(name: &str) -> Outcome<&'static Grammar> {
    GRAMMARS.iter().find(|grammar| grammar.name == name).ok_or_else(|| {
        let names: Vec<_> = GRAMMARS.iter().map(|grammar| grammar.name).collect();
        Failure::argument(format!("grammar: expected one of {}, got '{name}'", names.join(", ")))
    })
}

fn outline(grammar: &'static Grammar, text: &Arc<str>) -> Outcome<Option<CodeOutline>> {
    if !hazards::is_safe(grammar.name, text) {
        return Ok(None);
    }
    let Some(tree) = parse::parse(grammar, text)? else { return Ok(None) };
    let mut definitions = walk::definitions(grammar.roles(), &tree, text.as_bytes());
    settle::settle(text.as_bytes(), &mut definitions);
    Ok(Some(columns(text, &definitions)))
}

fn columns(text: &str, definitions: &[Definition]) -> CodeOutline {
    let column = |pick: fn(&Definition) -> usize| U32s(utf16_positions(text, definitions, pick));
    CodeOutline {
        start: column(|definition| definition.start),
        end: column(|definition| definition.end),
        signature_start: column(|definition| definition.signature.start),
        signature_end: column(|definition| definition.signature.end),
        name_start: column(|definition| definition.name.start),
        name_end: column(|definition| definition.name.end),
        depth: U8s(definitions.iter().map(|definition| definition.depth).collect()),
        kind: U8s(definitions.iter().map(|definition| definition.kind as u8).collect()),
    }
}

/// One pass over the text a column, whatever the order of the positions.
fn utf16_positions(text: &str, definitions: &[Definition], pick: fn(&Definition) -> usize) -> Vec<u32> {
    let mut order: Vec<usize> = (0..definitions.len()).collect();
    order.sort_by_key(|row| pick(&definitions[*row]));
    let mut positions = Utf16Positions::new(text);
    let mut column = vec![0; definitions.len()];
    for row in order {
        column[row] = positions.floor(pick(&definitions[row]));
    }
    column
}

//! Spans of definitions → spans of whole lines that nest, ascend and never overlap, whatever the parser recovered.

use super::walk::Definition;

/// Definitions come in the order of the tree: each before those in it. One that has nothing left is dropped, and those
/// in it come to lie in the one around it.
pub fn settle(text: &[u8], definitions: &mut Vec<Definition>) {
    // The definitions around the one at hand: its depth in the tree, its end and how deep it comes to lie.
    let mut open: Vec<(u8, usize)> = Vec::new();
    let mut floor = 0;
    definitions.retain_mut(|definition| {
        while open.last().is_some_and(|(depth, _)| *depth >= definition.depth) {
            floor = open.pop().map_or(floor, |(_, end)| end.max(floor));
        }
        let ceiling = open.last().map_or(text.len(), |(_, end)| *end);
        definition.start = line_start(text, definition.start, floor).max(floor);
        definition.end = line_end(text, definition.end).min(ceiling);
        if definition.start >= definition.end {
            return false;
        }
        floor = definition.start;
        open.push((definition.depth, definition.end));
        definition.depth = open.len() as u8;
        true
    });
}

/// The start of the line where only white space is before the position.
fn line_start(text: &[u8], at: usize, floor: usize) -> usize {
    let mut start = at;
    while start > floor && matches!(text[start - 1], b' ' | b'\t') {
        start -= 1;
    }
    if start == 0 || matches!(text[start - 1], b'\n' | b'\r') { start } else { at }
}

/// Behind what closes the statement, and behind a comment that follows it, up to the end of the line; where something
/// else follows, where it is.
fn line_end(text: &[u8], at: usize) -> usize {
    let mut trimmed = at;
    while trimmed > 0 && text[trimmed - 1].is_ascii_whitespace() {
        trimmed -= 1;
    }
    let mut end = trimmed;
    while end < text.len() && matches!(text[end], b' ' | b'\t' | b';' | b',' | b')') {
        end += 1;
    }
    let rest = &text[end..];
    if [&b"//"[..], b"#", b"--"].iter().any(|mark| rest.starts_with(mark)) {
        end += rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
    }
    if end == text.len() || matches!(text[end], b'\n' | b'\r') {
        while end > trimmed && matches!(text[end - 1], b' ' | b'\t') {
            end -= 1;
        }
        return end;
    }
    trimmed
}

//! Comments that head a group of definitions: `// ------ Rendering ------`, boxes of stars around a word or two.

use std::ops::Range;

/// Longer ones explain something.
const MAX_BANNER_BYTES: usize = 600;
const MAX_WORDS_BYTES: usize = 80;
/// Of one character in a row, behind what opens the comment.
const MIN_RULE_CHARS: usize = 3;
const RULES: &str = "-=*#/~+_─━═—–";
const OPENERS: [&str; 6] = ["//", "/*", "--", "#", "*", ";"];

/// Where the words of a banner stand in the comment, or comments on lines in a row; none if it is none: a banner has
/// one line of words, between or beside rules.
pub fn words(comment: &str) -> Option<Range<usize>> {
    if comment.len() > MAX_BANNER_BYTES {
        return None;
    }
    let mut has_rule = false;
    let mut found: Option<&str> = None;
    for line in comment.split(['\n', '\r']) {
        let (words, is_ruled) = inside_rules(without_marks(line));
        has_rule |= is_ruled;
        if words.is_empty() {
            continue;
        }
        if found.replace(words).is_some() {
            return None;
        }
    }
    let words = found?;
    let (words, is_marked) = match words.strip_prefix("MARK:") {
        Some(marked) => (inside_rules(marked.trim_start_matches([' ', '-'])).0, true),
        None => (words, false),
    };
    if !(has_rule || is_marked) || words.len() > MAX_WORDS_BYTES || !words.contains(char::is_alphabetic) {
        return None;
    }
    let start = words.as_ptr() as usize - comment.as_ptr() as usize;
    Some(start..start + words.len())
}

/// Whether the comment is a rule and nothing else.
pub fn is_rule(comment: &str) -> bool {
    comment.len() <= MAX_BANNER_BYTES && inside_rules(without_marks(comment)) == ("", true)
}

/// A line of a comment without what makes it one.
fn without_marks(line: &str) -> &str {
    let line = line.trim();
    let line = OPENERS.iter().find_map(|opener| line.strip_prefix(opener)).unwrap_or(line);
    line.strip_suffix("*/").unwrap_or(line).trim()
}

/// What stands between the rules at either end of a line, and whether there are any.
fn inside_rules(line: &str) -> (&str, bool) {
    let inner = line.trim_start_matches(is_filler);
    let before = &line[..line.len() - inner.len()];
    let words = inner.trim_end_matches(is_filler);
    let behind = &inner[words.len()..];
    (words, starts_with_rule(before.chars()) || starts_with_rule(behind.chars().rev()))
}

fn is_filler(char: char) -> bool {
    char == ' ' || char == '\t' || char == '|' || RULES.contains(char)
}

/// Whether one character is repeated at the outer end.
fn starts_with_rule(mut chars: impl Iterator<Item = char>) -> bool {
    let Some(first) = chars.next() else { return false };
    RULES.contains(first) && chars.take_while(|char| *char == first).count() + 1 >= MIN_RULE_CHARS
}

//! Texts that a grammar's hand-written scanner would end the process over.
//!
//! A scanner packs its state into 1,024 bytes, and the C code asserts that it did. Two of them can be led past that:
//! Python's by 511 nested indentations, Ruby's by a heredoc word over 255 bytes or by words that fill the space to the
//! byte. No program looks like that, so what comes near has no outline.

const MAX_INDENT_COLUMNS: usize = 400;
const TAB_COLUMNS: usize = 8;
const MAX_HEREDOC_WORD_BYTES: usize = 64;
const MAX_HEREDOCS_A_LINE: usize = 8;
/// Strings within interpolations within strings.
const MAX_INTERPOLATIONS_OPEN: usize = 48;

pub fn is_safe(grammar: &str, text: &str) -> bool {
    match grammar {
        "python" => has_shallow_lines(text.as_bytes()),
        "ruby" => has_plain_heredocs(text.as_bytes()),
        _ => true,
    }
}

/// Levels of indentation that are open at once are at most the columns of the deepest line.
fn has_shallow_lines(text: &[u8]) -> bool {
    let mut columns = 0;
    let mut in_indent = true;
    for byte in text {
        match byte {
            b'\n' | b'\r' | 0x0C => (columns, in_indent) = (0, true),
            b' ' if in_indent => columns += 1,
            b'\t' if in_indent => columns += TAB_COLUMNS,
            _ => in_indent = false,
        }
        if columns > MAX_INDENT_COLUMNS {
            return false;
        }
    }
    true
}

fn has_plain_heredocs(text: &[u8]) -> bool {
    let mut in_line = 0;
    let mut interpolations: usize = 0;
    for at in 0..text.len() {
        match text[at] {
            b'\n' => in_line = 0,
            b'#' if text.get(at + 1) == Some(&b'{') => interpolations += 1,
            b'}' => interpolations = interpolations.saturating_sub(1),
            b'<' if text.get(at + 1) == Some(&b'<') => {
                let length = heredoc_word_bytes(&text[at + 2..]);
                in_line += usize::from(length > 0);
                if length > MAX_HEREDOC_WORD_BYTES || in_line > MAX_HEREDOCS_A_LINE {
                    return false;
                }
            }
            _ => {}
        }
        if interpolations > MAX_INTERPOLATIONS_OPEN {
            return false;
        }
    }
    true
}

/// Length of what would be a heredoc's word; looks one byte further than any that is allowed.
fn heredoc_word_bytes(text: &[u8]) -> usize {
    let text = match text.first() {
        Some(b'~' | b'-') => &text[1..],
        _ => text,
    };
    let window = &text[..text.len().min(MAX_HEREDOC_WORD_BYTES + 2)];
    match window.first() {
        Some(quote @ (b'"' | b'\'' | b'`')) => {
            window[1..].iter().position(|byte| byte == quote).unwrap_or(window.len() - 1)
        }
        _ => window
            .iter()
            .position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_' && *byte < 0x80)
            .unwrap_or(window.len()),
    }
}

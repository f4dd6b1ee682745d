//! The pieces that OpenAI's encodings cut a text into before they merge bytes. The encodings say it by regular
//! expressions; this is the same for runs of ASCII, by hand, several times as fast. Whatever a character beyond ASCII
//! may have a say in is left to the expression: a test holds the two against each other.
//!
//! In order, the first that matches wins (cl100k):
//!   1. 's 't 're 've 'm 'll 'd        4. a space or none, then marks, then line ends
//!   2. one non-letter, then letters   5. white space up to its last line end
//!   3. one to three digits            6. white space but its last character, if text follows; 7. white space
//! o200k has no 1: there such an ending belongs to the letters before it, letters are cut before capitals
//! (`camel|Case`), and line ends in 4 may hold slashes.

#[derive(Clone, Copy, PartialEq)]
pub enum Dialect {
    Cl100k,
    O200k,
}

#[derive(Clone, Copy, PartialEq)]
enum Class {
    Upper,
    Lower,
    Digit,
    LineEnd,
    White,
    /// Punctuation, symbols and control characters.
    Mark,
    Beyond,
}

const CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut classes = [Class::Mark; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'A'..=b'Z' => Class::Upper,
            b'a'..=b'z' => Class::Lower,
            b'0'..=b'9' => Class::Digit,
            b'\r' | b'\n' => Class::LineEnd,
            b' ' | b'\t' | 0x0B | 0x0C => Class::White,
            0x80.. => Class::Beyond,
            _ => Class::Mark,
        };
        byte += 1;
    }
    classes
}

#[inline]
fn class(text: &[u8], at: usize) -> Option<Class> {
    text.get(at).map(|byte| CLASSES[*byte as usize])
}

fn is_letter(class: Option<Class>) -> bool {
    matches!(class, Some(Class::Upper | Class::Lower))
}

/// Where the piece that begins at `at` ends; none if a character beyond ASCII may decide.
#[inline]
pub fn ascii_piece_end(text: &[u8], at: usize, dialect: Dialect) -> Option<usize> {
    match class(text, at)? {
        Class::Upper | Class::Lower => letters_end(text, at, dialect),
        Class::Digit => digits_end(text, at),
        Class::Beyond => None,
        Class::Mark => {
            if dialect == Dialect::Cl100k && text[at] == b'\'' {
                if let Some(end) = contraction_end(text, at)? {
                    return Some(end);
                }
            }
            after_mark(text, at, dialect)
        }
        Class::LineEnd => white_end(text, at),
        Class::White => match class(text, at + 1) {
            Some(Class::Beyond) => None,
            next if is_letter(next) => letters_end(text, at + 1, dialect),
            Some(Class::Mark) if text[at] == b' ' => marks_end(text, at + 1, dialect),
            _ => white_end(text, at),
        },
    }
}

/// One mark before letters belongs to them.
fn after_mark(text: &[u8], at: usize, dialect: Dialect) -> Option<usize> {
    match class(text, at + 1) {
        Some(Class::Beyond) => None,
        next if is_letter(next) => letters_end(text, at + 1, dialect),
        _ => marks_end(text, at, dialect),
    }
}

#[inline]
fn run_end(text: &[u8], mut at: usize, belongs: impl Fn(Class) -> bool) -> Option<usize> {
    while let Some(class) = class(text, at) {
        if class == Class::Beyond {
            return None;
        }
        if !belongs(class) {
            break;
        }
        at += 1;
    }
    Some(at)
}

/// `at` is a letter.
#[inline]
fn letters_end(text: &[u8], at: usize, dialect: Dialect) -> Option<usize> {
    if dialect == Dialect::Cl100k {
        return run_end(text, at, |class| matches!(class, Class::Upper | Class::Lower));
    }
    let capitals = run_end(text, at, |class| class == Class::Upper)?;
    let end = run_end(text, capitals, |class| class == Class::Lower)?;
    match contraction_end(text, end)? {
        Some(after) => Some(after),
        None => Some(end),
    }
}

/// Behind 's 't 'm 'd 're 've 'll in either case, if one begins at `at`. The outer none: not for us to say, because
/// `ſ` is an s to the expression.
fn contraction_end(text: &[u8], at: usize) -> Option<Option<usize>> {
    if text.get(at) != Some(&b'\'') {
        return Some(None);
    }
    let letter = |at: usize| text.get(at).map(u8::to_ascii_lowercase);
    match (letter(at + 1), letter(at + 2)) {
        (Some(0x80..), _) => None,
        (Some(b's' | b't' | b'm' | b'd'), _) => Some(Some(at + 2)),
        (Some(b'r' | b'v'), Some(b'e')) | (Some(b'l'), Some(b'l')) => Some(Some(at + 3)),
        _ => Some(None),
    }
}

fn digits_end(text: &[u8], at: usize) -> Option<usize> {
    for end in at + 1..at + 3 {
        match class(text, end) {
            Some(Class::Digit) => {}
            Some(Class::Beyond) => return None,
            _ => return Some(end),
        }
    }
    Some(at + 3)
}

fn marks_end(text: &[u8], at: usize, dialect: Dialect) -> Option<usize> {
    let mut end = run_end(text, at, |class| class == Class::Mark)?;
    while let Some(byte) = text.get(end) {
        if !matches!(byte, b'\r' | b'\n') && !(dialect == Dialect::O200k && *byte == b'/') {
            break;
        }
        end += 1;
    }
    Some(end)
}

fn white_end(text: &[u8], at: usize) -> Option<usize> {
    let end = run_end(text, at, |class| matches!(class, Class::White | Class::LineEnd))?;
    if let Some(last) = text[at..end].iter().rposition(|byte| matches!(byte, b'\r' | b'\n')) {
        return Some(at + last + 1);
    }
    Some(if end == text.len() || end == at + 1 { end } else { end - 1 })
}

//! Folding of single characters: case, accents and ligatures of Latin. Runs after NFKC, which has already folded
//! width (ＡＢＣ), compatibility ligatures (ﬁ) and super- and subscripts.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_script::{Script, UnicodeScript};

/// Appends the folded form of a character.
pub fn fold_into(c: char, out: &mut String) {
    if c.is_ascii() {
        out.push(c.to_ascii_lowercase());
        return;
    }
    for lower in c.to_lowercase() {
        match letters_of(lower) {
            Some(letters) => out.push_str(letters),
            // The lower case of İ is i and a dot of its own.
            None if is_combining_mark(lower) => {}
            None if lower.script() == Script::Latin => {
                out.extend(std::iter::once(lower).nfd().filter(|part| !is_combining_mark(*part)));
            }
            None => out.push(lower),
        }
    }
}

/// Letters that no decomposition reaches, written the way people type them without their keyboard; and the final
/// sigma, which is the same letter as σ.
fn letters_of(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'æ' | 'ǽ' | 'ǣ' => "ae",
        'œ' => "oe",
        'ø' | 'ǿ' => "o",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'ı' | 'ɨ' => "i",
        'ł' | 'ƚ' => "l",
        'þ' => "th",
        'ŧ' => "t",
        'ŋ' => "n",
        'ς' => "σ",
        _ => return None,
    })
}

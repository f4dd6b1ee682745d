//! WordPiece over BERT's normalizer and pre-tokenizer: exactly what the `tokenizers` crate makes of a text, most of it
//! without asking the crate. Words of ASCII are cut and looked up here; anything else goes to the crate, one stretch at
//! a time, and short stretches are remembered. Stretches end where the crate would end a word in any case: at ASCII
//! white space, at ASCII punctuation, and around characters that BERT sets apart.

use std::collections::HashSet;

use tokenizers::models::ModelWrapper;
use tokenizers::{NormalizerWrapper, PreTokenizerWrapper, Tokenizer};

use super::piece_cache::{MAX_CACHED_BYTES, PieceCache, TokenMask};
use super::pieces::TokenStarts;
use crate::errors::Outcome;

pub struct WordPiece {
    /// What may begin a word, and what may continue one (without its `##`).
    beginnings: HashSet<Box<[u8]>>,
    continuations: HashSet<Box<[u8]>>,
    longest: usize,
    max_chars: usize,
    lowercase: bool,
    cache: PieceCache,
}

/// A token as the crate has it.
pub struct CrateToken {
    /// Byte position in the text that was asked about.
    pub start: usize,
    pub begins_word: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Class {
    White,
    Letter,
    Mark,
    /// Control characters, which the normalizer takes out of words, and what is not ASCII.
    Other,
}

const CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 128 {
        let letter = byte as u8;
        classes[byte] = match letter {
            b' ' | b'\t' | b'\n' | b'\r' => Class::White,
            _ if letter.is_ascii_alphanumeric() => Class::Letter,
            _ if letter.is_ascii_punctuation() => Class::Mark,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
}

impl WordPiece {
    /// None where the tokenizer does something else: then the crate has to do all of it.
    pub fn of(tokenizer: &Tokenizer) -> Option<Self> {
        let Some(NormalizerWrapper::BertNormalizer(normalizer)) = tokenizer.get_normalizer() else {
            return None;
        };
        let Some(PreTokenizerWrapper::BertPreTokenizer(_)) = tokenizer.get_pre_tokenizer() else {
            return None;
        };
        let ModelWrapper::WordPiece(model) = tokenizer.get_model() else { return None };
        // Added tokens that are not special are looked for in the text before anything else.
        let plain = tokenizer.get_added_tokens_decoder().values().all(|token| token.special);
        if !normalizer.clean_text || !normalizer.handle_chinese_chars || !plain {
            return None;
        }
        let (mut beginnings, mut continuations) = (HashSet::new(), HashSet::new());
        for token in tokenizer.get_vocab(false).into_keys() {
            if let Some(rest) = token.strip_prefix(&model.continuing_subword_prefix) {
                continuations.insert(rest.as_bytes().into());
            }
            beginnings.insert(token.into_bytes().into());
        }
        Some(Self {
            longest: beginnings.iter().map(|token: &Box<[u8]>| token.len()).max()?,
            beginnings,
            continuations,
            max_chars: model.max_input_chars_per_word,
            lowercase: normalizer.lowercase,
            cache: PieceCache::new(),
        })
    }

    /// Calls back with each word as (start, end, whether it is ASCII, tokens). `ask` has the crate tokenize a stretch.
    pub fn each_word(
        &mut self,
        text: &str,
        ask: impl Fn(&str) -> Outcome<Vec<CrateToken>>,
        mut visit: impl FnMut(usize, usize, bool, TokenStarts),
    ) -> Outcome<()> {
        let bytes = text.as_bytes();
        let mut starts = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let class = CLASSES[bytes[at] as usize];
            if class == Class::White {
                at += 1;
                continue;
            }
            let end = if class == Class::Letter { letters_end(bytes, at) } else { at + 1 };
            let goes_on = class == Class::Letter && class_at(bytes, end) == Some(Class::Other);
            if class == Class::Other || goes_on {
                let end = stretch_end(text, at);
                self.stretch(text, at, end, &ask, &mut visit)?;
                at = end;
                continue;
            }
            let place = self.cache.place(bytes, at, end);
            match place.as_ref().and_then(|place| self.cache.get(place)) {
                Some(mask) => visit(at, end, true, TokenStarts::Mask(mask)),
                None => {
                    self.cut_word(&bytes[at..end], &mut starts);
                    if let Some(place) = place {
                        self.cache.put(&place, mask_of(&starts));
                    }
                    visit(at, end, true, TokenStarts::List(&starts));
                }
            }
            at = end;
        }
        Ok(())
    }

    /// Words of ASCII: the longest piece that the vocabulary has, again and again. A word that no pieces make up, or
    /// that is too long, is one unknown token.
    fn cut_word(&self, word: &[u8], starts: &mut Vec<u32>) {
        starts.clear();
        if word.len() > self.max_chars {
            starts.push(0);
            return;
        }
        let lower = if self.lowercase { word.to_ascii_lowercase() } else { word.to_vec() };
        let mut at = 0;
        while at < lower.len() {
            let pieces = if at == 0 { &self.beginnings } else { &self.continuations };
            let furthest = lower.len().min(at + self.longest);
            let Some(end) = (at + 1..=furthest).rev().find(|end| pieces.contains(&lower[at..*end])) else {
                starts.clear();
                starts.push(0);
                return;
            };
            starts.push(at as u32);
            at = end;
        }
    }

    /// `text[at..end]`, of which not all is ASCII.
    fn stretch(
        &mut self,
        text: &str,
        at: usize,
        end: usize,
        ask: impl Fn(&str) -> Outcome<Vec<CrateToken>>,
        mut visit: impl FnMut(usize, usize, bool, TokenStarts),
    ) -> Outcome<()> {
        let place = self.cache.place(text.as_bytes(), at, end);
        if let Some(mask) = place.as_ref().and_then(|place| self.cache.get(place)) {
            visit(at, end, false, TokenStarts::Mask(mask));
            return Ok(());
        }
        let tokens = ask(&text[at..end])?;
        let words = tokens.iter().filter(|token| token.begins_word).count();
        let distinct = tokens.windows(2).all(|pair| pair[0].start < pair[1].start);
        if let Some(place) = place
            && words <= 1
            && distinct
        {
            let starts: Vec<_> = tokens.iter().map(|token| token.start as u32).collect();
            self.cache.put(&place, mask_of(&starts));
        }
        for word in tokens.chunk_by(|_, next| !next.begins_word) {
            let from = word[0].start;
            let starts: Vec<_> = word.iter().map(|token| (token.start - from) as u32).collect();
            visit(at + from, end, false, TokenStarts::List(&starts));
        }
        Ok(())
    }
}

/// Of a piece that the cache has a place for.
fn mask_of(starts: &[u32]) -> TokenMask {
    debug_assert!(starts.iter().all(|start| (*start as usize) < MAX_CACHED_BYTES));
    starts.iter().fold(0, |mask, start| mask | 1 << start)
}

fn class_at(text: &[u8], at: usize) -> Option<Class> {
    text.get(at).map(|byte| CLASSES[*byte as usize])
}

fn letters_end(text: &[u8], mut at: usize) -> usize {
    while class_at(text, at) == Some(Class::Letter) {
        at += 1;
    }
    at
}

/// The stretch at `at` reaches to the next character that is a word of its own, or ends words.
fn stretch_end(text: &str, at: usize) -> usize {
    let mut chars = text[at..].char_indices();
    if let Some((_, first)) = chars.next()
        && stands_alone(first)
    {
        return at + first.len_utf8();
    }
    let ends = |c: char| {
        stands_alone(c) || (c.is_ascii() && matches!(CLASSES[c as usize], Class::White | Class::Mark))
    };
    chars.find(|(_, c)| ends(*c)).map_or(text.len(), |(offset, _)| at + offset)
}

/// Characters that BERT makes words of their own: the ideographs that it calls Chinese, and the most frequent marks
/// beyond ASCII. Others do so too, but then the crate finds out.
fn stands_alone(c: char) -> bool {
    matches!(c,
        '\u{4E00}'..='\u{9FFF}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{20000}'..='\u{2A6DF}'
        | '\u{2A700}'..='\u{2B81F}'
        | '\u{2B920}'..='\u{2CEAF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{2F800}'..='\u{2FA1F}'
        | '\u{2010}'..='\u{2027}'
        | '\u{3001}'..='\u{3003}'
        | '\u{FF01}' | '\u{FF0C}' | '\u{FF1A}' | '\u{FF1B}' | '\u{FF1F}'
    )
}

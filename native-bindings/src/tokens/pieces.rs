//! The tokens of a text, piece by piece. A piece is what a tokenizer looks at by itself (a word, a number, a mark): its
//! tokens do not depend on what stands before it.

use napi_derive::napi;

use super::piece_cache::TokenMask;
use crate::results::{U8s, U32s};

/// Byte positions within a piece at which its tokens begin: of a short piece as a mask, else as a list.
#[derive(Clone, Copy)]
pub enum TokenStarts<'a> {
    Mask(TokenMask),
    List(&'a [u32]),
}

impl TokenStarts<'_> {
    pub fn len(&self) -> usize {
        match self {
            Self::Mask(mask) => mask.count_ones() as usize,
            Self::List(starts) => starts.len(),
        }
    }
}

#[napi(object, object_from_js = false)]
pub struct TokenPieces {
    #[napi(ts_type = "Uint32Array")]
    pub starts: U32s,
    #[napi(ts_type = "Uint8Array")]
    pub first: U8s,
}

/// Turns pieces into UTF-16 positions. Pieces come in order; text between them is passed over.
pub struct PieceCollector<'a> {
    text: &'a [u8],
    starts: Vec<u32>,
    first: Vec<u8>,
    /// How far the text was looked at, and how many more bytes than UTF-16 units that is.
    byte: usize,
    surplus: usize,
}

impl<'a> PieceCollector<'a> {
    pub fn new(text: &'a str) -> Self {
        let expected = text.len() / 4;
        Self {
            text: text.as_bytes(),
            starts: Vec::with_capacity(expected),
            first: Vec::with_capacity(expected),
            byte: 0,
            surplus: 0,
        }
    }

    /// Adds the tokens of `text[start..end]`.
    #[inline]
    pub fn piece(&mut self, start: usize, end: usize, is_ascii: bool, tokens: TokenStarts) {
        self.skip_to(start);
        let before = self.starts.len();
        match tokens {
            TokenStarts::Mask(mut mask) => {
                while mask != 0 {
                    self.token(start + mask.trailing_zeros() as usize, is_ascii);
                    mask &= mask - 1;
                }
            }
            TokenStarts::List(list) => list.iter().for_each(|at| self.token(start + *at as usize, is_ascii)),
        }
        self.first.resize(self.starts.len(), 0);
        if let Some(first) = self.first.get_mut(before) {
            *first = 1;
        }
        if is_ascii {
            // What is ASCII adds nothing to the surplus: no need to walk through it.
            self.byte = end;
        }
    }

    #[inline]
    fn token(&mut self, at: usize, is_ascii: bool) {
        let position = if is_ascii { (at - self.surplus) as u32 } else { self.floor(at) };
        self.starts.push(position);
    }

    /// Moves to byte `to`, which begins a character.
    #[inline]
    fn skip_to(&mut self, to: usize) {
        while self.byte < to {
            let (bytes, units) = width(self.text[self.byte]);
            self.byte += bytes;
            self.surplus += bytes - units;
        }
    }

    /// Moves to the character that holds byte `at`.
    fn floor(&mut self, at: usize) -> u32 {
        while self.byte < at {
            let (bytes, units) = width(self.text[self.byte]);
            if self.byte + bytes > at {
                break;
            }
            self.byte += bytes;
            self.surplus += bytes - units;
        }
        (self.byte - self.surplus) as u32
    }

    pub fn into_js(self) -> TokenPieces {
        TokenPieces { starts: U32s(self.starts), first: U8s(self.first) }
    }
}

/// UTF-8 bytes and UTF-16 units of the character that begins with this byte.
#[inline]
fn width(lead: u8) -> (usize, usize) {
    match lead {
        0x00..=0x7F => (1, 1),
        0xC0..=0xDF => (2, 1),
        0xE0..=0xEF => (3, 1),
        _ => (4, 2),
    }
}

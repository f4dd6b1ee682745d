//! OpenAI's encodings by the `bpe-openai` crate: linear in the length of the text, whatever it holds.

use std::cell::RefCell;

use bpe_openai::Tokenizer;
use napi_derive::napi;

use super::bpe_split::{Dialect, ascii_piece_end};
use super::piece_cache::{PieceCache, TokenMask};
use super::pieces::{PieceCollector, TokenPieces, TokenStarts};
use super::positions::Utf16Positions;
use super::{EncodedRows, RowIds};
use crate::args::{Arg, TextRows};
use crate::errors::{Code, Failure, guarded};
use crate::results::U32s;

#[napi]
pub struct BpeEncoding {
    tokenizer: &'static Tokenizer,
    dialect: Dialect,
    /// A JavaScript object lives in one thread, so nobody else looks at it.
    cache: RefCell<PieceCache>,
}

#[napi]
impl BpeEncoding {
    /// The dictionary is unpacked on the first load of a name and shared by the whole process.
    #[napi(factory, ts_args_type = "name: 'cl100k' | 'o200k'")]
    pub fn load(name: Arg) -> napi::Result<Self, Code> {
        let name = name.text("name")?;
        let (tokenizer, dialect) = guarded(|| match name.as_str() {
            "cl100k" => Ok((bpe_openai::cl100k_base(), Dialect::Cl100k)),
            "o200k" => Ok((bpe_openai::o200k_base(), Dialect::O200k)),
            _ => Err(Failure::argument(format!("name: expected 'cl100k' or 'o200k', got '{name}'"))),
        })?;
        Ok(Self { tokenizer, dialect, cache: RefCell::new(PieceCache::new()) })
    }

    #[napi(ts_args_type = "text: string")]
    pub fn count(&self, text: Arg) -> napi::Result<u32, Code> {
        let text = text.text("text")?;
        Ok(guarded(|| Ok(self.tokens_in(&text)))?)
    }

    #[napi(ts_args_type = "bytes: Uint8Array, offsets: Uint32Array", ts_return_type = "Uint32Array")]
    pub fn count_rows(&self, bytes: Arg, offsets: Arg) -> napi::Result<U32s, Code> {
        let rows = TextRows::read(&bytes, &offsets)?;
        let counts = guarded(|| Ok(rows.iter().map(|row| self.tokens_in(row)).collect()))?;
        Ok(U32s(counts))
    }

    #[napi(ts_args_type = "bytes: Uint8Array, offsets: Uint32Array")]
    pub fn encode_rows(&self, bytes: Arg, offsets: Arg) -> napi::Result<EncodedRows, Code> {
        let rows = TextRows::read(&bytes, &offsets)?;
        let encoded = guarded(|| {
            let mut encoded = RowIds::for_rows(&rows);
            for row in rows.iter() {
                for piece in self.tokenizer.split(row) {
                    encoded.ids.extend(self.tokenizer.bpe.encode_via_backtracking(piece.as_bytes()));
                }
                encoded.end_row()?;
            }
            Ok(encoded)
        })?;
        Ok(encoded.into_js())
    }

    #[napi(ts_args_type = "text: string", ts_return_type = "Uint32Array")]
    pub fn spans(&self, text: Arg) -> napi::Result<U32s, Code> {
        let text = text.text("text")?;
        let spans = guarded(|| {
            let mut spans = Vec::new();
            let mut positions = Utf16Positions::new(&text);
            let mut at = 0;
            for piece in self.tokenizer.split(&text) {
                for token in self.tokenizer.bpe.encode_via_backtracking(piece.as_bytes()) {
                    let end = at + self.tokenizer.bpe.token_len(token);
                    spans.push(positions.floor(at));
                    spans.push(positions.ceil(end));
                    at = end;
                }
            }
            Ok(spans)
        })?;
        Ok(U32s(spans))
    }

    #[napi(ts_args_type = "text: string")]
    pub fn pieces(&self, text: Arg) -> napi::Result<TokenPieces, Code> {
        let text = text.text("text")?;
        let collected = guarded(|| {
            let mut pieces = PieceCollector::new(&text);
            self.each_piece(&text, |start, end, is_ascii, tokens| pieces.piece(start, end, is_ascii, tokens));
            Ok(pieces)
        })?;
        Ok(collected.into_js())
    }
}

impl BpeEncoding {
    fn tokens_in(&self, text: &str) -> u32 {
        let mut count = 0;
        self.each_piece(text, |_, _, _, tokens| count += tokens.len());
        count as u32
    }

    /// Calls back with each piece as (start, end, whether it is ASCII, tokens).
    fn each_piece(&self, text: &str, mut visit: impl FnMut(usize, usize, bool, TokenStarts)) {
        let bytes = text.as_bytes();
        let mut cache = self.cache.borrow_mut();
        let mut long = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let ascii_end = ascii_piece_end(bytes, at, self.dialect);
            let end = ascii_end.unwrap_or_else(|| at + self.first_piece(&text[at..]).len());
            let is_ascii = ascii_end.is_some();
            match cache.place(bytes, at, end) {
                Some(place) => {
                    let mask = cache.get(&place).unwrap_or_else(|| {
                        let mask = self.mask(&bytes[at..end]);
                        cache.put(&place, mask);
                        mask
                    });
                    visit(at, end, is_ascii, TokenStarts::Mask(mask));
                }
                None => {
                    self.starts(&bytes[at..end], &mut long);
                    visit(at, end, is_ascii, TokenStarts::List(&long));
                }
            }
            at = end;
        }
    }

    /// By the encoding's own expression, which matches every text that is not empty.
    fn first_piece<'a>(&self, text: &'a str) -> &'a str {
        let split = self.tokenizer.pre.as_ref().and_then(|expression| expression.split(text).next());
        split.filter(|piece| !piece.is_empty()).unwrap_or(text)
    }

    fn mask(&self, piece: &[u8]) -> TokenMask {
        let mut at = 0;
        self.tokenizer.bpe.encode_via_backtracking(piece).iter().fold(0, |mask, token| {
            let begun = mask | 1 << at;
            at += self.tokenizer.bpe.token_len(*token);
            begun
        })
    }

    fn starts(&self, piece: &[u8], starts: &mut Vec<u32>) {
        let mut at = 0;
        starts.clear();
        for token in self.tokenizer.bpe.encode_via_backtracking(piece) {
            starts.push(at);
            at += self.tokenizer.bpe.token_len(token) as u32;
        }
    }
}

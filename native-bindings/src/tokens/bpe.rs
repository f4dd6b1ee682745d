//! OpenAI's encodings by the `bpe-openai` crate: linear in the length of the text, whatever it holds.

use bpe_openai::Tokenizer;
use napi_derive::napi;

use super::positions::Utf16Positions;
use super::{EncodedRows, RowIds};
use crate::args::{Arg, TextRows};
use crate::errors::{Code, Failure, guarded};
use crate::results::U32s;

#[napi]
pub struct BpeEncoding {
    tokenizer: &'static Tokenizer,
}

#[napi]
impl BpeEncoding {
    /// The dictionary is unpacked on the first load of a name and shared by the whole process.
    #[napi(factory, ts_args_type = "name: 'cl100k' | 'o200k'")]
    pub fn load(name: Arg) -> napi::Result<Self, Code> {
        let name = name.text("name")?;
        let tokenizer = guarded(|| match name.as_str() {
            "cl100k" => Ok(bpe_openai::cl100k_base()),
            "o200k" => Ok(bpe_openai::o200k_base()),
            _ => Err(Failure::argument(format!("name: expected 'cl100k' or 'o200k', got '{name}'"))),
        })?;
        Ok(Self { tokenizer })
    }

    #[napi(ts_args_type = "bytes: Uint8Array, offsets: Uint32Array", ts_return_type = "Uint32Array")]
    pub fn count_rows(&self, bytes: Arg, offsets: Arg) -> napi::Result<U32s, Code> {
        let rows = TextRows::read(&bytes, &offsets)?;
        let counts = guarded(|| Ok(rows.iter().map(|row| self.tokenizer.count(row) as u32).collect()))?;
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
}

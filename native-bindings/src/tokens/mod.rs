//! Tokenizers: a model's own (`tokenizer.json`) and OpenAI's encodings. Synchronous and re-entrant: callers run them
//! in worker threads. Text never becomes a JavaScript string; text that spells a special token stays plain text.

mod bpe;
mod bpe_split;
mod model;
mod piece_cache;
mod pieces;
pub mod positions;
mod wordpiece;

use napi_derive::napi;

use crate::args::TextRows;
use crate::errors::{Failure, Outcome};
use crate::results::{U8s, U32s};

#[napi(object, object_from_js = false)]
pub struct EncodedRows {
    #[napi(ts_type = "Uint32Array")]
    pub ids: U32s,
    #[napi(ts_type = "Uint32Array")]
    pub row_offsets: U32s,
}

#[napi(object, object_from_js = false)]
pub struct EncodedPairs {
    #[napi(ts_type = "Uint32Array")]
    pub ids: U32s,
    #[napi(ts_type = "Uint8Array")]
    pub type_ids: U8s,
    #[napi(ts_type = "Uint32Array")]
    pub row_offsets: U32s,
}

/// Ids of many rows, one after another, while they are gathered.
struct RowIds {
    ids: Vec<u32>,
    offsets: Vec<u32>,
}

impl RowIds {
    fn for_rows(rows: &TextRows) -> Self {
        let mut offsets = Vec::with_capacity(rows.len() + 1);
        offsets.push(0);
        Self { ids: Vec::new(), offsets }
    }

    fn end_row(&mut self) -> Outcome<()> {
        let end = u32::try_from(self.ids.len())
            .map_err(|_| Failure::argument("bytes: more than 4 billion tokens in one call"))?;
        self.offsets.push(end);
        Ok(())
    }

    fn into_js(self) -> EncodedRows {
        EncodedRows { ids: U32s(self.ids), row_offsets: U32s(self.offsets) }
    }
}

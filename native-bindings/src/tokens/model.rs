//! A model's own tokenizer, read from its `tokenizer.json` by the `tokenizers` crate.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::Path;

use napi_derive::napi;
use tokenizers::{Encoding, Tokenizer};

use super::pieces::{PieceCollector, TokenPieces, TokenStarts};
use super::positions::Utf16Positions;
use super::wordpiece::{CrateToken, WordPiece};
use super::{EncodedPairs, EncodedRows, RowIds};
use crate::args::{Arg, TextRows};
use crate::errors::{Code, Failure, Outcome, guarded};
use crate::results::{U8s, U32s};

#[napi]
pub struct ModelTokenizer {
    tokenizer: Tokenizer,
    /// Counts and finds tokens where it can. A JavaScript object lives in one thread: nobody else looks at it.
    fast: Option<RefCell<WordPiece>>,
    /// Ids that only the post-processor may place. The unknown token is not one: content makes it all the time.
    reserved: HashSet<u32>,
    unknown: Option<u32>,
    special_tokens: u32,
    special_tokens_pair: u32,
}

#[napi]
impl ModelTokenizer {
    #[napi(factory, ts_args_type = "path: string")]
    pub fn from_file(path: Arg) -> napi::Result<Self, Code> {
        let path = path.text("path")?;
        Ok(guarded(|| Self::open(Path::new(&path)))?)
    }

    #[napi(getter)]
    pub fn special_tokens(&self) -> u32 {
        self.special_tokens
    }

    #[napi(getter)]
    pub fn special_tokens_pair(&self) -> u32 {
        self.special_tokens_pair
    }

    #[napi(ts_args_type = "bytes: Uint8Array, offsets: Uint32Array", ts_return_type = "Uint32Array")]
    pub fn count_rows(&self, bytes: Arg, offsets: Arg) -> napi::Result<U32s, Code> {
        let rows = TextRows::read(&bytes, &offsets)?;
        let counts = guarded(|| rows.iter().map(|row| self.tokens_in(row)).collect())?;
        Ok(U32s(counts))
    }

    #[napi(ts_args_type = "text: string")]
    pub fn count(&self, text: Arg) -> napi::Result<u32, Code> {
        let text = text.text("text")?;
        Ok(guarded(|| self.tokens_in(&text))?)
    }

    #[napi(ts_args_type = "text: string")]
    pub fn pieces(&self, text: Arg) -> napi::Result<TokenPieces, Code> {
        let text = text.text("text")?;
        let collected = guarded(|| {
            let mut pieces = PieceCollector::new(&text);
            let visit =
                |start, end, is_ascii, tokens: TokenStarts| pieces.piece(start, end, is_ascii, tokens);
            self.each_piece(&text, visit)?;
            Ok(pieces)
        })?;
        Ok(collected.into_js())
    }

    #[napi(ts_args_type = "bytes: Uint8Array, offsets: Uint32Array, special: boolean")]
    pub fn encode_rows(&self, bytes: Arg, offsets: Arg, special: Arg) -> napi::Result<EncodedRows, Code> {
        let rows = TextRows::read(&bytes, &offsets)?;
        let special = special.flag("special")?;
        let encoded = guarded(|| {
            let mut encoded = RowIds::for_rows(&rows);
            for row in rows.iter() {
                let encoding = self.finish(self.plain(row)?, None, special)?;
                encoded.ids.extend_from_slice(encoding.get_ids());
                encoded.end_row()?;
            }
            Ok(encoded)
        })?;
        Ok(encoded.into_js())
    }

    #[napi(ts_args_type = "query: string, bytes: Uint8Array, offsets: Uint32Array")]
    pub fn encode_pairs(&self, query: Arg, bytes: Arg, offsets: Arg) -> napi::Result<EncodedPairs, Code> {
        let query = query.text("query")?;
        let rows = TextRows::read(&bytes, &offsets)?;
        let (encoded, type_ids) = guarded(|| {
            let first = self.plain(&query)?;
            let mut encoded = RowIds::for_rows(&rows);
            let mut type_ids = Vec::new();
            for row in rows.iter() {
                let encoding = self.finish(first.clone(), Some(self.plain(row)?), true)?;
                encoded.ids.extend_from_slice(encoding.get_ids());
                type_ids.extend(encoding.get_type_ids().iter().map(|id| *id as u8));
                encoded.end_row()?;
            }
            Ok((encoded, type_ids))
        })?;
        let EncodedRows { ids, row_offsets } = encoded.into_js();
        Ok(EncodedPairs { ids, type_ids: U8s(type_ids), row_offsets })
    }

    #[napi(ts_args_type = "text: string", ts_return_type = "Uint32Array")]
    pub fn spans(&self, text: Arg) -> napi::Result<U32s, Code> {
        let text = text.text("text")?;
        let spans = guarded(|| {
            let encoding = self.tokenizer.encode(text.as_str(), false).map_err(failed)?;
            let mut positions = Utf16Positions::new(&text);
            let mut spans = Vec::with_capacity(encoding.len() * 2);
            for (start, end) in encoding.get_offsets() {
                let start = positions.floor(*start);
                spans.push(start);
                spans.push(positions.ceil(*end).max(start));
            }
            Ok(spans)
        })?;
        Ok(U32s(spans))
    }
}

impl ModelTokenizer {
    fn open(path: &Path) -> Outcome<Self> {
        let bytes = std::fs::read(path).map_err(|error| Failure::io("read", path, &error))?;
        let invalid = |reason: String| {
            Failure::new(
                Code::ModelInvalid,
                format!("{} is not a usable tokenizer: {reason}", path.display()),
            )
        };
        let mut tokenizer = Tokenizer::from_bytes(bytes).map_err(|error| invalid(error.to_string()))?;
        // Files carry the limits of their training script. Chunks are cut by our own limits, and what a model does
        // not see must be counted, so nothing may be dropped or padded silently.
        tokenizer.with_truncation(None).map_err(|error| invalid(error.to_string()))?;
        tokenizer.with_padding(None);
        // Without this, content that spells [SEP] would become one.
        tokenizer.set_encode_special_tokens(true);

        let unknown = unknown_token(&tokenizer);
        let fast = WordPiece::of(&tokenizer).map(RefCell::new);
        let reserved = tokenizer
            .get_added_tokens_decoder()
            .iter()
            .filter(|(id, token)| token.special && Some(**id) != unknown)
            .map(|(id, _)| *id)
            .collect();
        let mut opened =
            Self { tokenizer, fast, reserved, unknown, special_tokens: 0, special_tokens_pair: 0 };
        opened.special_tokens = opened.finish(Encoding::default(), None, true)?.len() as u32;
        let pair = opened.finish(Encoding::default(), Some(Encoding::default()), true)?;
        opened.special_tokens_pair = pair.len() as u32;
        Ok(opened)
    }

    fn tokens_in(&self, text: &str) -> Outcome<u32> {
        if self.fast.is_none() {
            return Ok(self.plain(text)?.len() as u32);
        }
        let mut count = 0;
        self.each_piece(text, |_, _, _, tokens| count += tokens.len() as u32)?;
        Ok(count)
    }

    /// Calls back with each piece as (start, end, whether it is ASCII, tokens). A tokenizer that is not known to look
    /// at words one by one makes a single piece of the whole text.
    fn each_piece(&self, text: &str, mut visit: impl FnMut(usize, usize, bool, TokenStarts)) -> Outcome<()> {
        if let Some(fast) = &self.fast {
            return fast.borrow_mut().each_word(text, |stretch| self.crate_tokens(stretch), visit);
        }
        let tokens = self.crate_tokens(text)?;
        let starts: Vec<_> = tokens.iter().map(|token| token.start as u32).collect();
        visit(0, text.len(), false, TokenStarts::List(&starts));
        Ok(())
    }

    fn crate_tokens(&self, text: &str) -> Outcome<Vec<CrateToken>> {
        let encoding = self.tokenizer.encode(text, false).map_err(failed)?;
        let words = encoding.get_word_ids();
        let begins_word = |row: usize| row == 0 || words[row] != words[row - 1];
        let tokens = encoding.get_offsets().iter().enumerate();
        Ok(tokens
            .map(|(row, (start, _))| CrateToken { start: *start, begins_word: begins_word(row) })
            .collect())
    }

    /// Tokens of a text without special ones.
    fn plain(&self, text: &str) -> Outcome<Encoding> {
        let encoding = self.tokenizer.encode_fast(text, false).map_err(failed)?;
        if encoding.get_ids().iter().any(|id| self.reserved.contains(id)) {
            return Ok(self.without_reserved(&encoding));
        }
        Ok(encoding)
    }

    /// Some vocabularies hold `</s>` as an ordinary piece too, so that content can still reach the reserved id. Such
    /// a token becomes the unknown one: the count stays, the separator does not.
    fn without_reserved(&self, encoding: &Encoding) -> Encoding {
        let unknown = self.unknown.unwrap_or(0);
        let ids = encoding.get_ids().iter();
        let ids = ids.map(|id| if self.reserved.contains(id) { unknown } else { *id }).collect();
        Encoding::new(
            ids,
            encoding.get_type_ids().to_vec(),
            encoding.get_tokens().to_vec(),
            encoding.get_word_ids().to_vec(),
            encoding.get_offsets().to_vec(),
            encoding.get_special_tokens_mask().to_vec(),
            encoding.get_attention_mask().to_vec(),
            Vec::new(),
            Default::default(),
        )
    }

    fn finish(&self, first: Encoding, second: Option<Encoding>, special: bool) -> Outcome<Encoding> {
        self.tokenizer.post_process(first, second, special).map_err(failed)
    }
}

fn unknown_token(tokenizer: &Tokenizer) -> Option<u32> {
    use tokenizers::models::ModelWrapper;
    match tokenizer.get_model() {
        ModelWrapper::WordPiece(model) => tokenizer.token_to_id(&model.unk_token),
        ModelWrapper::WordLevel(model) => tokenizer.token_to_id(&model.unk_token),
        ModelWrapper::BPE(model) => model.unk_token.as_deref().and_then(|token| tokenizer.token_to_id(token)),
        ModelWrapper::Unigram(_) => ["<unk>", "[UNK]"].iter().find_map(|token| tokenizer.token_to_id(token)),
    }
}

fn failed(error: tokenizers::Error) -> Failure {
    Failure::new(Code::Failed, format!("the tokenizer failed: {error}"))
}

//! Building a segment file: rows in, one file out.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use super::builder::{NUMBERS_A_DOCUMENT, SegmentBuilder, TEXTS_A_DOCUMENT};
use super::serialize::{Identity, save};
use crate::args::{Arg, TextRows};
use crate::errors::{Code, Failure, Outcome};
use crate::pool::Lane;

#[napi]
pub struct FilterWriter {
    lane: Lane,
    rows: Arc<Mutex<SegmentBuilder>>,
}

#[napi]
impl FilterWriter {
    #[napi(factory)]
    pub fn create() -> Self {
        Self { lane: Lane::default(), rows: Arc::default() }
    }

    /// As `FilterIndex.add`.
    #[napi(
        ts_args_type = "rows: Float64Array, bytes: Uint8Array, offsets: Uint32Array",
        ts_return_type = "Promise<void>"
    )]
    pub fn add<'env>(
        &self,
        env: &'env Env,
        rows: Arg,
        bytes: Arg,
        offsets: Arg,
    ) -> napi::Result<Object<'env>, Code> {
        let (numbers, texts) = read_rows(&rows, &bytes, &offsets)?;
        self.with_rows(env, move |builder| add_rows(builder, &numbers, &texts))
    }

    /// Makes a durable file of the rows, under the name or not at all; no row is left afterwards.
    #[napi(
        ts_args_type = "path: string, index: string, generation: number",
        ts_return_type = "Promise<void>"
    )]
    pub fn save<'env>(
        &self,
        env: &'env Env,
        path: Arg,
        index: Arg,
        generation: Arg,
    ) -> napi::Result<Object<'env>, Code> {
        let path = PathBuf::from(path.text("path")?);
        let identity = Identity { index: index.text("index")?, generation: generation.whole("generation")? };
        self.with_rows(env, move |builder| save(std::mem::take(builder), &path, &identity))
    }

    fn with_rows<'env>(
        &self,
        env: &'env Env,
        work: impl FnOnce(&mut SegmentBuilder) -> Outcome<()> + Send + 'static,
    ) -> napi::Result<Object<'env>, Code> {
        let rows = Arc::clone(&self.rows);
        self.lane.promise(
            env,
            move || {
                let mut rows = rows.lock().map_err(|_| Failure::poisoned())?;
                // A row that is half in must not get into a file.
                work(&mut rows).inspect_err(|_| *rows = SegmentBuilder::default())
            },
            |()| (),
        )
    }
}

pub fn read_rows(rows: &Arg, bytes: &Arg, offsets: &Arg) -> Outcome<(Vec<f64>, TextRows)> {
    let (numbers, texts) = (rows.f64s("rows")?, TextRows::read(bytes, offsets)?);
    let documents = numbers.len() / NUMBERS_A_DOCUMENT;
    if !numbers.len().is_multiple_of(NUMBERS_A_DOCUMENT) || texts.len() != documents * TEXTS_A_DOCUMENT {
        return Err(Failure::argument(format!(
            "rows: expected {NUMBERS_A_DOCUMENT} numbers and {TEXTS_A_DOCUMENT} texts a document, got {} and {}",
            numbers.len(),
            texts.len()
        )));
    }
    Ok((numbers, texts))
}

pub fn add_rows(builder: &mut SegmentBuilder, numbers: &[f64], texts: &TextRows) -> Outcome<()> {
    let mut texts = texts.iter();
    for row in numbers.chunks_exact(NUMBERS_A_DOCUMENT) {
        let of_document: Vec<&str> = texts.by_ref().take(TEXTS_A_DOCUMENT).collect();
        builder.add(row, &of_document).map_err(|mut failure| {
            failure.message = format!("document '{}': {}", of_document[0], failure.message);
            failure
        })?;
    }
    Ok(())
}

pub fn keys_of(keys: &Arg) -> Outcome<Vec<u64>> {
    Ok(keys.f64s("keys")?.into_iter().map(|key| key as u64).collect())
}

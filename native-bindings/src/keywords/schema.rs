//! What the index holds a document: its label, and the terms of its text with frequencies and length.

use std::path::Path;

use tantivy::schema::{Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{Index, IndexSettings};

use super::analyzer::{ANALYZER_NAME, AnalyzerTokenizer};
use super::directory::CheckedDirectory;
use crate::errors::{Code, Failure, Outcome};

#[derive(Clone, Copy)]
pub struct Fields {
    pub label: Field,
    pub text: Field,
}

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    // Indexed to be deleted by, fast to be read by document.
    let label = builder.add_u64_field("label", NumericOptions::default().set_indexed().set_fast());
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(ANALYZER_NAME)
        .set_fieldnorms(true)
        .set_index_option(IndexRecordOption::WithFreqs);
    let text = builder.add_text_field("text", TextOptions::default().set_indexing_options(indexing));
    (builder.build(), Fields { label, text })
}

pub fn open_or_create(path: &Path) -> Outcome<(Index, Fields)> {
    std::fs::create_dir_all(path).map_err(|error| Failure::io("make the folder", path, &error))?;
    if !is_index(path) {
        let (schema, fields) = schema();
        let index = Index::create(CheckedDirectory::open(path)?, schema, IndexSettings::default())?;
        register(&index);
        return Ok((index, fields));
    }
    open(path)
}

pub fn open(path: &Path) -> Outcome<(Index, Fields)> {
    if !is_index(path) {
        return Err(Failure::new(Code::NotFound, format!("{} holds no keyword index", path.display())));
    }
    let index = Index::open(CheckedDirectory::open(path)?)?;
    let (schema, fields) = schema();
    if index.schema() != schema {
        return Err(Failure::new(
            Code::Version,
            format!("the keyword index in {} was made with another schema or analyzer", path.display()),
        ));
    }
    register(&index);
    Ok((index, fields))
}

fn is_index(path: &Path) -> bool {
    path.join("meta.json").exists()
}

fn register(index: &Index) {
    let analyzer = TextAnalyzer::builder(AnalyzerTokenizer::default()).build();
    index.tokenizers().register(ANALYZER_NAME, analyzer);
}

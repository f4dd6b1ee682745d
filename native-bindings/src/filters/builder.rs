//! Documents on their way into a segment: a column per metadata path, filled row by row. Memory is what the columns
//! need, whatever the documents hold besides: a distinct string lies here once, an element costs 8 to 16 bytes.

use std::collections::HashMap;

use super::intern::Interned;
use super::json::{JsonReader, Kind};
use super::path::SEPARATOR;
use crate::errors::{Failure, Outcome};

/// Fields of the document itself, in the order in which their texts come.
pub const DOCUMENT_FIELDS: [&str; 4] = ["$id", "$source", "$title", "$format"];
/// The document fields, then the metadata as JSON.
pub const TEXTS_A_DOCUMENT: usize = DOCUMENT_FIELDS.len() + 1;
/// Key, generation of birth, first label, chunks.
pub const NUMBERS_A_DOCUMENT: usize = 4;

#[derive(Default)]
pub struct SegmentBuilder {
    pub documents: DocumentRows,
    pub fields: [ColumnBuilder; DOCUMENT_FIELDS.len()],
    pub columns: Vec<(Vec<u8>, ColumnBuilder)>,
    by_path: HashMap<Vec<u8>, usize>,
}

/// By ordinal. Keys ascend.
#[derive(Default)]
pub struct DocumentRows {
    pub keys: Vec<u64>,
    pub born: Vec<u64>,
    pub first_labels: Vec<u32>,
    pub chunk_counts: Vec<u32>,
}

/// Documents by what they hold at one path. Lists of documents ascend and name none twice.
#[derive(Default)]
pub struct ColumnBuilder {
    pub present: Vec<u32>,
    pub nulls: Vec<u32>,
    pub falses: Vec<u32>,
    pub trues: Vec<u32>,
    pub strings: Interned,
    /// (number of the string, document), by document.
    pub string_docs: Vec<(u32, u32)>,
    pub numbers: Vec<(f64, u32)>,
    /// By string: the last document that had it.
    last_docs: Vec<u32>,
}

impl SegmentBuilder {
    pub fn len(&self) -> usize {
        self.documents.keys.len()
    }

    /// On an error the row is half in: the builder is of no use any more.
    pub fn add(&mut self, numbers: &[f64], texts: &[&str]) -> Outcome<()> {
        let doc = u32::try_from(self.len()).map_err(|_| Failure::argument("rows: too many documents"))?;
        self.documents.push(numbers)?;
        for (column, text) in self.fields.iter_mut().zip(texts) {
            column.add_present(doc);
            column.add_text(text, doc);
        }
        let mut reader = JsonReader::new(texts[DOCUMENT_FIELDS.len()]);
        self.add_object(&mut reader, &mut Vec::new(), true, doc)?;
        reader.end()
    }

    fn add_object(
        &mut self,
        reader: &mut JsonReader,
        path: &mut Vec<u8>,
        is_root: bool,
        doc: u32,
    ) -> Outcome<()> {
        reader.object(|reader, key| {
            let length = path.len();
            if !is_root {
                path.push(SEPARATOR);
            }
            path.extend_from_slice(key.as_bytes());
            let column = self.column(path);
            column.add_present(doc);
            match reader.kind()? {
                Kind::Object => self.add_object(reader, path, false, doc)?,
                Kind::Array => reader.array(|reader| column.add_element(reader, doc))?,
                _ => column.add_element(reader, doc)?,
            }
            path.truncate(length);
            Ok(())
        })
    }

    fn column(&mut self, path: &[u8]) -> &mut ColumnBuilder {
        let at = match self.by_path.get(path) {
            Some(at) => *at,
            None => {
                self.by_path.insert(path.to_vec(), self.columns.len());
                self.columns.push((path.to_vec(), ColumnBuilder::default()));
                self.columns.len() - 1
            }
        };
        &mut self.columns[at].1
    }
}

impl DocumentRows {
    fn push(&mut self, numbers: &[f64]) -> Outcome<()> {
        let whole = |at: usize, most: f64| {
            let number = numbers[at];
            if number.fract() != 0.0 || !(0.0..=most).contains(&number) {
                return Err(Failure::argument(format!("rows: {number} is no whole number in range")));
            }
            Ok(number as u64)
        };
        let most = (1u64 << 53) as f64;
        let (key, born) = (whole(0, most)?, whole(1, most)?);
        let (first, count) = (whole(2, f64::from(u32::MAX))?, whole(3, f64::from(u32::MAX))?);
        if self.keys.last().is_some_and(|last| *last >= key) {
            return Err(Failure::argument(format!("rows: key {key} does not ascend")));
        }
        if first + count > u64::from(u32::MAX) {
            return Err(Failure::argument(format!("rows: the labels of key {key} end past 32 bits")));
        }
        self.keys.push(key);
        self.born.push(born);
        self.first_labels.push(first as u32);
        self.chunk_counts.push(count as u32);
        Ok(())
    }
}

impl ColumnBuilder {
    fn add_present(&mut self, doc: u32) {
        push_once(&mut self.present, doc);
    }

    /// Arrays have scalars as elements; what else they hold counts for nothing.
    fn add_element(&mut self, reader: &mut JsonReader, doc: u32) -> Outcome<()> {
        match reader.kind()? {
            Kind::Null => {
                reader.null()?;
                push_once(&mut self.nulls, doc);
            }
            Kind::Boolean => match reader.boolean()? {
                true => push_once(&mut self.trues, doc),
                false => push_once(&mut self.falses, doc),
            },
            Kind::Number => self.numbers.push((reader.number()?, doc)),
            Kind::Text => {
                let mut text = String::new();
                reader.text(&mut text)?;
                self.add_text(&text, doc);
            }
            Kind::Array | Kind::Object => reader.skip()?,
        }
        Ok(())
    }

    fn add_text(&mut self, text: &str, doc: u32) {
        let number = self.strings.number_of(text.as_bytes());
        match self.last_docs.get_mut(number as usize) {
            None => self.last_docs.push(doc),
            Some(last) if *last == doc => return,
            Some(last) => *last = doc,
        }
        self.string_docs.push((number, doc));
    }
}

fn push_once(docs: &mut Vec<u32>, doc: u32) {
    if docs.last() != Some(&doc) {
        docs.push(doc);
    }
}

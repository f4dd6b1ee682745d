//! From a builder to the bytes of a segment, column by column: what is written is freed. The layout is drawn in segment.rs.

use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

use crc32fast::hash;

use super::builder::{DOCUMENT_FIELDS, DocumentRows, SegmentBuilder};
use super::bytes::{put_u32, put_u32s, put_u64, put_u64s};
use crate::durable::replace;
use crate::errors::{Code, Failure, Outcome};

pub const MAGIC: &[u8; 8] = b"SLUICEFC";
pub const VERSION: u32 = 1;
pub const HEADER_BYTES: usize = 160;
pub const MAX_NAME_BYTES: usize = 88;

/// Which segment a file is.
pub struct Identity {
    /// The index that it belongs to.
    pub index: String,
    pub generation: u64,
}

/// The target is the old file or the new one, never a part. Durable when it returns.
pub fn save(builder: SegmentBuilder, path: &Path, identity: &Identity) -> Outcome<()> {
    let what = "write the filter columns to";
    replace(path, what, |file| {
        let mut output = BufWriter::with_capacity(1 << 20, file);
        write(builder, &mut output, identity).map_err(|mut failure| {
            failure.message = format!("{}: {}", path.display(), failure.message);
            failure
        })?;
        output.flush().map_err(|error| Failure::io(what, path, &error))
    })
}

pub fn write(builder: SegmentBuilder, output: &mut (impl Write + Seek), identity: &Identity) -> Outcome<()> {
    if identity.index.len() > MAX_NAME_BYTES {
        return Err(Failure::argument(format!("index: the name is longer than {MAX_NAME_BYTES} bytes")));
    }
    let SegmentBuilder { documents, fields, mut columns, .. } = builder;
    let (count, last_key) = (documents.keys.len(), documents.keys.last().copied().unwrap_or(0));
    let mut writer = Sections { output, at: 0, directory: Vec::new() };
    writer.put(&[0; HEADER_BYTES])?;
    writer.section(&documents.into_bytes())?;
    put_u64(&mut writer.directory, (fields.len() + columns.len()) as u64);
    for (name, column) in DOCUMENT_FIELDS.iter().zip(fields) {
        writer.column(&column.into_bytes(count)?, 0, name.as_bytes())?;
    }
    // The same documents give the same bytes.
    columns.sort_by(|a, b| a.0.cmp(&b.0));
    for (path, column) in columns {
        writer.column(&column.into_bytes(count)?, 1, &path)?;
    }
    let directory = std::mem::take(&mut writer.directory);
    let offset = writer.at;
    writer.put(&directory)?;
    let mut header = Vec::with_capacity(HEADER_BYTES);
    header.extend_from_slice(MAGIC);
    put_u32(&mut header, VERSION);
    put_u32(&mut header, HEADER_BYTES as u32);
    for number in [identity.generation, last_key, count as u64, offset, directory.len() as u64] {
        put_u64(&mut header, number);
    }
    put_u32(&mut header, hash(&directory));
    put_u32(&mut header, identity.index.len() as u32);
    header.extend_from_slice(identity.index.as_bytes());
    header.resize(HEADER_BYTES - 4, 0);
    let sum = hash(&header);
    put_u32(&mut header, sum);
    output.rewind().and_then(|()| output.write_all(&header)).map_err(|error| not_written(&error))
}

fn not_written(error: &io::Error) -> Failure {
    Failure::new(Code::Failed, format!("the filter columns cannot be written: {error}"))
}

/// Writes sections one after the other and notes in the directory where they lie.
struct Sections<'a, W> {
    output: &'a mut W,
    at: u64,
    directory: Vec<u8>,
}

impl<W: Write> Sections<'_, W> {
    fn put(&mut self, bytes: &[u8]) -> Outcome<()> {
        self.at += bytes.len() as u64;
        self.output.write_all(bytes).map_err(|error| not_written(&error))
    }

    fn section(&mut self, bytes: &[u8]) -> Outcome<()> {
        put_u64(&mut self.directory, self.at);
        put_u64(&mut self.directory, bytes.len() as u64);
        put_u32(&mut self.directory, hash(bytes));
        self.put(bytes)
    }

    fn column(&mut self, bytes: &[u8], is_metadata: u32, path: &[u8]) -> Outcome<()> {
        self.section(bytes)?;
        put_u32(&mut self.directory, is_metadata);
        put_u32(&mut self.directory, path.len() as u32);
        self.directory.extend_from_slice(path);
        Ok(())
    }
}

impl DocumentRows {
    fn into_bytes(self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.keys.len() * 24);
        put_u64s(&mut out, self.keys.into_iter());
        put_u64s(&mut out, self.born.into_iter());
        put_u32s(&mut out, &self.first_labels);
        put_u32s(&mut out, &self.chunk_counts);
        out
    }
}

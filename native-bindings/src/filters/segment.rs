//! A segment: documents that never change, their labels, and a column for each field. It lies in a file that is mapped,
//! or in memory; the bytes are the same.
//!
//! ```text
//! header 160 bytes │ documents │ columns … │ directory
//!
//! header:    "SLUICEFC" │ version u32 │ header bytes u32 │ generation │ last key │ documents │ directory offset
//!            │ directory bytes │ directory CRC-32 u32 │ name bytes u32 │ name of the index, 88 bytes │ CRC-32 u32
//! documents: keys u64 │ generations of birth u64 │ first labels u32 │ chunk counts u32, each by ordinal
//! directory: offset, bytes, CRC-32 u32 of the documents │ columns u64 │ for each column: offset, bytes, CRC-32 u32,
//!            1 for metadata or 0 for a field of the document u32, path bytes u32, path
//! ```
//! Numbers are little-endian, u64 where nothing is said.

use std::collections::HashMap;
use std::fs::File;
use std::ops::Range;
use std::path::Path;

use crc32fast::hash;
use memmap2::Mmap;

use super::bits::DocSet;
use super::bytes::Cursor;
use super::column::{Column, State};
use super::path::{by_preference, name_of};
use super::serialize::{HEADER_BYTES, Identity, MAGIC, MAX_NAME_BYTES, VERSION};
use crate::errors::{Code, Failure, Outcome};

enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl std::ops::Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Owned(bytes) => bytes,
        }
    }
}

pub struct Segment {
    bytes: Bytes,
    len: usize,
    documents: Range<usize>,
    columns: Vec<Range<usize>>,
    /// Columns by what filters call them, the preferred one first.
    names: HashMap<String, Vec<usize>>,
    /// By block of 64 documents: whether their labels follow each other without a gap.
    gapless: Vec<bool>,
}

/// The columns of the documents.
pub struct Rows<'a> {
    pub keys: &'a [[u8; 8]],
    pub born: &'a [[u8; 8]],
    pub first_labels: &'a [[u8; 4]],
    pub chunk_counts: &'a [[u8; 4]],
}

impl Segment {
    /// Maps a file and opens it.
    pub fn open_file(path: &Path, expected: &Identity) -> Outcome<Self> {
        let file = File::open(path).map_err(|error| Failure::io("open", path, &error))?;
        // Safe as long as nobody writes into the file: writers only make new ones and remove old ones, whose pages stay.
        let map = unsafe { Mmap::map(&file) }.map_err(|error| Failure::io("map", path, &error))?;
        Self::open(Bytes::Mapped(map), expected)
    }

    /// Checks every byte against its checksum, and that the file is the one that is meant.
    fn open(bytes: Bytes, expected: &Identity) -> Outcome<Self> {
        let header = Header::read(&bytes)?;
        if header.index != expected.index || header.generation != expected.generation {
            return Err(Failure::corrupt(format!(
                "it is generation {} of index {}, expected {} of {}",
                header.generation, header.index, expected.generation, expected.index
            )));
        }
        Self::parse(bytes, header, true)
    }

    /// Bytes that were made a moment ago.
    pub fn in_memory(bytes: Vec<u8>) -> Outcome<Self> {
        let bytes = Bytes::Owned(bytes);
        let header = Header::read(&bytes)?;
        Self::parse(bytes, header, false)
    }

    fn parse(bytes: Bytes, header: Header, check: bool) -> Outcome<Self> {
        let directory = bytes
            .get(header.directory.clone())
            .filter(|_| header.directory.end == bytes.len())
            .ok_or_else(|| Failure::corrupt("its directory is not at its end"))?;
        if hash(directory) != header.directory_sum {
            return Err(Failure::corrupt("the checksum of its directory does not fit"));
        }
        let mut cursor = Cursor::new(directory);
        let mut next = HEADER_BYTES;
        let documents = section(&bytes, &mut cursor, &mut next, check)?;
        let mut columns = Vec::new();
        let mut paths: HashMap<String, Vec<(usize, &[u8])>> = HashMap::new();
        for at in 0..cursor.size()? {
            columns.push(section(&bytes, &mut cursor, &mut next, check)?);
            let (is_metadata, length) = (cursor.u32()? == 1, cursor.u32()? as usize);
            let path = cursor.bytes(length)?;
            let named = paths.entry(name_of(path)).or_default();
            // Fields of the document come first, and hide metadata of the same name.
            if !is_metadata
                || named.first().is_none_or(|(first, _)| *first >= super::builder::DOCUMENT_FIELDS.len())
            {
                named.push((at, path));
            }
        }
        if next != header.directory.start {
            return Err(Failure::corrupt("its sections do not reach its directory"));
        }
        let names = paths.into_iter().map(|(name, mut named)| {
            named.sort_by(|a, b| by_preference(a.1, b.1));
            (name, named.into_iter().map(|(at, _)| at).collect())
        });
        let names = names.collect();
        let mut segment =
            Self { bytes, len: header.documents, documents, columns, names, gapless: Vec::new() };
        segment.gapless = segment.rows()?.gapless();
        for at in 0..segment.columns.len() {
            segment.column(at)?;
        }
        Ok(segment)
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// 0 without documents.
    pub fn last_key(&self) -> Outcome<u64> {
        Ok(self.rows()?.keys.last().map_or(0, |key| u64::from_le_bytes(*key)))
    }

    pub fn rows(&self) -> Outcome<Rows<'_>> {
        let mut cursor = Cursor::new(&self.bytes[self.documents.clone()]);
        let rows = Rows {
            keys: cursor.array(self.len)?,
            born: cursor.array(self.len)?,
            first_labels: cursor.array(self.len)?,
            chunk_counts: cursor.array(self.len)?,
        };
        if cursor.is_empty() { Ok(rows) } else { Err(Failure::corrupt("it has more documents than it says")) }
    }

    pub fn column(&self, at: usize) -> Outcome<Column<'_>> {
        Column::read(&self.bytes[self.columns[at].clone()], self.len)
    }

    /// What a field may mean, the preferred one first.
    pub fn columns_named(&self, field: &str) -> Outcome<Vec<Column<'_>>> {
        let named = self.names.get(field).map_or(&[][..], Vec::as_slice);
        named.iter().map(|at| self.column(*at)).collect()
    }

    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.names.keys()
    }

    pub fn is_gapless(&self, block: usize) -> bool {
        self.gapless[block]
    }

    /// Whether a document of the set has the field.
    pub fn has_field(&self, field: &str, among: &DocSet) -> Outcome<bool> {
        for column in self.columns_named(field)? {
            let mut present = DocSet::none(self.len);
            let state = State::Present as usize;
            column.states.insert(state, state + 1, &mut present)?;
            if present.meets(among) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Rows<'_> {
    pub fn first_label(&self, doc: usize) -> u32 {
        u32::from_le_bytes(self.first_labels[doc])
    }

    pub fn chunk_count(&self, doc: usize) -> u32 {
        u32::from_le_bytes(self.chunk_counts[doc])
    }

    pub fn find(&self, key: u64) -> Option<u32> {
        self.keys.binary_search_by_key(&key, |key| u64::from_le_bytes(*key)).ok().map(|doc| doc as u32)
    }

    fn gapless(&self) -> Vec<bool> {
        let documents = self.keys.len();
        let follows = |doc: usize| {
            self.first_label(doc).checked_add(self.chunk_count(doc)) == Some(self.first_label(doc + 1))
        };
        (0..documents.div_ceil(64))
            .map(|block| (block * 64..((block + 1) * 64).min(documents) - 1).all(follows))
            .collect()
    }
}

/// The next entry of the directory. Sections follow each other, so that no byte is left unchecked.
fn section(bytes: &[u8], cursor: &mut Cursor, next: &mut usize, check: bool) -> Outcome<Range<usize>> {
    let (offset, length, sum) = (cursor.size()?, cursor.size()?, cursor.u32()?);
    let range = offset..offset.saturating_add(length);
    let content = bytes.get(range.clone()).filter(|_| offset == *next);
    let content = content.ok_or_else(|| Failure::corrupt(format!("it has no section at byte {offset}")))?;
    if check && hash(content) != sum {
        return Err(Failure::corrupt(format!("the checksum of the section at byte {offset} does not fit")));
    }
    *next = range.end;
    Ok(range)
}

struct Header {
    generation: u64,
    documents: usize,
    directory: Range<usize>,
    directory_sum: u32,
    index: String,
}

impl Header {
    fn read(bytes: &[u8]) -> Outcome<Self> {
        let header = bytes.get(..HEADER_BYTES).ok_or_else(|| Failure::corrupt("it ends too early"))?;
        let mut cursor = Cursor::new(header);
        if cursor.bytes(MAGIC.len())? != MAGIC {
            return Err(Failure::corrupt("it does not begin like one"));
        }
        let (sum, content) = (&header[HEADER_BYTES - 4..], &header[..HEADER_BYTES - 4]);
        let (version, header_bytes) = (cursor.u32()?, cursor.u32()?);
        if version != VERSION {
            return Err(Failure::new(
                Code::Version,
                format!("version {version}, this release reads {VERSION}"),
            ));
        }
        if header_bytes as usize != HEADER_BYTES || hash(content).to_le_bytes() != sum {
            return Err(Failure::corrupt("the checksum of its header does not fit"));
        }
        let (generation, _last_key, documents) = (cursor.u64()?, cursor.u64()?, cursor.size()?);
        let (offset, length) = (cursor.size()?, cursor.size()?);
        let (directory_sum, name_bytes) = (cursor.u32()?, cursor.u32()? as usize);
        let name = cursor.bytes(MAX_NAME_BYTES)?.get(..name_bytes);
        let index = name.ok_or_else(|| Failure::corrupt("its header contradicts itself"))?;
        Ok(Self {
            generation,
            documents,
            directory: offset..offset.saturating_add(length),
            directory_sum,
            index: String::from_utf8_lossy(index).into_owned(),
        })
    }
}

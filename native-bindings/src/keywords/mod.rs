//! The keyword index: tantivy with our own analyzer. Answers which labels hold the words of a query, by BM25. It
//! stores no text. The writer changes the index and commits; readers see one commit until they refresh.

mod analyzer;
mod check;
mod directory;
mod durable_directory;
mod fold;
mod reader;
mod schema;
mod search;
mod stems;
mod writer;

use napi_derive::napi;

use crate::args::Arg;
use crate::errors::{Code, Failure, guarded};

pub use analyzer::ANALYZER_NAME;

/// Terms that the index would store for a text, in order.
#[napi(ts_args_type = "text: string")]
pub fn analyze(text: Arg) -> napi::Result<Vec<String>, Code> {
    let text = text.text("text")?;
    Ok(guarded(|| {
        let mut analyzer = analyzer::Analyzer::default();
        analyzer.analyze(&text);
        Ok(analyzer.terms().map(str::to_owned).collect())
    })?)
}

#[napi]
pub fn analyzer_name() -> &'static str {
    ANALYZER_NAME
}

impl From<tantivy::TantivyError> for Failure {
    fn from(error: tantivy::TantivyError) -> Self {
        use tantivy::TantivyError::{
            DataCorruption, IncompatibleIndex, InvalidArgument, IoError, LockFailure, OpenDirectoryError,
            OpenReadError, OpenWriteError,
        };
        use tantivy::directory::error::{
            LockError, OpenDirectoryError as Folder, OpenReadError as Read, OpenWriteError as Write,
        };
        let code = match &error {
            IoError(io) => Code::of_io(io),
            OpenWriteError(Write::IoError { io_error, .. })
            | OpenDirectoryError(Folder::IoError { io_error, .. })
            | LockFailure(LockError::IoError(io_error), _) => Code::of_io(io_error),
            LockFailure(..) => Code::Locked,
            OpenReadError(read @ (Read::FileDoesNotExist(_) | Read::IoError { .. })) => return read.into(),
            DataCorruption(_) => Code::Corrupt,
            IncompatibleIndex(_) | OpenReadError(Read::IncompatibleIndex(_)) => Code::Version,
            OpenDirectoryError(Folder::DoesNotExist(_)) => Code::NotFound,
            InvalidArgument(_) => Code::Argument,
            _ => Code::Failed,
        };
        Failure::new(code, format!("the keyword index failed: {error}"))
    }
}

impl From<&tantivy::directory::error::OpenReadError> for Failure {
    fn from(error: &tantivy::directory::error::OpenReadError) -> Self {
        use std::io::ErrorKind::{InvalidData, UnexpectedEof};
        use tantivy::directory::error::OpenReadError::{FileDoesNotExist, IncompatibleIndex, IoError};
        match error {
            FileDoesNotExist(file) => {
                Failure::corrupt(format!("the file {} of the keyword index is missing", file.display()))
            }
            IoError { io_error, filepath } if matches!(io_error.kind(), InvalidData | UnexpectedEof) => {
                Failure::corrupt(format!(
                    "the file {} of the keyword index is damaged: {io_error}",
                    filepath.display()
                ))
            }
            IoError { io_error, filepath } => Failure::io("read", filepath, io_error),
            IncompatibleIndex(reason) => {
                Failure::new(Code::Version, format!("the keyword index cannot be read: {reason:?}"))
            }
        }
    }
}

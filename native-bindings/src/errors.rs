//! The one error type of the addon. A failure carries a stable code of `src/errors.ts`; JavaScript sees it as the
//! `code` of an `Error`, thrown or rejected.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::{JsError, sys};

/// Codes that native code can raise; the names are API and are listed in `src/errors.ts`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    Argument,
    Failed,
    Corrupt,
    Closed,
    Locked,
    NotFound,
    Version,
    ModelInvalid,
    DiskFull,
    DiskFailed,
}

impl Code {
    /// What an I/O error on a file of the index means to the caller. A missing file is for the caller to judge.
    pub fn of_io(error: &std::io::Error) -> Self {
        use std::io::ErrorKind::{
            FileTooLarge, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
        };
        /// EIO: it has no kind of its own.
        const EIO: i32 = 5;
        match error.kind() {
            StorageFull | QuotaExceeded | FileTooLarge => Self::DiskFull,
            PermissionDenied | ReadOnlyFilesystem => Self::DiskFailed,
            _ if cfg!(unix) && error.raw_os_error() == Some(EIO) => Self::DiskFailed,
            _ => Self::Failed,
        }
    }
}

impl AsRef<str> for Code {
    fn as_ref(&self) -> &str {
        match self {
            Code::Argument => "SLUICE_NATIVE_ARGUMENT",
            Code::Failed => "SLUICE_NATIVE_FAILED",
            Code::Corrupt => "SLUICE_INDEX_CORRUPT",
            Code::Closed => "SLUICE_INDEX_CLOSED",
            Code::Locked => "SLUICE_INDEX_LOCKED",
            Code::NotFound => "SLUICE_NOT_FOUND",
            Code::Version => "SLUICE_INDEX_VERSION",
            Code::ModelInvalid => "SLUICE_MODEL_INVALID",
            Code::DiskFull => "SLUICE_DISK_FULL",
            Code::DiskFailed => "SLUICE_DISK_FAILED",
        }
    }
}

/// What went wrong, in plain data that any thread may hold.
#[derive(Clone, Debug)]
pub struct Failure {
    pub code: Code,
    pub message: String,
}

pub type Outcome<T> = Result<T, Failure>;

impl Failure {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    pub fn argument(message: impl Into<String>) -> Self {
        Self::new(Code::Argument, message)
    }

    pub fn corrupt(message: impl Into<String>) -> Self {
        Self::new(Code::Corrupt, message)
    }

    pub fn closed(what: &str) -> Self {
        Self::new(Code::Closed, format!("the {what} was closed before the call"))
    }

    /// An I/O error of a file or folder, with its path.
    pub fn io(action: &str, path: &std::path::Path, error: &std::io::Error) -> Self {
        let code = match error.kind() {
            std::io::ErrorKind::NotFound => Code::NotFound,
            _ => Code::of_io(error),
        };
        Self::new(code, format!("cannot {action} {}: {error}", path.display()))
    }

    fn panicked(payload: &(dyn Any + Send)) -> Self {
        let reason = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no reason given".to_owned());
        Self::new(Code::Failed, format!("the native addon panicked, this is a bug: {reason}"))
    }

    /// A lock whose holder panicked: what it guards may be half-changed, so it is not used again.
    pub fn poisoned() -> Self {
        Self::new(Code::Failed, "an earlier call panicked inside this object; open it again")
    }

    /// The JavaScript error of this failure. Must run on the thread of `env`.
    pub fn into_js(self, env: sys::napi_env) -> sys::napi_value {
        unsafe { JsError::from(napi::Error::from(self)).into_value(env) }
    }
}

impl From<Failure> for napi::Error<Code> {
    fn from(failure: Failure) -> Self {
        napi::Error::new(failure.code, failure.message)
    }
}

/// Turns a panic of `work` into a failure. The caller drops or poisons whatever `work` was changing.
pub fn guarded<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(Failure::panicked(payload.as_ref())))
}

//! The native addon of Sluice. What it exports is written down in `src/native/contract.ts`.
//!
//!  - [`tokens`]: counting, encoding and spans, by a model's tokenizer or an OpenAI encoding
//!  - [`keywords`]: the keyword index and its analyzer
//!  - [`vectors`]: the HNSW graph, its file, and flat rows
//!  - [`code`]: classes and functions of source code
//!  - [`filters`]: columns over metadata, and the filters that ask them
//!  - [`lock`], [`cpu`], [`memory`]: a file lock of the operating system; what the CPU can do; giving memory back
//!
//! and the border itself, each thing in one place: [`args`] checks what comes in, [`results`] makes what goes out,
//! [`errors`] holds the codes, [`pool`] the threads and promises, [`durable`] what makes files last.

mod args;
mod code;
mod cpu;
mod durable;
mod errors;
mod filters;
mod keywords;
mod lock;
mod memory;
mod pool;
mod results;
mod tokens;
mod vectors;

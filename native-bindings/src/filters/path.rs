//! Paths into the metadata: the keys, each but the last followed by [`SEPARATOR`], which no UTF-8 contains. Filters write
//! the keys joined by dots, and because keys may hold dots themselves, one name can mean several paths.

use std::cmp::Ordering;

pub const SEPARATOR: u8 = 0xFF;

/// What filters call a path.
pub fn name_of(path: &[u8]) -> String {
    let dotted: Vec<u8> = path.iter().map(|byte| if *byte == SEPARATOR { b'.' } else { *byte }).collect();
    String::from_utf8_lossy(&dotted).into_owned()
}

/// Of paths with one name: fewest keys first, so that a literal key with dots wins; then the longest first key.
pub fn by_preference(a: &[u8], b: &[u8]) -> Ordering {
    let cuts = |path: &[u8]| -> Vec<usize> {
        path.iter().enumerate().filter(|(_, byte)| **byte == SEPARATOR).map(|(at, _)| at).collect()
    };
    let (a, b) = (cuts(a), cuts(b));
    a.len().cmp(&b.len()).then_with(|| b.cmp(&a))
}

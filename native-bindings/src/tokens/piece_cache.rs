//! What short pieces of text were tokenized into before. Words of a language repeat: of running text nine in ten are
//! found here, which costs less than a tenth of tokenizing them.

/// A longer piece is not remembered.
pub const MAX_CACHED_BYTES: usize = 15;

/// Two to the power of this many places: 800 KB, one instance a thread.
const PLACES_LOG2: u32 = 15;

/// Bit i is set where a token begins at byte i of the piece. 0 for a piece that makes none.
pub type TokenMask = u16;

/// Holds a mask for a piece of text. A newer piece takes the place of an older one.
pub struct PieceCache {
    /// Bytes of the piece, its length in the highest byte; 0 where there is none.
    keys: Vec<u128>,
    masks: Vec<TokenMask>,
}

/// Where a piece would lie. Valid for the cache and the piece that it was made of.
pub struct Place {
    index: usize,
    key: u128,
}

impl PieceCache {
    pub fn new() -> Self {
        Self { keys: vec![0; 1 << PLACES_LOG2], masks: vec![0; 1 << PLACES_LOG2] }
    }

    /// The place of `text[start..end]`; none if that is empty or too long.
    #[inline]
    pub fn place(&self, text: &[u8], start: usize, end: usize) -> Option<Place> {
        let length = end - start;
        if length == 0 || length > MAX_CACHED_BYTES {
            return None;
        }
        let bytes = match text.get(start..start + 16) {
            // Reading all 16 and masking is faster than copying as many as there are.
            Some(sixteen) => {
                u128::from_le_bytes(sixteen.try_into().expect("16 bytes")) & (u128::MAX >> (128 - 8 * length))
            }
            None => {
                let mut padded = [0; 16];
                padded[..length].copy_from_slice(&text[start..end]);
                u128::from_le_bytes(padded)
            }
        };
        let key = bytes | (length as u128) << 120;
        let folded = (key as u64) ^ ((key >> 64) as u64).rotate_left(29);
        let index = folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - PLACES_LOG2);
        Some(Place { index: index as usize, key })
    }

    #[inline]
    pub fn get(&self, place: &Place) -> Option<TokenMask> {
        (self.keys[place.index] == place.key).then(|| self.masks[place.index])
    }

    pub fn put(&mut self, place: &Place, mask: TokenMask) {
        self.keys[place.index] = place.key;
        self.masks[place.index] = mask;
    }
}

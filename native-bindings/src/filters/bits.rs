//! A set of documents of one segment, a bit each.

#[derive(Clone)]
pub struct DocSet {
    words: Vec<u64>,
    len: usize,
}

impl DocSet {
    pub fn none(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)], len }
    }

    pub fn all(len: usize) -> Self {
        let mut set = Self { words: vec![u64::MAX; len.div_ceil(64)], len };
        set.trim();
        set
    }

    pub fn words(&self) -> &[u64] {
        &self.words
    }

    #[inline]
    pub fn insert(&mut self, doc: u32) {
        self.words[(doc >> 6) as usize] |= 1 << (doc & 63);
    }

    #[inline]
    pub fn remove(&mut self, doc: u32) {
        self.words[(doc >> 6) as usize] &= !(1 << (doc & 63));
    }

    #[inline]
    pub fn contains(&self, doc: u32) -> bool {
        self.words[(doc >> 6) as usize] >> (doc & 63) & 1 == 1
    }

    /// Documents of a bitmap as a segment keeps it.
    pub fn insert_bitmap(&mut self, bitmap: &[[u8; 8]]) {
        for (word, bytes) in self.words.iter_mut().zip(bitmap) {
            *word |= u64::from_le_bytes(*bytes);
        }
    }

    pub fn unite(&mut self, other: &Self) {
        self.combine(other, |a, b| a | b);
    }

    pub fn intersect(&mut self, other: &Self) {
        self.combine(other, |a, b| a & b);
    }

    pub fn subtract(&mut self, other: &Self) {
        self.combine(other, |a, b| a & !b);
    }

    pub fn invert(&mut self) {
        self.words.iter_mut().for_each(|word| *word = !*word);
        self.trim();
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn meets(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    fn combine(&mut self, other: &Self, with: impl Fn(u64, u64) -> u64) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word = with(*word, *other);
        }
    }

    fn trim(&mut self) {
        if let Some(last) = self.words.last_mut()
            && !self.len.is_multiple_of(64)
        {
            *last &= (1 << (self.len % 64)) - 1;
        }
    }
}

/// Positions of the set bits of one word.
pub fn bits_of(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        if word == 0 {
            return None;
        }
        let bit = word.trailing_zeros();
        word &= word - 1;
        Some(bit)
    })
}

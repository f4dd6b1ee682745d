//! English stems, remembered: stemming a word costs ten times what looking it up does, and texts repeat their words.

use rust_stemmers::{Algorithm, Stemmer};

const SLOTS: usize = 1 << 13;

pub struct Stems {
    stemmer: Stemmer,
    /// Word and stem, by hash of the word; a newer word takes the place of an older one.
    slots: Vec<(String, String)>,
}

impl Default for Stems {
    fn default() -> Self {
        Self { stemmer: Stemmer::create(Algorithm::English), slots: Vec::new() }
    }
}

impl Stems {
    /// The stem of a word of lower-case ASCII letters.
    pub fn stem(&mut self, word: &str) -> &str {
        if self.slots.is_empty() {
            self.slots.resize_with(SLOTS, Default::default);
        }
        let hash = word.bytes().fold(0xCBF2_9CE4_8422_2325u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        });
        let (known, stem) = &mut self.slots[(hash >> 20) as usize % SLOTS];
        if known != word {
            word.clone_into(known);
            stem.clear();
            stem.push_str(&self.stemmer.stem(word));
        }
        stem
    }
}

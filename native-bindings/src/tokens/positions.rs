//! Byte positions of UTF-8 → UTF-16 positions, the way JavaScript slices.

/// Answers for ascending byte positions in one pass over the text. A position inside a character can be asked for as
/// the start of that character or as its end, so that a token made of a part of a character reports all of it.
pub struct Utf16Positions<'a> {
    text: &'a [u8],
    byte: usize,
    utf16: u32,
}

impl<'a> Utf16Positions<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text: text.as_bytes(), byte: 0, utf16: 0 }
    }

    /// UTF-16 position of the character that holds byte `at`.
    pub fn floor(&mut self, at: usize) -> u32 {
        self.walk(at);
        self.utf16
    }

    /// UTF-16 position of the first character that starts at byte `at` or later.
    pub fn ceil(&mut self, at: usize) -> u32 {
        self.walk(at);
        if self.byte == at { self.utf16 } else { self.utf16 + self.units() }
    }

    /// Moves to the start of the character that holds byte `at`. Tokens may overlap by one character, so a step back
    /// happens, but never further than to a neighbour's start.
    fn walk(&mut self, at: usize) {
        while self.byte > at {
            self.byte -= 1;
            while self.text[self.byte] & 0xC0 == 0x80 {
                self.byte -= 1;
            }
            self.utf16 -= self.units();
        }
        while self.byte < self.text.len() && self.byte + self.bytes() <= at {
            self.utf16 += self.units();
            self.byte += self.bytes();
        }
    }

    fn bytes(&self) -> usize {
        match self.text[self.byte] {
            0x00..=0x7F => 1,
            0xC0..=0xDF => 2,
            0xE0..=0xEF => 3,
            _ => 4,
        }
    }

    fn units(&self) -> u32 {
        if self.bytes() == 4 { 2 } else { 1 }
    }
}

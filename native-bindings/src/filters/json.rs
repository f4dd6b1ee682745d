//! Reading JSON as JavaScript's `JSON.parse` does, one value after the other, without building a tree: the metadata of
//! a million documents pass through here. Numbers become the nearest double; a lone surrogate, which `JSON.stringify`
//! writes as an escape, becomes U+FFFD, as it does on its way into SQLite.

use crate::errors::{Failure, Outcome};

/// Deeper than any metadata (200 levels) or filter (100 of its own, up to four here for each) that the TypeScript side
/// lets through. A level takes about 2 KiB of a thread's stack.
const MAX_DEPTH: usize = 500;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Null,
    Boolean,
    Number,
    Text,
    Array,
    Object,
}

pub struct JsonReader<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

impl<'a> JsonReader<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), at: 0, depth: 0 }
    }

    /// What comes next.
    pub fn kind(&mut self) -> Outcome<Kind> {
        match self.peek() {
            Some(b'n') => Ok(Kind::Null),
            Some(b't' | b'f') => Ok(Kind::Boolean),
            Some(b'"') => Ok(Kind::Text),
            Some(b'[') => Ok(Kind::Array),
            Some(b'{') => Ok(Kind::Object),
            Some(b'-' | b'0'..=b'9') => Ok(Kind::Number),
            _ => Err(self.wrong("a value")),
        }
    }

    pub fn null(&mut self) -> Outcome<()> {
        self.word("null")
    }

    pub fn boolean(&mut self) -> Outcome<bool> {
        match self.peek() {
            Some(b't') => self.word("true").map(|()| true),
            _ => self.word("false").map(|()| false),
        }
    }

    /// Minus zero becomes zero: they are equal everywhere in a filter.
    pub fn number(&mut self) -> Outcome<f64> {
        self.peek();
        let start = self.at;
        let is_part = |byte: &u8| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9');
        while self.bytes.get(self.at).is_some_and(is_part) {
            self.at += 1;
        }
        let text = std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or_default();
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number + 0.0),
            _ => Err(self.wrong("a number")),
        }
    }

    /// Puts the text into `into`, in place of what it held.
    pub fn text(&mut self, into: &mut String) -> Outcome<()> {
        into.clear();
        self.expect(b'"')?;
        loop {
            let start = self.at;
            while self.bytes.get(self.at).is_some_and(|byte| !matches!(byte, b'"' | b'\\')) {
                self.at += 1;
            }
            // Cut at ASCII only, so it stays UTF-8.
            into.push_str(std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or_default());
            self.at += 1;
            match self.bytes.get(self.at - 1) {
                Some(b'"') => return Ok(()),
                Some(b'\\') => self.escape(into)?,
                _ => return Err(self.wrong("the end of a string")),
            }
        }
    }

    /// Calls `item` at the start of each element; it must read it whole.
    pub fn array(&mut self, mut item: impl FnMut(&mut Self) -> Outcome<()>) -> Outcome<()> {
        self.enter(b'[')?;
        let mut first = true;
        while self.goes_on(b']', first)? {
            item(self)?;
            first = false;
        }
        Ok(())
    }

    /// Calls `entry` with each key at the start of its value; it must read the value whole.
    pub fn object(&mut self, mut entry: impl FnMut(&mut Self, &str) -> Outcome<()>) -> Outcome<()> {
        self.enter(b'{')?;
        let mut key = String::new();
        let mut first = true;
        while self.goes_on(b'}', first)? {
            self.text(&mut key)?;
            self.expect(b':')?;
            entry(self, &key)?;
            first = false;
        }
        Ok(())
    }

    pub fn skip(&mut self) -> Outcome<()> {
        match self.kind()? {
            Kind::Null => self.null(),
            Kind::Boolean => self.boolean().map(drop),
            Kind::Number => self.number().map(drop),
            Kind::Text => self.text(&mut String::new()),
            Kind::Array => self.array(Self::skip),
            Kind::Object => self.object(|reader, _| reader.skip()),
        }
    }

    /// Nothing but white space may be left.
    pub fn end(&mut self) -> Outcome<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.wrong("the end")),
        }
    }

    fn enter(&mut self, bracket: u8) -> Outcome<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Failure::argument(format!("the JSON is nested deeper than {MAX_DEPTH} levels")));
        }
        self.expect(bracket)
    }

    /// Whether another item follows; takes the comma, or the closing bracket.
    fn goes_on(&mut self, close: u8, first: bool) -> Outcome<bool> {
        match self.peek() {
            Some(byte) if byte == close => {
                self.at += 1;
                self.depth -= 1;
                Ok(false)
            }
            Some(b',') if !first => {
                self.at += 1;
                Ok(true)
            }
            Some(_) if first => Ok(true),
            _ => Err(self.wrong("a comma or the end of a list")),
        }
    }

    fn escape(&mut self, into: &mut String) -> Outcome<()> {
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        into.push(match byte {
            Some(byte @ (b'"' | b'\\' | b'/')) => byte as char,
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => self.escaped_char()?,
            _ => return Err(self.wrong("an escape")),
        });
        Ok(())
    }

    /// After `\u`: a character, two escapes where it is a surrogate pair.
    fn escaped_char(&mut self) -> Outcome<char> {
        let high = self.unit()?;
        if let Some(char) = char::from_u32(high) {
            return Ok(char);
        }
        let before = self.at;
        if high < 0xDC00 && self.bytes[self.at..].starts_with(b"\\u") {
            self.at += 2;
            let low = self.unit()?;
            if (0xDC00..0xE000).contains(&low) {
                let point = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                return Ok(char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = before;
        }
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn unit(&mut self) -> Outcome<u32> {
        let digits = self.bytes.get(self.at..self.at + 4).and_then(|digits| std::str::from_utf8(digits).ok());
        let unit = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.at += 4;
        unit.ok_or_else(|| self.wrong("four hexadecimal digits"))
    }

    fn peek(&mut self) -> Option<u8> {
        while self.bytes.get(self.at).is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    fn expect(&mut self, byte: u8) -> Outcome<()> {
        if self.peek() != Some(byte) {
            return Err(self.wrong(&format!("'{}'", byte as char)));
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self, word: &str) -> Outcome<()> {
        self.peek();
        if !self.bytes[self.at.min(self.bytes.len())..].starts_with(word.as_bytes()) {
            return Err(self.wrong(word));
        }
        self.at += word.len();
        Ok(())
    }

    fn wrong(&self, expected: &str) -> Failure {
        Failure::argument(format!("the JSON is wrong at byte {}: expected {expected}", self.at))
    }
}

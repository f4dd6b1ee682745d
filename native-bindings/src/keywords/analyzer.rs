//! Text → terms, the same for documents and queries.
//!
//! A term is a run of letters and digits of one script. What becomes of a run depends on how its script is written:
//!
//! | script                                  | terms                                             |
//! |-----------------------------------------|---------------------------------------------------|
//! | Latin, digits included                  | one word; English stem if ASCII letters only      |
//! | Cyrillic, Greek, Arabic, … with digits  | one word                                          |
//! | Han                                     | one word: the caller cuts Chinese beforehand      |
//! | Kana, Hangul, Thai, Lao, Khmer, Myanmar | bigrams of characters; a single one stays         |
//!
//! No stop words are removed: BM25 already gives a word that is everywhere almost nothing, and "to be or not to be"
//! must find something. A change of any rule here changes [`ANALYZER_NAME`]: indexes refuse another analyzer.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};
use unicode_script::{Script, UnicodeScript};

use super::fold::fold_into;
use super::stems::Stems;

pub const ANALYZER_NAME: &str = "sluice-analyzer-1";

/// Longer terms are cut here: base64 and minified code would fill the dictionary. Equal long words stay equal.
const MAX_TERM_BYTES: usize = 255;

/// Scripts that form a run together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Run {
    None,
    /// Digits alone so far: joins the word that follows.
    Digits,
    Word(Script),
    Han,
    Bigrams(Script),
}

/// Reusable: buffers are kept between texts.
pub struct Analyzer {
    stems: Stems,
    /// All terms of the text, one after another, and where each ends.
    terms: String,
    ends: Vec<usize>,
    /// The run so far, folded; where bigrams are made of it, also where each character starts (a mark belongs to the
    /// character before).
    run: String,
    starts: Vec<usize>,
    kind: Run,
    /// The run came right after an apostrophe that followed a word.
    after_apostrophe: bool,
}

impl Default for Analyzer {
    fn default() -> Self {
        Self {
            stems: Stems::default(),
            terms: String::new(),
            ends: Vec::new(),
            run: String::new(),
            starts: Vec::new(),
            kind: Run::None,
            after_apostrophe: false,
        }
    }
}

impl Analyzer {
    pub fn analyze(&mut self, text: &str) {
        self.terms.clear();
        self.ends.clear();
        self.end_run();
        self.after_apostrophe = false;
        if text.is_ascii() || is_nfkc_quick(text.chars()) == IsNormalized::Yes {
            text.chars().for_each(|c| self.take(c));
        } else {
            text.nfkc().for_each(|c| self.take(c));
        }
        self.end_run();
    }

    pub fn terms(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|index| self.term(index))
    }

    fn term(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.terms[start..self.ends[index]]
    }

    fn take(&mut self, c: char) {
        if !c.is_ascii() && self.take_mark(c) {
            return;
        }
        if !c.is_alphanumeric() {
            let ends_word = matches!(self.kind, Run::Word(_));
            self.end_run();
            self.after_apostrophe = ends_word && matches!(c, '\'' | '\u{2019}');
            return;
        }
        let kind = self.joined(c);
        if kind != self.kind {
            if !(self.kind == Run::Digits && matches!(kind, Run::Word(_))) {
                self.end_run();
            }
            self.kind = kind;
        }
        if matches!(kind, Run::Bigrams(_)) {
            self.starts.push(self.run.len());
        }
        fold_into(c, &mut self.run);
    }

    /// Marks and invisible characters never end a run: "e" and its accent are one letter, a soft hyphen is none.
    fn take_mark(&mut self, c: char) -> bool {
        match c {
            '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{FE00}'..='\u{FE0F}' => true,
            _ if is_combining_mark(c) => {
                let latin = matches!(self.kind, Run::Word(Script::Latin) | Run::Digits);
                if self.kind != Run::None && !latin {
                    self.run.push(c);
                }
                self.kind != Run::None
            }
            _ => false,
        }
    }

    /// The run that holds the character: the running one where it fits, so that E1043 and Т34 stay whole.
    fn joined(&self, c: char) -> Run {
        let script = if c.is_ascii() {
            if c.is_ascii_digit() { Script::Common } else { Script::Latin }
        } else {
            c.script()
        };
        match script {
            Script::Common | Script::Inherited => match self.kind {
                Run::Word(_) => self.kind,
                // The prolonged sound mark ー and its like belong to the kana before.
                Run::Bigrams(_) if !c.is_numeric() => self.kind,
                _ if c == '\u{30FC}' => Run::Bigrams(Script::Katakana),
                _ => Run::Digits,
            },
            Script::Han => Run::Han,
            Script::Hiragana
            | Script::Katakana
            | Script::Hangul
            | Script::Thai
            | Script::Lao
            | Script::Khmer
            | Script::Myanmar => Run::Bigrams(script),
            _ => Run::Word(script),
        }
    }

    fn end_run(&mut self) {
        let kind = std::mem::replace(&mut self.kind, Run::None);
        if kind == Run::None {
            return;
        }
        let after_apostrophe = std::mem::take(&mut self.after_apostrophe);
        match kind {
            Run::Bigrams(_) => self.push_bigrams(),
            // The possessive: "dog's" is the word dog.
            Run::Word(Script::Latin) if after_apostrophe && self.run == "s" => {}
            Run::Word(Script::Latin) if self.run.bytes().all(|byte| byte.is_ascii_lowercase()) => {
                push_term(&mut self.terms, &mut self.ends, self.stems.stem(&self.run));
            }
            Run::None | Run::Digits | Run::Han | Run::Word(_) => {
                push_term(&mut self.terms, &mut self.ends, &self.run);
            }
        }
        self.run.clear();
        self.starts.clear();
    }

    fn push_bigrams(&mut self) {
        let last = self.starts.len() - 1;
        for first in 0..last.max(1) {
            let end = self.starts.get(first + 2).copied().unwrap_or(self.run.len());
            push_term(&mut self.terms, &mut self.ends, &self.run[self.starts[first]..end]);
        }
    }
}

fn push_term(terms: &mut String, ends: &mut Vec<usize>, term: &str) {
    if term.is_empty() {
        return;
    }
    terms.push_str(&term[..term.floor_char_boundary(MAX_TERM_BYTES)]);
    ends.push(terms.len());
}

/// The analyzer as tantivy calls it. A clone works alone, one a thread.
#[derive(Default)]
pub struct AnalyzerTokenizer {
    analyzer: Analyzer,
    token: Token,
}

impl Clone for AnalyzerTokenizer {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Tokenizer for AnalyzerTokenizer {
    type TokenStream<'a> = AnalyzerTokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> AnalyzerTokens<'a> {
        self.analyzer.analyze(text);
        self.token.reset();
        AnalyzerTokens { analyzer: &self.analyzer, token: &mut self.token, next: 0 }
    }
}

/// Offsets stay 0: nothing is stored that they could point into.
pub struct AnalyzerTokens<'a> {
    analyzer: &'a Analyzer,
    token: &'a mut Token,
    next: usize,
}

impl TokenStream for AnalyzerTokens<'_> {
    fn advance(&mut self) -> bool {
        if self.next == self.analyzer.ends.len() {
            return false;
        }
        self.token.text.clear();
        self.token.text.push_str(self.analyzer.term(self.next));
        self.token.position = self.next;
        self.next += 1;
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

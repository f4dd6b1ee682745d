//! BM25 over the OR of a query's terms, top k in a defined order.
//!
//! Two plans find the same hits with the same scores:
//!  - broad: tantivy's block-max pruning walks the postings and skips what cannot reach the k-th score; the filter is
//!    tested on what comes through. (A filter as a `Must` clause would switch pruning off.)
//!  - narrow: few documents are allowed, so they lead and the postings are asked for each of them.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use tantivy::postings::{Postings, SegmentPostings};
use tantivy::query::{Bm25Weight, BooleanQuery, BoostQuery, EnableScoring, Occur, Query, TermQuery, Weight};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, Score, SegmentReader, TERMINATED, Term};

use super::analyzer::Analyzer;
use super::reader::{SegmentLabels, Snapshot};
use crate::args::Bitset;
use crate::errors::Outcome;

/// A seek in postings costs about as much as this many steps of a walk.
const STEPS_A_SEEK: u64 = 16;

/// Pruning sums scores in an order of its own, so its bounds and scores may be off by rounding.
const ROUNDING: Score = 1e-5;

#[derive(Clone, Copy, Debug)]
pub struct Hit {
    pub label: u32,
    pub score: Score,
}

/// Best first: higher scores, then lower labels. The heap keeps the worst on top.
impl Ord for Hit {
    fn cmp(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.label.cmp(&other.label))
    }
}

impl PartialOrd for Hit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Hit {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Hit {}

/// The best k hits so far.
struct TopHits {
    k: usize,
    heap: BinaryHeap<Hit>,
}

impl TopHits {
    fn offer(&mut self, hit: Hit) {
        if self.heap.len() < self.k {
            self.heap.push(hit);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && hit < *worst
        {
            *worst = hit;
        }
    }

    /// A score at or under this cannot enter; equal scores still can, by label.
    fn threshold(&self) -> Score {
        if self.heap.len() < self.k {
            return Score::MIN;
        }
        self.heap.peek().map_or(Score::MIN, |worst| worst.score - worst.score.abs() * ROUNDING)
    }
}

pub fn search(snapshot: &Snapshot, query: &str, k: usize, allow: Option<&Bitset>) -> Outcome<Vec<Hit>> {
    let terms = query_terms(snapshot, query)?;
    let mut top = TopHits { k, heap: BinaryHeap::new() };
    if k == 0 || terms.is_empty() {
        return Ok(Vec::new());
    }
    let narrow = allow.filter(|allow| is_narrow(allow.count(), &terms));
    let broad = match narrow {
        Some(_) => None,
        None => Some(disjunction(snapshot, &terms)?),
    };
    for (segment, labels) in snapshot.searcher.segment_readers().iter().zip(&snapshot.segments) {
        let mut scorer = SegmentScorer::open(snapshot, segment, &terms)?;
        if scorer.postings.is_empty() {
            continue;
        }
        match (narrow, &broad) {
            (Some(allow), _) => search_narrow(segment, labels, allow, &mut scorer, &mut top),
            (None, Some(weight)) => {
                search_broad(weight.as_ref(), segment, labels, allow, &mut scorer, &mut top)?
            }
            (None, None) => unreachable!("one of the plans is always made"),
        }
    }
    Ok(top.heap.into_sorted_vec())
}

struct QueryTerm {
    term: Term,
    /// How much a repeated word of the query counts; 1 for a word that occurs once.
    boost: Score,
    /// Boosted.
    weight: Bm25Weight,
    documents: u64,
}

/// Saturation of query term frequency, BM25's k3 (Robertson and Walker, TREC-3: 7 to 1,000). Long queries repeat what
/// they are about: on CISI, whose queries are paragraphs, nDCG@10 rose from 0.29 to 0.36.
const K3: Score = 8.0;

fn repetition_boost(occurrences: usize) -> Score {
    let occurrences = occurrences as Score;
    occurrences * (K3 + 1.0) / (K3 + occurrences)
}

/// Distinct terms that occur in the index, in a fixed order, so that the order of words cannot change a sum.
fn query_terms(snapshot: &Snapshot, query: &str) -> Outcome<Vec<QueryTerm>> {
    let mut analyzer = Analyzer::default();
    analyzer.analyze(query);
    let mut words: BTreeMap<&str, usize> = BTreeMap::new();
    for word in analyzer.terms() {
        *words.entry(word).or_default() += 1;
    }
    let mut terms = Vec::with_capacity(words.len());
    for (word, occurrences) in words {
        let term = Term::from_field_text(snapshot.fields.text, word);
        let documents = snapshot.searcher.doc_freq(&term)?;
        if documents > 0 {
            let boost = repetition_boost(occurrences);
            let weight =
                Bm25Weight::for_terms(&snapshot.searcher, std::slice::from_ref(&term))?.boost_by(boost);
            terms.push(QueryTerm { term, boost, weight, documents });
        }
    }
    Ok(terms)
}

fn is_narrow(allowed: usize, terms: &[QueryTerm]) -> bool {
    let walk: u64 = terms.iter().map(|term| term.documents).sum();
    (allowed as u64).saturating_mul(terms.len() as u64).saturating_mul(STEPS_A_SEEK) <= walk
}

fn disjunction(snapshot: &Snapshot, terms: &[QueryTerm]) -> Outcome<Box<dyn Weight>> {
    let clauses = terms.iter().map(|term| {
        let query: Box<dyn Query> = Box::new(TermQuery::new(term.term.clone(), IndexRecordOption::WithFreqs));
        // Only where needed: a plain term keeps block-max pruning.
        let boosted = if term.boost == 1.0 { query } else { Box::new(BoostQuery::new(query, term.boost)) };
        (Occur::Should, boosted)
    });
    let query = BooleanQuery::new(clauses.collect());
    Ok(query.weight(EnableScoring::enabled_from_searcher(&snapshot.searcher))?)
}

fn search_broad(
    weight: &dyn Weight,
    segment: &SegmentReader,
    labels: &SegmentLabels,
    allow: Option<&Bitset>,
    scorer: &mut SegmentScorer,
    top: &mut TopHits,
) -> Outcome<()> {
    let alive = segment.alive_bitset();
    weight.for_each_pruning(top.threshold(), segment, &mut |doc, _rough| {
        let label = labels.labels[doc as usize];
        if alive.is_none_or(|alive| alive.is_alive(doc)) && allow.is_none_or(|allow| allow.contains(label)) {
            top.offer(Hit { label, score: scorer.score(doc) });
        }
        top.threshold()
    })?;
    Ok(())
}

fn search_narrow(
    segment: &SegmentReader,
    labels: &SegmentLabels,
    allow: &Bitset,
    scorer: &mut SegmentScorer,
    top: &mut TopHits,
) {
    let alive = segment.alive_bitset();
    for doc in allowed_documents(labels, allow) {
        if alive.is_some_and(|alive| alive.is_deleted(doc)) {
            continue;
        }
        let score = scorer.score(doc);
        if score > 0.0 {
            top.offer(Hit { label: labels.labels[doc as usize], score });
        }
    }
}

/// Documents of the segment that the filter allows, ascending.
fn allowed_documents(segment: &SegmentLabels, allow: &Bitset) -> Vec<DocId> {
    let labels = &segment.labels;
    if segment.ascending && allow.count().saturating_mul(32) < labels.len() {
        return allow
            .labels()
            .filter_map(|label| labels.binary_search(&label).ok())
            .map(|doc| doc as DocId)
            .collect();
    }
    (0..labels.len() as DocId).filter(|doc| allow.contains(labels[*doc as usize])).collect()
}

/// Scores documents of one segment, asked for in ascending order: the terms' parts are always added up in the same
/// order and in double precision, so that equal documents get equal scores in every plan and segment.
struct SegmentScorer<'a> {
    postings: Vec<(SegmentPostings, &'a Bm25Weight)>,
    lengths: tantivy::fieldnorm::FieldNormReader,
}

impl<'a> SegmentScorer<'a> {
    fn open(snapshot: &Snapshot, segment: &SegmentReader, terms: &'a [QueryTerm]) -> Outcome<Self> {
        let inverted = segment.inverted_index(snapshot.fields.text)?;
        let mut postings = Vec::with_capacity(terms.len());
        for term in terms {
            let found = inverted
                .read_postings(&term.term, IndexRecordOption::WithFreqs)
                .map_err(tantivy::TantivyError::from)?;
            postings.extend(found.map(|found| (found, &term.weight)));
        }
        Ok(Self { postings, lengths: segment.get_fieldnorms_reader(snapshot.fields.text)? })
    }

    /// 0 for a document without any of the terms.
    fn score(&mut self, doc: DocId) -> Score {
        let length = self.lengths.fieldnorm_id(doc);
        let mut sum = 0.0f64;
        for (postings, weight) in &mut self.postings {
            if postings.doc() < doc && postings.doc() != TERMINATED {
                postings.seek(doc);
            }
            if postings.doc() == doc {
                sum += f64::from(weight.score(length, postings.term_freq()));
            }
        }
        sum as Score
    }
}

//! Finding the id of a label. Callers like the store give labels in ascending order: then the column itself can be
//! searched and nothing is kept. Any other order costs a map.

use std::cmp::Ordering as Order;
use std::collections::HashMap;
use std::sync::atomic::Ordering;

use super::graph::Graph;
use crate::args::Bitset;

#[derive(Default)]
pub enum Labels {
    #[default]
    Ascending,
    Any(HashMap<u32, u32>),
}

impl Graph {
    /// Takes note of the labels of ids from `from` on, which lie in the column already. False if two are equal.
    #[must_use]
    pub fn note_labels(&mut self, from: usize, to: usize) -> bool {
        let column = &self.columns.labels;
        let label = |id: usize| unsafe { column.number(id as u32) }.load(Ordering::Relaxed);
        if let Labels::Any(map) = &mut self.labels {
            return (from..to).all(|id| map.insert(label(id), id as u32).is_none());
        }
        if (from.saturating_sub(1)..to).is_sorted_by(|a, b| label(*a) < label(*b)) {
            return true;
        }
        let map: HashMap<u32, u32> = (0..to).map(|id| (label(id), id as u32)).collect();
        let whole = map.len() == to;
        self.labels = Labels::Any(map);
        whole
    }

    pub fn ascending(&self) -> bool {
        matches!(self.labels, Labels::Ascending)
    }

    pub fn find(&self, label: u32) -> Option<u32> {
        match &self.labels {
            Labels::Ascending => self.find_ascending(label, 0, self.len() as u32),
            Labels::Any(map) => map.get(&label).copied(),
        }
    }

    /// Ids of the allowed labels.
    pub fn allowed(&self, allow: &Bitset) -> Vec<u32> {
        let Labels::Any(map) = &self.labels else { return self.allowed_ascending(allow) };
        let mut ids: Vec<u32> = allow.labels().filter_map(|label| map.get(&label).copied()).collect();
        ids.sort_unstable();
        ids
    }

    /// Labels and ids ascend together, so an id is at most as far from the one before as its label is; where few labels
    /// are missing it is about as far, and the search is a step or two.
    fn allowed_ascending(&self, allow: &Bitset) -> Vec<u32> {
        let size = self.len() as u32;
        let (mut ids, mut from) = (Vec::new(), 0u32);
        for label in allow.labels() {
            if from >= size {
                break;
            }
            let first = self.label(from);
            if label < first {
                continue;
            }
            let mut high = u64::from(from) + u64::from(label - first) + 1;
            high = high.min(u64::from(size));
            let (mut low, mut step) = (from, 1);
            // Gallops down from the upper end.
            while low + step < high as u32 && self.label(high as u32 - step) > label {
                high -= u64::from(step);
                step *= 2;
            }
            low = low.max((high as u32).saturating_sub(step));
            match self.find_ascending(label, low, high as u32) {
                Some(id) => {
                    ids.push(id);
                    from = id + 1;
                }
                None => from = low,
            }
        }
        ids
    }

    fn find_ascending(&self, label: u32, mut low: u32, mut high: u32) -> Option<u32> {
        while low < high {
            let middle = low + (high - low) / 2;
            match self.label(middle).cmp(&label) {
                Order::Equal => return Some(middle),
                Order::Less => low = middle + 1,
                Order::Greater => high = middle,
            }
        }
        None
    }
}

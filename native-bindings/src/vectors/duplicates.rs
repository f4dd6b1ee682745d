//! Equal vectors are one node of the graph.
//!
//! A node links to its nearest neighbours, so a thousand copies of one vector link only to each other: walks that enter
//! the cluster never leave it, and what lies behind is lost. Here the first of equal vectors, the original, is a node,
//! and the others are elements that no walk visits: their only link leads to the original. They lie in the file like
//! any element, and a load finds them again by that link. An insert notices a copy because the search for its
//! neighbours meets the original; where it does not, the copy becomes a node, which a few may.

use std::collections::HashMap;

use super::graph::Graph;

#[derive(Default)]
pub struct Duplicates {
    /// Ids of the copies by the id of the original.
    groups: HashMap<u32, Vec<u32>>,
}

impl Duplicates {
    pub fn add(&mut self, original: u32, copy: u32) {
        self.groups.entry(original).or_default().push(copy);
    }

    pub fn of(&self, original: u32) -> &[u32] {
        if self.groups.is_empty() {
            return &[];
        }
        self.groups.get(&original).map_or(&[], Vec::as_slice)
    }

    /// Originals and their copies.
    pub fn groups(&self) -> impl Iterator<Item = (u32, &[u32])> {
        self.groups.iter().map(|(original, copies)| (*original, copies.as_slice()))
    }

    /// Those of a graph that was opened.
    pub fn find_in(graph: &Graph) -> Self {
        let mut found = Self::default();
        for id in 0..graph.len() as u32 {
            if let Some(original) = original_of(graph, id) {
                found.add(original, id);
            }
        }
        found
    }
}

fn original_of(graph: &Graph, id: u32) -> Option<u32> {
    let mut links = graph.links(id, 0);
    let (first, second) = (links.next()?, links.next());
    let alone = second.is_none() && first < id && graph.level(id) == 0;
    (alone && graph.row(first).same(&graph.row(id))).then_some(first)
}

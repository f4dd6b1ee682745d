//! Walking a graph towards a query: down the levels greedily, then along the links of one level, keeping the best.
//! A step first gathers the neighbours that were not seen yet, then compares them, their rows asked for in advance:
//! most of the time of a walk is waiting for memory.

use super::graph::{Entry, Graph};
use super::members::Members;
use super::scratch::Scratch;
use super::space::Query;

/// Rows asked for ahead of the one that is compared.
const AHEAD: usize = 3;

impl Graph {
    /// The nearest node that greedy steps reach on the levels above `level`.
    pub fn descend(&self, query: &Query, entry: Entry, level: u32) -> (f32, u32) {
        let mut nearest = (self.distance(query, entry.id), entry.id);
        for level in (level + 1..=entry.level).rev() {
            nearest = self.step_down(query, nearest, level);
        }
        nearest
    }

    fn step_down(&self, query: &Query, mut nearest: (f32, u32), level: u32) -> (f32, u32) {
        loop {
            let from = nearest.1;
            for link in self.links(from, level) {
                self.prefetch_row(link);
            }
            for link in self.links(from, level) {
                let distance = self.distance(query, link);
                if distance < nearest.0 {
                    nearest = (distance, link);
                }
            }
            if nearest.1 == from {
                return nearest;
            }
        }
    }

    /// Fills `scratch.nearest` with the best `ef` nodes of a level.
    pub fn walk(&self, query: &Query, from: (f32, u32), ef: usize, level: u32, scratch: &mut Scratch) {
        let Scratch { visited, nearest, fresh, .. } = scratch;
        visited.start(self.len());
        nearest.start(ef);
        visited.insert(from.1);
        nearest.offer(from.0, from.1);
        while let Some(id) = nearest.next() {
            fresh.clear();
            fresh.extend(self.links(id, level).filter(|link| visited.insert(*link)));
            self.compare(query, fresh, nearest);
        }
    }

    /// Offers some nodes. The list of the one that is next asked for afterwards comes closer meanwhile.
    #[inline(always)]
    fn compare(&self, query: &Query, ids: &[u32], nearest: &mut super::scratch::Nearest) {
        ids.iter().take(AHEAD).for_each(|id| self.prefetch_row(*id));
        if let Some(next) = nearest.peek() {
            self.prefetch_links(next);
        }
        for (at, id) in ids.iter().enumerate() {
            if let Some(ahead) = ids.get(at + AHEAD) {
                self.prefetch_row(*ahead);
            }
            let distance = self.distance(query, *id);
            nearest.offer(distance, *id);
        }
    }

    /// A walk over allowed nodes alone, which looks through the forbidden ones to what lies behind them. It starts at
    /// `from` and at the `seeds`, which are allowed: what is allowed may lie far from the query, and apart.
    pub fn walk_allowed(
        &self,
        query: &Query,
        from: u32,
        seeds: &[u32],
        ef: usize,
        members: &Members,
        scratch: &mut Scratch,
    ) {
        scratch.visited.start(self.len());
        scratch.nearest.start(ef);
        scratch.fresh.clear();
        scratch.fresh.extend(seeds.iter().copied().filter(|id| scratch.visited.insert(*id)));
        if scratch.visited.insert(from) && members.contains(from) {
            scratch.fresh.push(from);
        }
        self.compare(query, &scratch.fresh, &mut scratch.nearest);
        self.gather_allowed(from, members, scratch);
        self.compare(query, &scratch.fresh, &mut scratch.nearest);
        while let Some(id) = scratch.nearest.next() {
            self.gather_allowed(id, members, scratch);
            self.compare(query, &scratch.fresh, &mut scratch.nearest);
        }
    }

    /// Allowed neighbours that were not seen yet and, as long as they are fewer than a list holds, those behind the
    /// forbidden ones.
    fn gather_allowed(&self, id: u32, members: &Members, scratch: &mut Scratch) {
        let Scratch { visited, fresh, forbidden, .. } = scratch;
        fresh.clear();
        forbidden.clear();
        for link in self.links(id, 0) {
            if visited.contains(link) {
                continue;
            }
            visited.insert(link);
            if members.contains(link) {
                fresh.push(link);
            } else {
                self.prefetch_links(link);
                forbidden.push(link);
            }
        }
        let enough = self.max_links(0);
        for between in forbidden.iter() {
            for link in self.links(*between, 0) {
                // In this order: the marks of what was visited lie far apart.
                if members.contains(link) && visited.insert(link) {
                    fresh.push(link);
                }
            }
            if fresh.len() >= enough {
                return;
            }
        }
    }
}

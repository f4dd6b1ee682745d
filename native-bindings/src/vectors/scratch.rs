//! What a walk needs for itself, kept from one to the next: marks of what it has seen, and the best that it has found.

/// Marks by id: a byte that holds the number of the walk. They are wiped when the numbers are used up.
#[derive(Default)]
pub struct Visited {
    marks: Vec<u8>,
    walk: u8,
}

impl Visited {
    pub fn start(&mut self, size: usize) {
        if self.marks.len() < size {
            self.marks.resize(size, 0);
        }
        self.walk = self.walk.wrapping_add(1);
        if self.walk == 0 {
            self.marks.fill(0);
            self.walk = 1;
        }
    }

    /// Whether this walk meets the id for the first time.
    #[inline(always)]
    pub fn insert(&mut self, id: u32) -> bool {
        let mark = &mut self.marks[id as usize];
        let new = *mark != self.walk;
        *mark = self.walk;
        new
    }

    #[inline(always)]
    pub fn contains(&self, id: u32) -> bool {
        self.marks[id as usize] == self.walk
    }
}

/// The best `limit` ids so far, nearest first, each expanded or not. An entry is one number that sorts like its
/// distance, then its id:
///
/// ```text
/// distance, ordered bits 32 │ id 31 │ expanded 1
/// ```
#[derive(Default)]
pub struct Nearest {
    entries: Vec<u64>,
    limit: usize,
    /// Everything before it is expanded.
    cursor: usize,
}

impl Nearest {
    pub fn start(&mut self, limit: usize) {
        self.entries.clear();
        self.entries.reserve(limit + 1);
        self.limit = limit;
        self.cursor = 0;
    }

    /// Whether an offer at this distance may still get in.
    #[inline(always)]
    pub fn wants(&self, distance: f32) -> bool {
        self.entries.len() < self.limit
            || self.entries.last().is_some_and(|last| ordered(distance) < (last >> 32) as u32)
    }

    #[inline(always)]
    pub fn offer(&mut self, distance: f32, id: u32) {
        if !self.wants(distance) {
            return;
        }
        let entry = u64::from(ordered(distance)) << 32 | u64::from(id) << 1;
        if self.entries.len() == self.limit {
            self.entries.pop();
        }
        let at = self.entries.partition_point(|other| *other < entry);
        self.entries.insert(at, entry);
        self.cursor = self.cursor.min(at);
    }

    /// The nearest that was not expanded yet, now taken as expanded.
    #[inline(always)]
    pub fn next(&mut self) -> Option<u32> {
        while let Some(entry) = self.entries.get_mut(self.cursor) {
            self.cursor += 1;
            if *entry & 1 == 0 {
                *entry |= 1;
                return Some((*entry >> 1) as u32 & 0x7FFF_FFFF);
            }
        }
        None
    }

    /// What `next` would give, if nothing nearer came.
    #[inline(always)]
    pub fn peek(&self) -> Option<u32> {
        self.entries.get(self.cursor).map(|entry| (*entry >> 1) as u32 & 0x7FFF_FFFF)
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Distance and id, nearest first.
    pub fn iter(&self) -> impl Iterator<Item = (f32, u32)> + '_ {
        self.entries.iter().map(|entry| (distance_of(entry), (*entry >> 1) as u32 & 0x7FFF_FFFF))
    }
}

/// Bits that sort as unsigned numbers like the distances do.
fn ordered(distance: f32) -> u32 {
    let bits = distance.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

fn distance_of(entry: &u64) -> f32 {
    let bits = (entry >> 32) as u32;
    f32::from_bits(if bits >> 31 == 1 { bits & !(1 << 31) } else { !bits })
}

#[derive(Default)]
pub struct Scratch {
    pub visited: Visited,
    pub nearest: Nearest,
    /// Neighbours that a step meets for the first time.
    pub fresh: Vec<u32>,
    /// Neighbours that the filter forbids.
    pub forbidden: Vec<u32>,
    /// Candidates for the links of a vector, and those chosen.
    pub candidates: Vec<(f32, u32)>,
    pub chosen: Vec<(f32, u32)>,
}

//! Distinct byte strings with a number each, in the order in which they came: about 16 bytes a string besides its own.

use std::hash::{BuildHasher, RandomState};

const FREE: u32 = u32::MAX;
const LEAST_SLOTS: usize = 16;

#[derive(Default)]
pub struct Interned {
    bytes: Vec<u8>,
    /// Where string i ends; it starts where the one before ends.
    ends: Vec<u64>,
    /// Numbers by hash, at most half full.
    slots: Vec<u32>,
    /// Seeded: whoever writes metadata cannot choose collisions.
    hasher: RandomState,
}

impl Interned {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, number: u32) -> &[u8] {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] as usize };
        &self.bytes[start..self.ends[number] as usize]
    }

    pub fn number_of(&mut self, string: &[u8]) -> u32 {
        if self.slots.len() < (self.len() + 1) * 2 {
            self.grow();
        }
        let slot = self.slot(string);
        if self.slots[slot] == FREE {
            self.slots[slot] = self.len() as u32;
            self.bytes.extend_from_slice(string);
            self.ends.push(self.bytes.len() as u64);
        }
        self.slots[slot]
    }

    /// Numbers in the order of their bytes, which is the order of code points too.
    pub fn sorted(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = (0..self.len() as u32).collect();
        numbers.sort_unstable_by(|a, b| self.get(*a).cmp(self.get(*b)));
        numbers
    }

    fn slot(&self, string: &[u8]) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.hasher.hash_one(string) as usize & mask;
        while self.slots[slot] != FREE && self.get(self.slots[slot]) != string {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        self.slots = vec![FREE; (self.slots.len() * 2).max(LEAST_SLOTS)];
        for number in 0..self.len() as u32 {
            let slot = self.slot(self.get(number));
            self.slots[slot] = number;
        }
    }
}

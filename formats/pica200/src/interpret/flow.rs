//! The stacks of calls, ifs and loops.

use std::collections::VecDeque;

/// Depth of the call stack.
const CALLS: usize = 4;
/// Depth of the if stack.
const IFS: usize = 8;
/// Depth of the loop stack.
const LOOPS: usize = 4;

/// An open loop.
pub(super) struct Loop {
    /// First instruction of the body.
    pub body: u32,
    /// The address after the last instruction of the body.
    pub end: u32,
    /// Remaining iterations after the current one.
    pub remaining: u8,
    /// Increment of aL.
    pub step: u8,
    /// The value of aL outside the loop.
    pub outer: i32,
}

/// The stacks.
#[derive(Default)]
pub(super) struct Stacks {
    /// End and return address of each call.
    calls: VecDeque<(u32, u32)>,
    /// Address of the else part, and the address where control continues.
    ifs: VecDeque<(u32, u32)>,
    loops: VecDeque<Loop>,
}

/// Pushes onto a stack of limited depth; a full stack loses its oldest entry.
fn push<T>(stack: &mut VecDeque<T>, depth: usize, entry: T) {
    if stack.len() == depth {
        stack.pop_front();
    }
    stack.push_back(entry);
}

impl Stacks {
    /// Enters a range that returns from `end` to `back`.
    pub fn call(&mut self, end: u32, back: u32) {
        push(&mut self.calls, CALLS, (end, back));
    }

    /// Enters the first part of an if.
    pub fn branch(&mut self, other: u32, follow: u32) {
        push(&mut self.ifs, IFS, (other, follow));
    }

    /// Enters a loop.
    pub fn enter_loop(&mut self, entry: Loop) {
        push(&mut self.loops, LOOPS, entry);
    }

    /// Returns the address after an instruction. `successor` is the following instruction; `next` is where
    /// the instruction itself continues.
    pub fn next(&mut self, successor: u32, next: u32, breaks: bool, counter: &mut i32) -> u32 {
        let mut next = next;
        let mut at = successor;
        for popped in 1..=CALLS {
            let Some(&(_, back)) = self.calls.back().filter(|(end, _)| *end == at) else { break };
            self.calls.pop_back();
            // The fourth simultaneous return is lost.
            if popped < CALLS {
                next = back;
                at = back;
            }
        }
        if let Some(&(_, follow)) = self.ifs.back().filter(|(other, _)| *other == successor) {
            self.ifs.pop_back();
            next = follow;
        }
        let depth = self.loops.len();
        if let Some(entry) = self.loops.back_mut().filter(|entry| breaks || entry.end == successor) {
            *counter = counter.wrapping_add(i32::from(entry.step));
            if !breaks && entry.remaining > 0 {
                entry.remaining -= 1;
                return entry.body;
            }
            next = entry.end;
            if depth > 1 {
                *counter = entry.outer;
            }
            self.loops.pop_back();
        }
        next
    }
}

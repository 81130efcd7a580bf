//! Makes room for a result if no gap is large enough, by moving live values.
//!
//! The first choice is the window whose owners are cheapest to move to gaps elsewhere. If the gaps are too
//! small, all values are repacked. The moves form one parallel copy before the instruction. Sources that end
//! at the instruction occupy their registers until it reads them, so moved values may not use those
//! registers, but results may.

use crate::error::{BackEndError, CompileError};
use crate::ir::entity::Value;
use crate::ir::function::InstData;

use super::assign::Assigner;
use super::file::{FILE_HALVES, HalfSet, RegisterFile, highest_place, lowest_place};
use super::shapes::Shape;

/// Number of windows tried before all values are repacked.
const MAX_WINDOWS: usize = 8;

/// Names with their new registers.
type Places = Vec<(Value, u16)>;

impl<'a> Assigner<'_, 'a> {
    /// Makes room for result `index` of `data` and places it.
    ///
    /// # Errors
    /// The values needed at once do not fit however they are packed.
    #[inline(never)]
    pub(super) fn make_room(&mut self, data: &InstData<'a>, index: usize) -> Result<(), CompileError> {
        let value = data.dsts[index];
        let shape = self.shape(value);
        let results = self.halves_of(&self.placed);
        let mut windows: Vec<(u16, u16)> = (0..=FILE_HALVES.saturating_sub(shape.halves))
            .step_by(usize::from(shape.align))
            .map(|start| (start, HalfSet::range(start, shape.halves)))
            .filter(|(_, window)| self.usable.contains(*window) && window.and(results).is_empty())
            .map(|(start, _)| (cost(self, start, shape), start))
            .collect();
        windows.sort_unstable();
        for (_, start) in windows.into_iter().take(MAX_WINDOWS) {
            if let Some(places) = self.empty_window(start, shape) {
                self.move_names(&places);
                self.put_result(value, start);
                return Ok(());
            }
        }
        self.repack(data, index)
    }

    /// Half registers of some names.
    fn halves_of(&self, names: &[Value]) -> HalfSet {
        names.iter().fold(HalfSet::EMPTY, |set, name| {
            let (half, halves) = self.place_of(*name);
            set.or(HalfSet::range(half, halves))
        })
    }

    /// New registers for the owners of a window, if there is room.
    fn empty_window(&self, start: u16, shape: Shape) -> Option<Places> {
        let mut names = owners(&self.file, start, shape.halves);
        self.sort_for_packing(&mut names);
        let window = HalfSet::range(start, shape.halves);
        let vacated = self.halves_of(&names);
        let mut free = self.file.free().or(vacated).and(self.usable);
        free = free.without(window).without(self.halves_of(&self.ending));
        self.pack_low(&names, &mut free)
    }

    /// Sorts by descending alignment, then descending size; ties keep their order.
    pub(super) fn sort_for_packing(&self, names: &mut [Value]) {
        names.sort_by_key(|name| {
            let shape = self.shape(*name);
            std::cmp::Reverse((shape.align, shape.halves))
        });
    }

    /// Places names in order at the lowest positions of `free`, which shrinks.
    pub(super) fn pack_low(&self, names: &[Value], free: &mut HalfSet) -> Option<Places> {
        let place = |name: &Value| {
            let shape = self.shape(*name);
            let half = lowest_place(*free, shape)?;
            *free = free.without(HalfSet::range(half, shape.halves));
            Some((*name, half))
        };
        names.iter().map(place).collect()
    }

    /// Moves names to new registers in parallel: renames them and records the copies.
    fn move_names(&mut self, places: &[(Value, u16)]) {
        for (name, _) in places {
            let (half, halves) = self.place_of(*name);
            if self.file.owner(half) == Some(*name) {
                self.file.release(half, halves);
            }
        }
        for (name, half) in places {
            let value = self.origin[*name].unwrap_or(*name);
            let is_second_move = self.moves.iter().any(|(new, _)| new == name);
            let new = if is_second_move {
                // It was already moved before this instruction: only its new name's register changes.
                self.record(*name, *half);
                *name
            } else if self.allocation.half(*name) == Some(*half) {
                *name
            } else {
                let new = self.new_name(*name, *half);
                self.moves.push((new, *name));
                self.names.set(value, new);
                new
            };
            if new != *name || is_second_move {
                self.move_shared_parts(value, *half, is_second_move);
            }
            match self.ending.iter_mut().find(|ending| *ending == name) {
                Some(ending) => *ending = new,
                None => self.file.take(new, *half, self.shape(new).halves),
            }
        }
    }

    /// Packs live values from the bottom (16-bit values from the top), with results and ending values in
    /// between. Results and ending values may overlap, and alignment wastes at most
    /// [`Shapes::waste`](super::shapes::Shapes::waste) between the two groups.
    fn repack(&mut self, data: &InstData<'a>, index: usize) -> Result<(), CompileError> {
        for index in 0..self.placed.len() {
            let (half, halves) = self.place_of(self.placed[index]);
            self.file.release(half, halves);
        }
        self.placed.clear();
        let mut lasting = owners(&self.file, 0, FILE_HALVES);
        let mut results: Vec<Value> =
            data.dsts.iter().copied().filter(|dst| self.needs_register(data, *dst)).collect();
        let mut ending = self.ending.to_vec();
        for list in [&mut lasting, &mut results, &mut ending] {
            self.sort_for_packing(list);
        }
        let packed = self.pack_parts(&lasting, &results, &ending);
        let Some((lasting, results, ending)) = packed else {
            return Err(
                BackEndError::Registers { what: format!("at once, with {},", data.dsts[index]) }.into()
            );
        };
        self.file = RegisterFile::new();
        let moved: Places = lasting.into_iter().chain(ending).collect();
        self.move_names(&moved);
        for (result, half) in results {
            self.put_result(result, half);
        }
        Ok(())
    }

    fn pack_parts(
        &self,
        lasting: &[Value],
        results: &[Value],
        ending: &[Value],
    ) -> Option<(Places, Places, Places)> {
        let split = lasting.iter().position(|name| self.shape(*name).align == 1).unwrap_or(lasting.len());
        let (wide, narrow) = lasting.split_at(split);
        let mut free = self.usable;
        let mut places = self.pack_low(wide, &mut free)?;
        for name in narrow {
            let shape = self.shape(*name);
            let half = highest_place(free, shape)?;
            free = free.without(HalfSet::range(half, shape.halves));
            places.push((*name, half));
        }
        let results = self.pack_low(results, &mut free.clone())?;
        let ending = self.pack_low(ending, &mut free)?;
        Some((places, results, ending))
    }
}

/// Names that own a half register of the window, each once, lowest first.
fn owners(file: &RegisterFile, start: u16, halves: u16) -> Vec<Value> {
    let mut owners: Vec<Value> = (start..start + halves).filter_map(|half| file.owner(half)).collect();
    owners.dedup();
    owners
}

/// Half registers of the names that own a half register of the window.
fn cost(assigner: &Assigner<'_, '_>, start: u16, shape: Shape) -> u16 {
    owners(&assigner.file, start, shape.halves).iter().map(|owner| assigner.shape(*owner).halves).sum()
}

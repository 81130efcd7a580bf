//! What is known of the presentations of a swapchain: which are over, and when their images were seen.

use std::collections::VecDeque;

use crate::Error;
use crate::surface::Seen;

/// The presentations of a swapchain.
#[derive(Default)]
pub(super) struct Presentations {
    /// The greatest number that the application gave a presentation that is over.
    pub over: u64,
    /// Those that are not over: their numbers, and those that the application gave them.
    pending: VecDeque<[u64; 2]>,
    pub timings: Timings,
}

impl Presentations {
    /// A presentation has begun, or failed.
    pub fn begin(&mut self, id: u64, number: u64, is_shown: bool) {
        if id > 0 {
            self.pending.push_back([number, id]);
        }
        if !is_shown {
            self.timings.note(Seen { number, time: 0, refresh: 0 });
        }
    }

    /// Notes what the chain knows: the greatest number of a presentation that is over, or that all are, and when images were seen.
    pub fn hear(&mut self, shown: Option<u64>, seen: Vec<Seen>) {
        let is_over = |number: u64| shown.is_none_or(|shown| number <= shown);
        // Presentations end in the order in which they began, whether or not their images are seen.
        while let Some([number, id]) = self.pending.front().copied()
            && is_over(number)
        {
            self.over = self.over.max(id);
            self.pending.pop_front();
        }
        seen.into_iter().for_each(|seen| self.timings.note(seen));
        if shown.is_none() {
            self.timings.end();
        }
    }
}

/// When the image of a presentation was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timing {
    number: u64,
    /// The number that the application gave the presentation, or 0.
    pub id: u64,
    /// When its first pixel went to the display, in nanoseconds of the monotonic clock; 0 if it was not shown or the window system does not
    /// tell, `None` if the presentation is not over.
    pub time: Option<u64>,
}

/// Timings that the application has not taken.
#[derive(Default)]
pub(super) struct Timings {
    /// How many are kept.
    most: usize,
    kept: VecDeque<Timing>,
    /// Nanoseconds between refreshes of the display, once an image was seen.
    pub refresh: Option<u64>,
}

impl Timings {
    /// Changes how many are kept; false if more are kept now.
    pub fn keep(&mut self, most: usize) -> bool {
        let fits = self.kept.len() <= most;
        if fits {
            self.most = most;
        }
        fits
    }

    /// Keeps the timing of a presentation, which begins after it.
    ///
    /// # Errors
    /// [`Error::TimingsFull`]: as many are kept as the application wants.
    pub fn begin(&mut self, id: u64, number: u64) -> Result<(), Error> {
        if self.kept.len() >= self.most {
            return Err(Error::TimingsFull);
        }
        self.kept.push_back(Timing { number, id, time: None });
        Ok(())
    }

    fn note(&mut self, seen: Seen) {
        if seen.time > 0 {
            self.refresh = Some(if seen.refresh > 0 { seen.refresh } else { self.refresh.unwrap_or(0) });
        }
        if let Some(timing) = self.kept.iter_mut().find(|timing| timing.number == seen.number) {
            timing.time = Some(seen.time);
        }
    }

    /// All presentations are over, at unknown times.
    fn end(&mut self) {
        self.kept.iter_mut().for_each(|timing| _ = timing.time.get_or_insert(0));
    }

    /// Passes timings to a function, which tells whether it takes them.
    pub fn take(&mut self, in_order: bool, mut take: impl FnMut(&Timing) -> bool) {
        let mut is_blocked = false;
        self.kept.retain(|timing| {
            let is_over = timing.time.is_some();
            is_blocked |= in_order && !is_over;
            !is_over || is_blocked || !take(timing)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(number: u64, time: u64) -> Seen {
        Seen { number, time, refresh: 16 }
    }

    #[test]
    fn presentations_end_in_their_order() {
        let mut presentations = Presentations::default();
        for (id, number) in [(5, 1), (0, 2), (8, 3)] {
            presentations.begin(id, number, true);
        }
        presentations.hear(Some(0), Vec::new());
        assert_eq!(presentations.over, 0);
        presentations.hear(Some(2), Vec::new());
        assert_eq!(presentations.over, 5);
        presentations.hear(None, Vec::new());
        assert_eq!(presentations.over, 8);
    }

    #[test]
    fn timings_are_taken_once_they_are_known() {
        let mut all = Presentations::default();
        assert!(all.timings.begin(5, 1).is_err() && all.timings.keep(2));
        for (id, number) in [(5, 1), (6, 2)] {
            all.timings.begin(id, number).expect("room");
        }
        assert!(all.timings.begin(7, 3).is_err() && !all.timings.keep(1));
        all.hear(Some(2), vec![seen(2, 70)]);
        let taken = |timings: &mut Timings, in_order| {
            let mut taken = Vec::new();
            timings.take(in_order, |timing| {
                taken.push((timing.id, timing.time));
                true
            });
            taken
        };
        assert_eq!(taken(&mut all.timings, true), []);
        assert_eq!(taken(&mut all.timings, false), [(6, Some(70))]);
        all.hear(Some(2), vec![seen(1, 0)]);
        assert_eq!(taken(&mut all.timings, true), [(5, Some(0))]);
        assert_eq!(all.timings.refresh, Some(16));
        all.timings.begin(7, 3).expect("room");
        all.hear(None, Vec::new());
        assert_eq!(taken(&mut all.timings, true), [(7, Some(0))]);
        all.timings.begin(8, 4).expect("room");
        all.begin(8, 4, false);
        assert_eq!(taken(&mut all.timings, true), [(8, Some(0))], "it failed");
    }
}

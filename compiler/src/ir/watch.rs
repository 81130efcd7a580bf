//! Counts what passes visit, and asks every so often whether the result is still wanted.
//!
//! If not, the stack is unwound with [`Stopped`]; `crate::stopping` makes an error of it.

use std::cell::Cell;
use std::panic::{RefUnwindSafe, UnwindSafe, resume_unwind};
use std::rc::Rc;
use std::sync::Arc;

/// What is asked whether to stop.
pub type Question = Arc<dyn Fn() -> bool + Send + Sync + UnwindSafe + RefUnwindSafe>;

/// Instructions that are visited between two questions.
const STRIDE: usize = 256;

/// Instructions that a loop which does little for each counts at once.
pub const CHUNK: usize = 64;

/// What the stack is unwound with.
pub struct Stopped;

/// Counts what is visited of a function, and asks. Clones count together.
#[derive(Clone, Default)]
pub struct Watch {
    /// `None` where nobody wants to be asked, which costs next to nothing.
    asker: Option<Rc<Asker>>,
}

struct Asker {
    /// How much may be visited before the next question.
    left: Cell<usize>,
    question: Question,
}

impl Asker {
    #[cold]
    fn count(&self, work: usize) {
        match self.left.get().checked_sub(work) {
            Some(left) => self.left.set(left),
            None => {
                self.left.set(STRIDE);
                if (self.question)() {
                    resume_unwind(Box::new(Stopped));
                }
            }
        }
    }
}

impl Watch {
    /// Asks `question`, where the stack can be unwound.
    pub fn new(question: Option<Question>) -> Self {
        let question = question.filter(|_| cfg!(panic = "unwind"));
        let asker = question.map(|question| Rc::new(Asker { left: Cell::new(STRIDE), question }));
        Watch { asker }
    }

    /// Counts `work`, in instructions visited or what takes as long.
    ///
    /// Unwinds with [`Stopped`] when the caller wants no more.
    #[inline]
    pub fn visit(&self, work: usize) {
        if let Some(asker) = &self.asker {
            asker.count(work);
        }
    }

    /// Whether somebody is asked.
    pub fn is_on(&self) -> bool {
        self.asker.is_some()
    }
}

//! Where machine code has the values of source variables: what a compiler tells a debugger.

/// When something happens in a lane.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Moment {
    /// Before it executes the instruction at this offset.
    Before(u32),
    /// When it executes the instruction at this offset.
    With(u32),
}

impl Moment {
    /// The moment in code that begins at byte `start`.
    pub fn moved(self, start: u32) -> Moment {
        match self {
            Moment::Before(offset) => Moment::Before(offset.saturating_add(start)),
            Moment::With(offset) => Moment::With(offset.saturating_add(start)),
        }
    }
}

/// What a scalar of a variable is from a moment on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// A value, by number.
    Value(u32),
    /// A constant.
    Constant(u64),
    /// Uniform registers from this half-word on.
    Uniform(u16),
    /// Bytes of the lane's stack, from the base of the frame on.
    Stack(u32),
    /// A value that the code does not compute.
    Lost,
}

/// A register gets a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Definition {
    /// When.
    pub at: Moment,
    /// The value's number.
    pub value: u32,
    /// The first half register.
    pub half: u8,
    /// Half registers, at most four.
    pub halves: u8,
}

/// A scalar of a variable gets another content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// When.
    pub at: Moment,
    /// Number of the variable.
    pub variable: u32,
    /// Number of its scalar.
    pub leaf: u32,
    /// The content.
    pub content: Content,
}

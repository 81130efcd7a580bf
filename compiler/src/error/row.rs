//! Error rows: code, kind, explanation and an example for each variant.

/// The kinds of errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input breaks the rules of its own format.
    Invalid,
    /// The input is valid, but uses a feature that this compiler does not support.
    Unsupported,
    /// The input exceeds a documented limit.
    Limit,
    /// A defect of this compiler; the input is not at fault.
    Internal,
}

impl ErrorKind {
    /// The prefix of messages.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::Invalid => "invalid",
            ErrorKind::Unsupported => "unsupported",
            ErrorKind::Limit => "limit",
            ErrorKind::Internal => "internal error",
        }
    }
}

/// An input that causes an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Example {
    /// SPIR-V assembly: declarations, and the body of the entry point. Both may use the ids of the
    /// surrounding module.
    Spirv {
        /// Instructions before the entry point.
        declarations: &'static str,
        /// Instructions of the entry point's first block.
        body: &'static str,
    },
    /// A text in the language `language`.
    Text {
        /// Name of the language, as in [`FRONT_ENDS`](crate::FRONT_ENDS).
        language: &'static str,
        /// The text.
        text: &'static str,
    },
    /// A description, if the input is not a short text.
    Words(&'static str),
}

impl Example {
    /// The body of an entry point.
    pub(crate) const fn body(body: &'static str) -> Self {
        Example::Spirv { declarations: "", body }
    }

    /// Declarations of a module.
    pub(crate) const fn declared(declarations: &'static str) -> Self {
        Example::Spirv { declarations, body: "OpReturn" }
    }

    /// A text in the language `language`.
    pub(crate) const fn text(language: &'static str, text: &'static str) -> Self {
        Example::Text { language, text }
    }
}

/// A code, its meaning, and an input that causes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ErrorRow {
    /// Number, printed as `AGX1234`. It never changes its meaning.
    pub code: u16,
    /// Kind of failure.
    pub kind: ErrorKind,
    /// The cause and a remedy. The first sentence is a title.
    pub explanation: &'static str,
    /// An input that causes it.
    pub example: Example,
}

impl ErrorRow {
    /// The first sentence of the explanation, without its full stop.
    pub fn title(&self) -> &'static str {
        let text = self.explanation.trim();
        text.find(". ").map_or(text.trim_end_matches('.'), |end| &text[..end])
    }
}

/// Declares an enum of errors. A variant has its explanation as documentation, then code, kind, fields,
/// message and example. Enums without a visibility are those of the crate.
macro_rules! errors {
    ($(#[$enum_attribute:meta])* enum $($rest:tt)*) => {
        errors! { $(#[$enum_attribute])* pub(crate) enum $($rest)* }
    };
    (
        $(#[$enum_attribute:meta])*
        $visibility:vis enum $Enum:ident {
            $(
                $(#[doc = $doc:literal])+
                $code:literal $kind:ident $name:ident $({ $($(#[doc = $field_doc:literal])* $field:ident : $ty:ty),* $(,)? })?
                = $message:literal, $example:expr;
            )*
        }
    ) => {
        $(#[$enum_attribute])*
        #[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
        $visibility enum $Enum {
            $($(#[doc = $doc])+ #[error($message)] $name $({ $($(#[doc = $field_doc])* $field: $ty),* })?,)*
        }

        impl $Enum {
            /// A row for each variant.
            pub(crate) const ROWS: &'static [$crate::error::ErrorRow] = &[$($crate::error::ErrorRow {
                code: $code,
                kind: $crate::error::ErrorKind::$kind,
                explanation: concat!($($doc),+),
                example: $example,
            },)*];

            /// Stable number of the error, printed as `AGX1234`.
            pub fn code(&self) -> u16 {
                match self { $($Enum::$name { .. } => $code,)* }
            }
        }
    };
}

pub(crate) use errors;

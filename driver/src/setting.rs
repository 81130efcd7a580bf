//! Settings of the state of draws, which secondary command buffers keep without memory of their own.

use agx_abi::fragment::MAX_TARGETS;
use agx_compiler::link::ColourSource;
use ash::vk;

use crate::dirty::Dirty;
use crate::draw_state::{DepthBias, DrawState};
use crate::render::Graphics;

/// A value for a part of the state.
#[derive(Clone, Copy)]
pub struct Setting<T> {
    /// What changes with it.
    pub dirty: Dirty,
    /// The part.
    pub place: fn(&mut DrawState) -> &mut T,
    /// The value.
    pub value: T,
}

impl<T: PartialEq + Copy> Setting<T> {
    /// Applies it.
    #[inline(always)]
    pub(crate) fn apply(&self, graphics: &mut Graphics) {
        graphics.set(self.dirty, self.place, self.value);
    }
}

macro_rules! settings {
    ($($name:ident $type:ty;)*) => {
        /// A setting of any type.
        pub enum AnySetting {
            $(#[doc = concat!("Of the type `", stringify!($type), "`.")] $name(Setting<$type>),)*
        }

        $(impl From<Setting<$type>> for AnySetting {
            fn from(setting: Setting<$type>) -> Self {
                AnySetting::$name(setting)
            }
        })*

        impl AnySetting {
            /// Applies it.
            pub(crate) fn apply(&self, graphics: &mut Graphics) {
                match self {
                    $(AnySetting::$name(setting) => setting.apply(graphics),)*
                }
            }
        }
    };
}

settings! {
    Flag bool;
    Choice Option<bool>;
    Number u32;
    Float f32;
    Bias DepthBias;
    Constants [f32; 4];
    Cull vk::CullModeFlags;
    Topology vk::PrimitiveTopology;
    Comparison vk::CompareOp;
    Polygon vk::PolygonMode;
    Logic vk::LogicOp;
    Sources [ColourSource; MAX_TARGETS as usize];
}

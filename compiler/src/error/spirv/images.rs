//! Images and samplers.

use crate::error::row::{Example, errors};

errors! {
    /// Errors in image instructions.
    enum ImageError {
        /// The operand is not an image or sampler. It has another type.
        1500 Invalid NotAResource { id: u32 }
        = "id {id} is not an image or sampler",
        Example::body("%x = OpImageQuerySize %uint %uint_1\nOpReturn");

        /// The operand is not an image. It is a sampler or has another type.
        1501 Invalid NotAnImage { id: u32 }
        = "id {id} is not an image",
        Example::Words("An OpImageFetch from a sampler.");

        /// An image operand does not exist. The mask has bits that the SPIR-V specification does not define.
        1502 Invalid UnknownOperands { mask: u32 }
        = "unknown image operands {mask:#x}",
        Example::Words("An OpImageFetch with the mask 0x80000000.");

        /// An image operand is missing. Each bit of the mask takes one or two ids.
        1503 Invalid MissingOperand { mask: u32 }
        = "an operand of the image operands {mask:#x} is missing",
        Example::Words("An OpImageFetch with the mask Lod and no level.");

        /// A coordinate has too few components. It needs one for each axis and the layer.
        1504 Invalid Coordinate { expected: usize, found: usize }
        = "the coordinate has {found} components; expected {expected} numbers",
        Example::Words("A sample of a 2D image with a coordinate of one component.");

        /// A sample instruction reads an image that only supports loads. Multisampled images, buffers and
        /// attachments have no filter.
        1505 Invalid NotSampled
        = "a sample of an image that only supports loads",
        Example::Words("An OpImageSampleExplicitLod of a buffer image.");

        /// Texels of the type are not supported. They are 16- and 32-bit floats and 32-bit integers.
        1506 Unsupported TexelType
        = "images with texels other than 16-bit floats and 32-bit numbers are not supported",
        Example::Words("An image with 64-bit integer texels.");

        /// A projective coordinate lacks its divisor. It comes after the axes.
        1507 Invalid Divisor { axes: usize }
        = "a projective coordinate lacks component {axes}, its divisor",
        Example::Words("An OpImageSampleProjImplicitLod of a 2D image with a vec2.");

        /// A gradient has too few components. It needs one for each axis.
        1508 Invalid Gradient { expected: usize, found: usize }
        = "a gradient has {found} components; expected {expected}",
        Example::Words("A sample of a 2D image with gradients of one component.");

        /// The offsets of a gather have the wrong form. ConstOffsets are four offsets of two components, for gathers of 2D images.
        1509 Invalid GatherOffsets { why: &'static str }
        = "the offsets of a gather: {why}",
        Example::Words("ConstOffsets of a sample that is not a gather.");

        /// An image is sampled without a sampler. Combine it with one by OpSampledImage.
        1510 Invalid NoSampler
        = "an image is sampled without a sampler",
        Example::Words("An OpImageSampleExplicitLod of an image alone.");

        /// The result of an image instruction is too large. A texel has at most four components.
        1511 Invalid Result { count: usize }
        = "the result of an image instruction has {count} components; expected at most 4",
        Example::Words("An OpImageFetch whose result type is an array of five.");

        /// A stored texel has the wrong type. It has one to four components of the image's width.
        1512 Invalid Texel { count: usize, bits: u8 }
        = "a stored texel of {count} components; expected 1 to 4 components of {bits} bits",
        Example::Words("An OpImageWrite of a structure.");

        /// A texel pointer does not point into an image. OpImageTexelPointer takes a pointer to an image variable.
        1513 Invalid TexelPointer { id: u32 }
        = "a pointer to a texel: id {id} does not point to an image",
        Example::body("%p = OpImageTexelPointer %ptr %data %uint_0 %uint_0\nOpReturn");

        /// Atomics on the image are not supported. The hardware's atomics access 32-bit words.
        1514 Unsupported TexelAtomic
        = "atomics on texels other than 32-bit words are not supported",
        Example::Words("An imageAtomicAdd on an image of 64-bit integers.");

        /// The operand of an attachment read is not a tile image. OpColorAttachmentReadEXT takes a variable
        /// of class TileImageEXT.
        1515 Invalid NotATileImage { id: u32 }
        = "the attachment {id} is not a tile image",
        Example::Words("An OpColorAttachmentReadEXT of a sampled image.");

        /// An attachment in the tile has a computed index. Registers of the tile cannot be indexed.
        1516 Unsupported DynamicAttachment
        = "attachments in the tile cannot be indexed dynamically",
        Example::Words("A subpass input array with a computed index, read from the tile.");

        /// A value of another type is stored in a variable for an image or sampler. Store a value of the variable's
        /// type that an OpLoad has produced.
        1517 Invalid StoredResource { id: u32 }
        = "id {id} is not of the type of the variable for an image or sampler in which it is stored",
        Example::Words("An OpStore of a sampled image in a function's variable for its image.");
    }
}

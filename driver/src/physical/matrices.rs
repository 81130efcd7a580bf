//! The products of cooperative matrices that the device lists.

use ash::vk;

/// A product: M × K times K × N.
#[derive(Clone, Copy, Debug)]
pub struct MatrixProduct {
    /// M, N and K.
    pub sizes: [u32; 3],
    /// Elements of both factors.
    pub factors: vk::ComponentTypeKHR,
    /// Elements of the sum and the result.
    pub sum: vk::ComponentTypeKHR,
}

/// Sizes that programs ask for; the hardware multiplies tiles of 8 × 8, and the compiler accepts all multiples.
const SIZES: [[u32; 3]; 5] = [[16, 16, 16], [8, 8, 8], [16, 8, 16], [16, 8, 8], [8, 16, 16]];

/// The upper halves of floats of 32 bits (`VK_KHR_shader_bfloat16`).
const BFLOAT16: vk::ComponentTypeKHR = vk::ComponentTypeKHR::from_raw(1_000_141_000);

/// Elements of factors and sums.
const ELEMENTS: [(vk::ComponentTypeKHR, vk::ComponentTypeKHR); 5] = [
    (BFLOAT16, BFLOAT16),
    (BFLOAT16, vk::ComponentTypeKHR::FLOAT32),
    (vk::ComponentTypeKHR::FLOAT16, vk::ComponentTypeKHR::FLOAT16),
    (vk::ComponentTypeKHR::FLOAT16, vk::ComponentTypeKHR::FLOAT32),
    (vk::ComponentTypeKHR::FLOAT32, vk::ComponentTypeKHR::FLOAT32),
];

/// Every product of cooperative matrices.
pub fn cooperative_matrices() -> Vec<MatrixProduct> {
    let of = |sizes| ELEMENTS.map(|(factors, sum)| MatrixProduct { sizes, factors, sum });
    SIZES.into_iter().flat_map(of).collect()
}

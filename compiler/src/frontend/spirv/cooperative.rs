//! Cooperative matrices: the lanes of a subgroup have a matrix together.
//!
//! A matrix consists of tiles of 8 × 8 elements, row by row. Of each tile a lane has two neighbouring elements of a row,
//! in the layout of the machine's matrix product (measured on M1), so that the elements of a lane are scalars like the
//! components of a vector: arithmetic, conversions and variables treat them as such. Only loads and stores know which
//! elements a lane has, and only products combine lanes.

use agx_abi::occupancy::SUBGROUP_SIZE;
use agx_isa::table::Opcode;
use spirv::{CooperativeMatrixLayout, Scope};

use super::eval::Eval;
use super::owners::Memory;
use super::pointer::{Pointer, Root};
use super::types::{Kind, Ty, Types};
use super::values::Values;
use super::words::Inst;
use super::{conversions, index, memory, pointers, simd};
use crate::error::{CompileError, GroupError, MemoryError, TypeError, ValueError};
use crate::ir::builder::Builder;
use crate::ir::op::mods;
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::{Arithmetic, Build};

/// Rows and columns of a tile.
const SIDE: u32 = 8;

/// Elements of a tile that a lane has.
const PAIR: u32 = SIDE * SIDE / SUBGROUP_SIZE;

/// The kind of matrices with elements of type `elem`, of which `pair` is a vector of two.
///
/// # Errors
/// The scope is not the subgroup, or the matrix does not consist of whole tiles.
pub(super) fn kind<'a>(
    elem: Ty,
    pair: Ty,
    scope: u32,
    [rows, columns]: [u32; 2],
) -> Result<Kind<'a>, CompileError> {
    if Scope::from_u32(scope) != Some(Scope::Subgroup) {
        return Err(GroupError::GroupScope { scope }.into());
    }
    if !rows.is_multiple_of(SIDE) || !columns.is_multiple_of(SIDE) {
        return Err(TypeError::CooperativeMatrix { rows, columns }.into());
    }
    let tiles = rows.div_euclid(SIDE).checked_mul(columns.div_euclid(SIDE));
    let count = tiles.and_then(|tiles| tiles.checked_mul(PAIR)).ok_or(TypeError::TooLarge)?;
    Ok(Kind::CooperativeMatrix { elem, pair, rows, columns, count })
}

/// A cooperative matrix.
#[derive(Clone, Copy)]
struct Matrix {
    elem: Ty,
    pair: Ty,
    /// Rows and columns, in tiles.
    tiles: [u32; 2],
}

impl Matrix {
    fn of(types: &Types<'_>, ty: Ty) -> Result<Matrix, CompileError> {
        match types.kind(ty) {
            Kind::CooperativeMatrix { elem, pair, rows, columns, .. } => {
                Ok(Matrix { elem, pair, tiles: [rows, columns].map(|side| side.div_euclid(SIDE)) })
            }
            _ => Err(ValueError::NotCooperative.into()),
        }
    }

    /// The first row and column of each tile, in the order of a lane's elements.
    fn origins(self) -> impl Iterator<Item = [u32; 2]> {
        let [rows, columns] = self.tiles;
        let start = |tile: u32| tile.saturating_mul(SIDE);
        (0..rows).flat_map(move |row| (0..columns).map(move |column| [start(row), start(column)]))
    }

    /// The elements that a lane has of the tile at a row and column of tiles.
    fn tile(self, leaves: &[Src], row: u32, column: u32) -> Result<&[Src], CompileError> {
        let tile = row.saturating_mul(self.tiles[1]).saturating_add(column);
        let start = tile.saturating_mul(PAIR) as usize;
        let elements = leaves.get(start..start.saturating_add(PAIR as usize));
        elements.ok_or_else(|| CompileError::internal("a tile outside of its matrix"))
    }
}

/// `OpCooperativeMatrixLengthKHR`: the number of elements that a lane has.
pub(super) fn length<'a>(
    eval: &mut Eval<'_, '_, 'a>,
    _: Ty,
    operands: &[u32],
) -> Result<&'a [Src], CompileError> {
    let id = operands.first().copied().ok_or(ValueError::Missing { index: 0, count: 0 })?;
    let ty = eval.ty(id)?;
    match eval.types.kind(ty) {
        Kind::CooperativeMatrix { count, .. } => Ok(eval.keep(&[Src::imm32(count)])),
        _ => Err(ValueError::NotCooperative.into()),
    }
}

/// Where a lane's elements of a matrix are in memory.
struct Places<'a> {
    /// The lane's first element of the first tile.
    first: Pointer<'a>,
    /// Distances of rows and columns in bytes.
    strides: [Src; 2],
    /// Whether the two elements of a pair are neighbours.
    is_row_major: bool,
}

impl<'a> Places<'a> {
    /// The places of the elements of a `matrix` to which a pointer points, with the operands layout and stride.
    fn of(
        v: &mut Values<'_, 'a>,
        matrix: Matrix,
        pointer: &Pointer<'a>,
        layout: u32,
        stride: Option<u32>,
    ) -> Result<Places<'a>, CompileError> {
        if !matches!(pointer.root, Root::Local | Root::Buffer { .. }) {
            return Err(MemoryError::NotInMemory.into());
        }
        let number = v.constant(layout)?;
        let is_row_major = match CooperativeMatrixLayout::from_u32(number) {
            Some(CooperativeMatrixLayout::RowMajorKHR) => true,
            Some(CooperativeMatrixLayout::ColumnMajorKHR) => false,
            _ => return Err(ValueError::MatrixLayout { number }.into()),
        };
        let stride = stride.ok_or(ValueError::MatrixLayout { number })?;
        let stride = v.eval().scalar(stride)?;
        let b = &mut v.kit.b;
        let (stride, unit) = (b.uconv(stride, 32), v.types.natural(pointer.ty).0);
        let stride = b.imul(stride, Src::imm32(unit));
        let bytes = v.types.natural(matrix.elem).0;
        let strides = if is_row_major { [stride, Src::imm32(bytes)] } else { [Src::imm32(bytes), stride] };
        let place = lane_place(b);
        let mut offset = pointer.offset;
        for (place, stride) in place.into_iter().zip(strides) {
            let part = b.imul(place, stride);
            offset = Some(index::add_scaled(b, offset, part, 1));
        }
        // Strides are multiples of a row's or column's size, up to 16 bytes.
        let neighbours = if is_row_major { PAIR } else { 1 };
        let align = pointer.align.min(bytes.saturating_mul(neighbours));
        let ty = if is_row_major { matrix.pair } else { matrix.elem };
        let first = Pointer { ty, pointer: None, offset, align, component_stride: 0, ..*pointer };
        Ok(Places { first, strides, is_row_major })
    }

    /// Pointers to the lane's elements of the tile that begins at a row and column: to both, or to each.
    fn tile(&self, v: &mut Values<'_, 'a>, [row, column]: [u32; 2]) -> Vec<Pointer<'a>> {
        let columns: &[u32] = if self.is_row_major { &[0] } else { &[0, 1] };
        columns.iter().map(|more| self.element(v, [row, column.saturating_add(*more)])).collect()
    }

    /// A pointer to the element that is `distance` rows and columns after the first.
    fn element(&self, v: &mut Values<'_, 'a>, distance: [u32; 2]) -> Pointer<'a> {
        let mut pointer = self.first;
        for (count, stride) in distance.into_iter().zip(self.strides) {
            match stride.as_imm() {
                Some(bytes) => pointer.fixed = pointer.fixed.wrapping_add(count.wrapping_mul(bytes as u32)),
                None if count == 0 => {}
                None => pointer.offset = Some(index::add_scaled(&mut v.kit.b, pointer.offset, stride, count)),
            }
        }
        pointer
    }
}

/// Row and column of the lane's first element in a tile.
fn lane_place(b: &mut Builder<'_, '_>) -> [Src; 2] {
    let lane = simd::lane(b);
    // A quarter of the lanes has a quarter of the tile; within it, bits 1 and 2 count rows.
    let mut bits = |first: u64, mask: u64, to: u64| {
        let moved = b.ushr(lane, Src::imm(first, 32));
        let cut = b.and(moved, Src::imm(mask, 32));
        b.shl(cut, Src::imm(to, 32))
    };
    let parts = [[bits(4, 1, 2), bits(1, 3, 0)], [bits(3, 1, 2), bits(0, 1, 1)]];
    parts.map(|[high, low]| b.or(high, low))
}

/// `OpCooperativeMatrixLoadKHR`.
pub(super) fn load_instruction<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let ty = v.eval().ty(inst.word(0)?)?;
    let matrix = Matrix::of(v.types, ty)?;
    let pointer = *pointers::pointer(m, v, inst.word(2)?)?;
    let places = Places::of(v, matrix, &pointer, inst.word(3)?, inst.rest(4).first().copied())?;
    let access = memory::access_of(inst, 5);
    let mut leaves = Vec::new();
    for origin in matrix.origins() {
        for pointer in places.tile(v, origin) {
            leaves.extend_from_slice(memory::load(v, &pointer, access)?);
        }
    }
    v.define_leaves(inst, &leaves)
}

/// `OpCooperativeMatrixStoreKHR`.
pub(super) fn store_instruction<'a>(
    m: &mut Memory<'a>,
    v: &mut Values<'_, 'a>,
    inst: &Inst<'a>,
) -> Result<(), CompileError> {
    let (ty, leaves) = v.eval().value(inst.word(1)?)?;
    let matrix = Matrix::of(v.types, ty)?;
    let pointer = *pointers::pointer(m, v, inst.word(0)?)?;
    let places = Places::of(v, matrix, &pointer, inst.word(2)?, inst.rest(3).first().copied())?;
    let access = memory::access_of(inst, 4);
    let mut rest = leaves;
    for origin in matrix.origins() {
        for pointer in places.tile(v, origin) {
            let (now, later) = rest.split_at(v.types.leaf_count(pointer.ty)?.min(rest.len()));
            rest = later;
            memory::store(v, &pointer, now, access)?;
        }
    }
    Ok(())
}

/// A factor or sum of a product: its matrix and a lane's elements as the machine reads them.
struct Factor {
    matrix: Matrix,
    elements: Vec<Src>,
    is_bfloat16: bool,
}

impl Factor {
    fn read(v: &mut Values<'_, '_>, id: u32) -> Result<Factor, CompileError> {
        let (ty, leaves) = v.eval().value(id)?;
        let matrix = Matrix::of(v.types, ty)?;
        let kind = v.types.kind(matrix.elem);
        let is_bfloat16 = matches!(kind, Kind::Bfloat16);
        let elements = match kind {
            Kind::Bfloat16 => {
                leaves.iter().map(|leaf| conversions::from_bfloat16(&mut v.kit.b, *leaf)).collect()
            }
            Kind::Float { bits: 16 | 32 } => leaves.to_vec(),
            _ => return Err(ValueError::MatrixElements.into()),
        };
        Ok(Factor { matrix, elements, is_bfloat16 })
    }

    /// The lane's elements of a tile, as a vector.
    fn tile(&self, b: &mut Builder<'_, '_>, row: u32, column: u32) -> Result<Src, CompileError> {
        let elements = self.matrix.tile(&self.elements, row, column)?;
        let bits = elements.first().map_or(32, |element| b.f.width(*element));
        Ok(b.collect(Type::vector(bits, PAIR as u8), elements))
    }
}

/// `OpCooperativeMatrixMulAddKHR`.
pub(super) fn multiply_add<'a>(v: &mut Values<'_, 'a>, inst: &Inst<'a>) -> Result<(), CompileError> {
    let [a, b, c] = [2, 3, 4].map(|index| inst.word(index).and_then(|id| Factor::read(v, id)));
    let (a, b, c) = (a?, b?, c?);
    let ([rows, inner], [height, columns]) = (a.matrix.tiles, b.matrix.tiles);
    if inner != height || c.matrix.tiles != [rows, columns] {
        return Err(ValueError::MatrixShapes.into());
    }
    let bits = c.elements.first().map_or(32, |element| v.kit.b.f.width(*element));
    let op = if bits == 16 { Opcode::SimdMatrixFmadd16 } else { Opcode::SimdMatrixFmadd32 };
    let ty = Type::vector(bits, PAIR as u8);
    let builder = &mut v.kit.b;
    let mut leaves = Vec::with_capacity(c.elements.len());
    for row in 0..rows {
        for column in 0..columns {
            let mut sum = c.tile(builder, row, column)?;
            for at in 0..inner {
                let srcs = [a.tile(builder, row, at)?, b.tile(builder, at, column)?, sum];
                sum = Src::value(builder.value(op, ty, &srcs, &mods(op)));
            }
            leaves.extend(builder.split(sum, Type::scalar(bits), PAIR as usize));
        }
    }
    if c.is_bfloat16 {
        leaves.iter_mut().for_each(|leaf| *leaf = conversions::to_bfloat16(&mut v.kit.b, *leaf));
    }
    v.define_leaves(inst, &leaves)
}

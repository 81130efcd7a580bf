//! `OpRayQueryProceedKHR`: the traversal of a structure up to the next candidate that the program decides about.
//!
//! One loop visits the nodes of both levels: at an instance it continues in its structure with the ray in its space, and at the
//! end of that structure in the one of the top level.

use agx_abi::acceleration::{
    CUSTOM, HEADER_BYTES, INNER, INSTANCE_BYTES, LEAF_BYTES, OPAQUE, RECORD_OFFSET, STRUCTURE, StructureKind,
    WORLD_TO_OBJECT, instance_flags,
};
use spirv::RayFlags;

use super::super::values::Values;
use super::intersection::{self, Hit, parts};
use super::properties::{BOX, FRONT, IS_OPAQUE, TRIANGLE};
use super::state::{
    BASE, CANDIDATE, END, FARTHEST, FLAGS, HIT, HIT_INSTANCE, HIT_LEAF, HIT_PLACE, INSTANCE, KIND, LEAF,
    MASK, NEAREST, NODE, PLACE, Query, RAY, RESUME, TOP, TOP_END, WORLD_RAY,
};
use super::structure::{self, words};
use crate::ir::build::alu::{FloatCond, IntCond};
use crate::ir::builder::Builder;
use crate::ir::entity::Block;
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::{Arithmetic, Build};
use crate::ssa::Variable;

/// Bit at which the flags of an instance begin in their word.
const INSTANCE_FLAGS: u32 = 24;

/// Continues the traversal; returns whether there is a candidate.
pub(super) fn proceed<'a>(v: &mut Values<'_, 'a>, query: Query<'a>) -> Src {
    let found = v.kit.vars.add(&[1]);
    v.kit.vars.write(&v.kit.b, found, Src::bool(false));
    let blocks = v.kit.b.begin_loop();
    v.kit.vars.open_loop(blocks.header);
    let walk = Walk { query, found, after: blocks.after };
    let ([node], [end]) = (query.read(v, NODE), query.read(v, END));
    let at_top = walk.is_at_top(v);
    let has_ended = v.kit.b.icmp(IntCond::UGE, node, end);
    v.kit.b.begin_if(has_ended);
    walk.jump_if(v, at_top);
    walk.leave(v);
    v.kit.b.begin_else();
    walk.visit(v, node, end, at_top);
    v.kit.b.end_if();
    v.kit.b.end_loop();
    v.kit.vars.close_loop(v.kit.b.f);
    v.kit.vars.read(&mut v.kit.b, found)
}

/// Makes the traversal end.
pub(super) fn end<'a>(v: &mut Values<'_, 'a>, query: Query<'a>) {
    query.copy(v, BASE, TOP);
    query.copy(v, NODE, TOP_END);
    query.copy(v, END, TOP_END);
}

/// Makes the candidate the committed hit, with these properties and distance. If the ray asks for one hit only, the traversal ends.
pub(super) fn commit<'a>(v: &mut Values<'_, 'a>, query: Query<'a>, properties: Src, distance: Src) {
    query.write(v, FARTHEST, [distance]);
    query.write(v, HIT, [properties]);
    query.copy(v, HIT_INSTANCE, INSTANCE);
    query.copy(v, HIT_LEAF, LEAF);
    let [_, first, second] = query.read(v, PLACE);
    query.write(v, HIT_PLACE, [first, second]);
    let [flags] = query.read(v, FLAGS);
    let is_enough = has(&mut v.kit.b, flags, RayFlags::TERMINATE_ON_FIRST_HIT_KHR.bits());
    v.kit.b.begin_if(is_enough);
    end(v, query);
    v.kit.b.begin_else();
    v.kit.b.end_if();
}

/// Whether a word has one of some bits.
pub(super) fn has(b: &mut Builder<'_, '_>, word: Src, bits: u32) -> Src {
    let masked = b.and(word, Src::imm32(bits));
    b.icmp(IntCond::NE, masked, Src::imm32(0))
}

/// The loop of a traversal.
#[derive(Clone, Copy)]
struct Walk<'a> {
    query: Query<'a>,
    /// Whether it has found a candidate.
    found: Variable,
    /// The block after it.
    after: Block,
}

impl<'a> Walk<'a> {
    fn is_at_top(self, v: &mut Values<'_, 'a>) -> Src {
        let ([base], [top]) = (self.query.read(v, BASE), self.query.read(v, TOP));
        v.kit.b.icmp(IntCond::EQ, base, top)
    }

    /// Ends the loop under a condition.
    fn jump_if(self, v: &mut Values<'_, 'a>, condition: Src) {
        v.kit.b.begin_if(condition);
        v.kit.b.jump(self.after);
        v.kit.b.begin_else();
        v.kit.b.end_if();
    }

    /// Returns from the structure of an instance.
    fn leave(self, v: &mut Values<'_, 'a>) {
        let query = self.query;
        query.copy(v, BASE, TOP);
        query.copy(v, NODE, RESUME);
        query.copy(v, END, TOP_END);
        query.copy(v, RAY, WORLD_RAY);
    }

    /// Visits a node of the current structure.
    fn visit(self, v: &mut Values<'_, 'a>, node: Src, end: Src, at_top: Src) {
        let query = self.query;
        let [base] = query.read(v, BASE);
        let address = structure::node(&mut v.kit.b, base, node);
        let [x, y, z, next] = words(v, address, HEADER_BYTES);
        let [to_x, to_y, to_z, leaf] = words(v, address, HEADER_BYTES.saturating_add(16));
        let ray = parts(query.read(v, RAY));
        let [[nearest], [farthest]] = [query.read(v, NEAREST), query.read(v, FARTHEST)];
        let b = &mut v.kit.b;
        let sides = [[x, y, z], [to_x, to_y, to_z]];
        let is_hit = intersection::box_is_hit(b, ray, sides, [nearest, farthest]);
        let is_leaf = b.icmp(IntCond::NE, leaf, Src::imm32(INNER));
        let is_inner = b.not(is_leaf);
        let descends = b.and(is_hit, is_inner);
        let child = b.iadd(node, Src::imm32(1));
        let next = b.select(descends, child, next);
        let is_reached = b.and(is_hit, is_leaf);
        query.write(v, NODE, [next]);
        v.kit.b.begin_if(is_reached);
        v.kit.b.begin_if(at_top);
        let instance = structure::leaf(&mut v.kit.b, base, end, leaf, INSTANCE_BYTES);
        self.enter(v, instance);
        v.kit.b.begin_else();
        let primitive = structure::leaf(&mut v.kit.b, base, end, leaf, LEAF_BYTES);
        self.test(v, primitive);
        v.kit.b.end_if();
        v.kit.b.begin_else();
        v.kit.b.end_if();
    }

    /// Continues in the structure of an instance, if the ray sees it.
    fn enter(self, v: &mut Values<'_, 'a>, instance: Src) {
        let query = self.query;
        let [low, high, custom, _] = words(v, instance, STRUCTURE);
        let ([mask], [flags]) = (query.read(v, MASK), query.read(v, FLAGS));
        let b = &mut v.kit.b;
        let structure = b.collect(Type::B64, &[low, high]);
        let shared = b.and(custom, mask);
        let is_seen = b.icmp(IntCond::NE, shared, Src::imm32(0));
        let exists = b.icmp(IntCond::NE, structure, Src::imm(0, 64));
        let is_entered = b.and(is_seen, exists);
        b.begin_if(is_entered);
        let [nodes, _, kind] = words(v, structure, 0);
        let rows = intersection::rows(v, instance, WORLD_TO_OBJECT);
        let world = query.read(v, WORLD_RAY);
        let b = &mut v.kit.b;
        let ray = intersection::transformed(b, rows, world);
        let is_of_boxes = b.icmp(IntCond::EQ, kind, Src::imm32(StructureKind::Boxes as u32));
        let [boxes, triangles] = [RayFlags::SKIP_AAB_BS_KHR, RayFlags::SKIP_TRIANGLES_KHR];
        let skipped = b.select(is_of_boxes, Src::imm32(boxes.bits()), Src::imm32(triangles.bits()));
        let skipped = b.and(flags, skipped);
        let is_skipped = b.icmp(IntCond::NE, skipped, Src::imm32(0));
        let nodes = b.select(is_skipped, Src::imm32(0), nodes);
        query.copy(v, RESUME, NODE);
        query.write(v, BASE, [structure]);
        query.write(v, NODE, [Src::imm32(0)]);
        query.write(v, END, [nodes]);
        query.write(v, KIND, [kind]);
        query.write(v, RAY, ray);
        query.write(v, INSTANCE, [instance]);
        v.kit.b.begin_else();
        v.kit.b.end_if();
    }

    /// Tests the primitive of a leaf: commits a hit of an opaque triangle, or ends the loop with a candidate.
    fn test(self, v: &mut Values<'_, 'a>, leaf: Src) {
        let query = self.query;
        let [x, y, z, geometry] = words(v, leaf, 0);
        let [instance] = query.read(v, INSTANCE);
        let [word] = words(v, instance, RECORD_OFFSET);
        let ([flags], [kind]) = (query.read(v, FLAGS), query.read(v, KIND));
        let b = &mut v.kit.b;
        let of_instance = b.ushr(word, Src::imm32(INSTANCE_FLAGS));
        let opaque = opacity(b, geometry, of_instance, flags);
        let culled = [RayFlags::CULL_NO_OPAQUE_KHR, RayFlags::CULL_OPAQUE_KHR];
        let [is_clear, is_solid] = culled.map(|flag| has(b, flags, flag.bits()));
        let is_culled = b.select(opaque, is_solid, is_clear);
        let is_left = b.not(is_culled);
        b.begin_if(is_left);
        let is_box = b.icmp(IntCond::EQ, kind, Src::imm32(StructureKind::Boxes as u32));
        let of_opacity = b.select(opaque, Src::imm32(IS_OPAQUE), Src::imm32(0));
        b.begin_if(is_box);
        let properties = v.kit.b.or(of_opacity, Src::imm32(BOX));
        self.offer(v, leaf, properties);
        v.kit.b.begin_else();
        let [second, third] = [16, 32].map(|byte| {
            let [x, y, z, _] = words(v, leaf, byte);
            [x, y, z]
        });
        self.triangle(v, leaf, [[x, y, z], second, third], (of_instance, opaque));
        v.kit.b.end_if();
        v.kit.b.begin_else();
        v.kit.b.end_if();
    }

    /// Tests a triangle, given the flags of its instance and whether it is opaque.
    fn triangle(
        self,
        v: &mut Values<'_, 'a>,
        leaf: Src,
        vertices: [intersection::Vector; 3],
        (of_instance, opaque): (Src, Src),
    ) {
        let query = self.query;
        let ray = parts(query.read(v, RAY));
        let hit = intersection::triangle(&mut v.kit.b, ray, vertices);
        let [[nearest], [farthest]] = [query.read(v, NEAREST), query.read(v, FARTHEST)];
        let [flags] = query.read(v, FLAGS);
        let b = &mut v.kit.b;
        let (is_front, is_culled) = facing(b, &hit, of_instance, flags);
        let is_far_enough = b.fcmp(FloatCond::GE, hit.distance, nearest);
        let is_near_enough = b.fcmp(FloatCond::LE, hit.distance, farthest);
        let in_range = b.and(is_far_enough, is_near_enough);
        let is_hit = b.and(hit.is_hit, in_range);
        let is_left = b.not(is_culled);
        let is_hit = b.and(is_hit, is_left);
        b.begin_if(is_hit);
        let front = b.select(is_front, Src::imm32(FRONT | TRIANGLE), Src::imm32(TRIANGLE));
        let [first, second] = hit.weights;
        query.write(v, PLACE, [hit.distance, first, second]);
        v.kit.b.begin_if(opaque);
        query.write(v, LEAF, [leaf]);
        commit(v, query, front, hit.distance);
        v.kit.b.begin_else();
        self.offer(v, leaf, front);
        v.kit.b.end_if();
        v.kit.b.begin_else();
        v.kit.b.end_if();
    }

    /// Ends the loop with a candidate.
    fn offer(self, v: &mut Values<'_, 'a>, leaf: Src, properties: Src) {
        self.query.write(v, LEAF, [leaf]);
        self.query.write(v, CANDIDATE, [properties]);
        v.kit.vars.write(&v.kit.b, self.found, Src::bool(true));
        v.kit.b.jump(self.after);
    }
}

/// Whether a geometry is opaque for a ray. The flags of the instance replace those of the geometry, and the flags of the ray
/// both.
fn opacity(b: &mut Builder<'_, '_>, geometry: Src, of_instance: Src, flags: Src) -> Src {
    let own = has(b, geometry, OPAQUE);
    let sources = [
        (of_instance, instance_flags::NOT_OPAQUE, instance_flags::OPAQUE),
        (flags, RayFlags::NO_OPAQUE_KHR.bits(), RayFlags::OPAQUE_KHR.bits()),
    ];
    sources.into_iter().fold(own, |known, (word, clear, solid)| {
        let [is_clear, is_solid] = [clear, solid].map(|bit| has(b, word, bit));
        let known = b.select(is_clear, Src::bool(false), known);
        b.select(is_solid, Src::bool(true), known)
    })
}

/// Whether the front of a triangle is hit, and whether the ray ignores that side.
fn facing(b: &mut Builder<'_, '_>, hit: &Hit, of_instance: Src, flags: Src) -> (Src, Src) {
    let is_flipped = has(b, of_instance, instance_flags::FLIPPED);
    let is_front = b.xor(hit.is_clockwise, is_flipped);
    let culled = [RayFlags::CULL_FRONT_FACING_TRIANGLES_KHR, RayFlags::CULL_BACK_FACING_TRIANGLES_KHR];
    let [fronts, backs] = culled.map(|flag| has(b, flags, flag.bits()));
    let is_culled = b.select(is_front, fronts, backs);
    let has_two_sides = has(b, of_instance, instance_flags::TWO_SIDED);
    let has_one_side = b.not(has_two_sides);
    (is_front, b.and(is_culled, has_one_side))
}

const _: () = assert!(CUSTOM == STRUCTURE + 8 && RECORD_OFFSET == STRUCTURE + 12);

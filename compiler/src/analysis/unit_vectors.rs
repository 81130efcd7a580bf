//! Dot products of unit vectors, which lie between -1 and 1.
//!
//! A normalised vector has components c · r with r = rsqrt(sum of the squares of all c). The reflection of one
//! unit vector by another, l − 2(n · l)n or its negation, is a unit vector too.

use agx_isa::table::Opcode;
use arrayvec::ArrayVec;

use crate::ir::{Function, IrOp, Op, Src};

/// Maximum number of components of a vector.
const MAX_COMPONENTS: usize = 4;

/// Maximum number of scales whose vectors are remembered: a product is of two vectors, each of which may be a reflection.
const MAX_SCALES: usize = 4;

/// A component of a unit vector, or its negation.
#[derive(Clone, Copy)]
struct Component {
    /// The factor that all components of the vector share.
    vector: Src,
    /// What distinguishes it from the other components.
    name: Src,
    negative: bool,
}

/// A product of two components.
struct Product {
    a: Component,
    b: Component,
}

impl Product {
    fn is_negative(&self, of: bool) -> bool {
        of ^ self.a.negative ^ self.b.negative
    }
}

/// Factors with a sign.
struct Term {
    factors: [Src; 2],
    negative: bool,
}

/// The numbers of whose squares each scale is the reciprocal square root, found once for all components of its vector.
#[derive(Default)]
struct Squares {
    known: ArrayVec<(Src, Option<ArrayVec<Src, MAX_COMPONENTS>>), MAX_SCALES>,
}

impl Squares {
    fn of(&mut self, f: &Function<'_>, scale: Src) -> Option<&[Src]> {
        f.def(scale).filter(|data| data.op == Op::Hw(Opcode::Rsqrt))?;
        let at = self.known.iter().position(|(known, _)| *known == scale).unwrap_or_else(|| {
            // The first one is looked for least.
            if self.known.is_full() {
                self.known.remove(0);
            }
            self.known.push((scale, squares(f, scale)));
            self.known.len() - 1
        });
        self.known[at].1.as_deref()
    }
}

/// Whether the size of `src` is at most one, except for rounding: a component of a unit vector, or the dot product of
/// two.
pub fn is_at_most_one(f: &Function<'_>, src: Src) -> bool {
    let (src, _) = without_sign(f, src);
    let makes = f.def(src).map(|data| data.op);
    if !matches!(makes, Some(Op::Hw(Opcode::Fadd | Opcode::Fmul | Opcode::Ffma))) {
        return false;
    }
    let mut squares = Squares::default();
    if component(f, src, &mut squares).is_some() {
        return true;
    }
    let Some(terms) = terms(f, src) else { return false };
    let Some(first) = pair(f, &terms[0], None, component, &mut squares) else { return false };
    let vectors = (first.a.vector, first.b.vector);
    let (mut left, mut right) = (ArrayVec::from_iter([first.a.name]), ArrayVec::from_iter([first.b.name]));
    for term in &terms[1..] {
        let product = pair(f, term, Some(vectors), component, &mut squares);
        let Some(Product { a, b }) = product else { return false };
        if !add(&mut left, a.name) || !add(&mut right, b.name) {
            return false;
        }
    }
    true
}

/// Adds a name unless it is known already.
fn add(names: &mut ArrayVec<Src, MAX_COMPONENTS>, name: Src) -> bool {
    !names.contains(&name) && names.try_push(name).is_ok()
}

/// The terms of a sum of products.
fn terms(f: &Function<'_>, sum: Src) -> Option<ArrayVec<Term, MAX_COMPONENTS>> {
    let mut found = ArrayVec::new();
    let mut left: ArrayVec<(Src, bool), MAX_COMPONENTS> = ArrayVec::from_iter([(sum, false)]);
    while let Some((src, negative)) = left.pop() {
        let data = f.def(src)?;
        match (data.op, data.srcs) {
            (Op::Ir(IrOp::Fneg), [a]) => left.push((*a, !negative)),
            (Op::Hw(Opcode::Fadd), [a, b]) => {
                left.push((*a, negative));
                left.try_push((*b, negative)).ok()?;
            }
            (Op::Hw(Opcode::Fmul), [a, b]) => found.try_push(Term { factors: [*a, *b], negative }).ok()?,
            (Op::Hw(Opcode::Ffma), [a, b, c]) => {
                found.try_push(Term { factors: [*a, *b], negative }).ok()?;
                left.push((*c, negative));
            }
            _ => return None,
        }
    }
    Some(found)
}

/// The component of a unit vector that `src` is.
fn component(f: &Function<'_>, src: Src, squares: &mut Squares) -> Option<Component> {
    scaled(f, src, squares).or_else(|| reflected(f, src, squares))
}

/// A component of a normalised vector.
fn scaled(f: &Function<'_>, src: Src, squares: &mut Squares) -> Option<Component> {
    let (src, negative) = without_sign(f, src);
    let data = f.def(src).filter(|data| data.op == Op::Hw(Opcode::Fmul))?;
    let [a, b] = *data.srcs else { return None };
    let is_scale = |src: Src| f.def(src).is_some_and(|data| data.op == Op::Hw(Opcode::Rsqrt));
    let (name, vector) = if is_scale(b) { (a, b) } else { (b, a) };
    squares.of(f, vector)?.contains(&name).then_some(Component { vector, name, negative })
}

/// The numbers of whose squares `scale` is the reciprocal square root.
fn squares(f: &Function<'_>, scale: Src) -> Option<ArrayVec<Src, MAX_COMPONENTS>> {
    let data = f.def(scale).filter(|data| data.op == Op::Hw(Opcode::Rsqrt))?;
    let square =
        |term: &Term| (term.factors[0] == term.factors[1] && !term.negative).then_some(term.factors[0]);
    terms(f, data.srcs[0])?.iter().map(square).collect()
}

/// A component of the reflection of a normalised vector by another.
fn reflected(f: &Function<'_>, src: Src, squares: &mut Squares) -> Option<Component> {
    let (src, negative) = without_sign(f, src);
    let data = f.def(src)?;
    let candidates = match (data.op, data.srcs) {
        (Op::Hw(Opcode::Ffma), [a, b, c]) => [Some(([*a, *b], *c)), None],
        (Op::Hw(Opcode::Fadd), [x, y]) => [(x, y), (y, x)].map(|(product, rest)| {
            let data = f.def(*product).filter(|data| data.op == Op::Hw(Opcode::Fmul))?;
            Some(([data.srcs[0], data.srcs[1]], *rest))
        }),
        _ => return None,
    };
    candidates.into_iter().flatten().find_map(|([a, b], rest)| {
        let rest = scaled(f, rest, squares)?;
        [(a, b), (b, a)].into_iter().find_map(|(normal, scale)| {
            let normal = scaled(f, normal, squares)?;
            let (scale, opposite) = without_sign(f, scale);
            let dot_is_negative = doubles_dot(f, scale, normal, rest, squares)?;
            // The doubled projection is subtracted.
            let is_reflection = opposite ^ dot_is_negative ^ normal.negative != rest.negative;
            is_reflection.then_some(Component { vector: scale, name: normal.name, negative })
        })
    })
}

/// Whether `scale` is twice the negated dot product of the vectors of two components in the same place; `None` if it is
/// not twice their dot product.
fn doubles_dot(
    f: &Function<'_>,
    scale: Src,
    normal: Component,
    ray: Component,
    squares: &mut Squares,
) -> Option<bool> {
    let data = f.def(scale)?;
    let dot = match (data.op, data.srcs) {
        (Op::Hw(Opcode::Fadd), [a, b]) if a == b => *a,
        (Op::Hw(Opcode::Fmul), [a, two]) if two.as_imm() == Some(2f32.to_bits().into()) => *a,
        _ => return None,
    };
    let terms = terms(f, dot)?;
    let products: ArrayVec<Product, MAX_COMPONENTS> = terms
        .iter()
        .map(|term| pair(f, term, Some((normal.vector, ray.vector)), scaled, squares))
        .collect::<Option<_>>()?;
    let is_place = |product: &Product| product.a.name == normal.name && product.b.name == ray.name;
    let negative = products[0].is_negative(terms[0].negative);
    let agree =
        products.iter().zip(&terms).all(|(product, term)| product.is_negative(term.negative) == negative);
    let distinct =
        (1..products.len()).all(|at| products[..at].iter().all(|other| other.a.name != products[at].a.name));
    let mut is_whole = |vector| squares.of(f, vector).is_some_and(|names| names.len() == terms.len());
    let fits = is_whole(normal.vector) && is_whole(ray.vector) && products.iter().any(is_place);
    (fits && agree && distinct).then_some(negative)
}

/// A term as a product of components of two vectors, in the order of `vectors`, if they are given.
fn pair(
    f: &Function<'_>,
    term: &Term,
    vectors: Option<(Src, Src)>,
    component: fn(&Function<'_>, Src, &mut Squares) -> Option<Component>,
    squares: &mut Squares,
) -> Option<Product> {
    let [a, b] = [component(f, term.factors[0], squares)?, component(f, term.factors[1], squares)?];
    match vectors {
        Some(vectors) if vectors == (a.vector, b.vector) => Some(Product { a, b }),
        Some(vectors) if vectors == (b.vector, a.vector) => Some(Product { a: b, b: a }),
        Some(_) => None,
        None => Some(Product { a, b }),
    }
}

/// The source without negations, and whether they change its sign.
fn without_sign(f: &Function<'_>, mut src: Src) -> (Src, bool) {
    let mut negative = false;
    while let Some(data) = f.def(src).filter(|data| data.op == Op::Ir(IrOp::Fneg)) {
        (src, negative) = (data.srcs[0], !negative);
    }
    (src, negative)
}

//! Constructs: ifs, loops, scopes, and jumps out of them over any number of levels.

use super::operations::Kind;
use super::writer::Writer;
use crate::entropy::Entropy;

/// The source block of an edge, and the values for its phis, by carried kind.
type Edge = (u32, Vec<String>);

/// A construct around the current block.
pub(super) struct Exit {
    /// The first block of a loop, with the next value of its counter; `None` for a scope.
    header: Option<(u32, String)>,
    /// Jumps to the header.
    continues: Vec<Edge>,
    /// The block after the construct.
    behind: u32,
    /// Jumps to it.
    breaks: Vec<Edge>,
    /// Kinds of the values that jumps carry.
    carried: Vec<Kind>,
}

/// The end of an arm of an if.
enum End {
    /// It falls through to the end of the if.
    Falls(u32),
    /// It jumps elsewhere.
    Leaves,
}

impl Writer {
    /// Kinds that a construct carries: integers, and some others.
    fn any_carried(entropy: &mut Entropy<'_>) -> Vec<Kind> {
        let some = entropy.byte();
        Kind::ALL.into_iter().filter(|kind| *kind == Kind::Int || some >> *kind as u8 & 1 == 1).collect()
    }

    fn any_values(&self, carried: &[Kind], entropy: &mut Entropy<'_>) -> Vec<String> {
        carried.iter().map(|kind| self.latest(*kind, entropy)).collect()
    }

    /// Phis of the block that begins here.
    fn phis(&mut self, carried: &[Kind], edges: &[Edge]) {
        for (index, kind) in carried.iter().enumerate() {
            let sources: Vec<String> =
                edges.iter().map(|(block, values)| format!("b{block}: {}", values[index])).collect();
            self.value(*kind, "phi", &[sources.join(", ")]);
        }
    }

    /// An if with both arms, each with its own body; at most one of them jumps out.
    pub(super) fn branch(&mut self, entropy: &mut Entropy<'_>) {
        let condition = self.condition(entropy);
        let carried = Self::any_carried(entropy);
        let outside = self.pools.clone();
        let leaving = entropy.below(4);
        self.depth += 1;
        let mut edges = Vec::new();
        for (arm, opening) in [format!("if {condition} {{"), String::from("} else {")].iter().enumerate() {
            self.line(opening);
            let block = self.new_block();
            self.begin_block(block);
            self.body(entropy, 3);
            let values = self.any_values(&carried, entropy);
            let end = if leaving == arm { self.leave(entropy) } else { End::Falls(self.block) };
            if let End::Falls(block) = end {
                edges.push((block, values));
            }
            self.pools.clone_from(&outside);
        }
        self.depth -= 1;
        self.line("}");
        let block = self.new_block();
        self.begin_block(block);
        self.phis(&carried, &edges);
    }

    /// Ends an arm with a jump or the end of the lane.
    fn leave(&mut self, entropy: &mut Entropy<'_>) -> End {
        if self.exits.is_empty() || entropy.below(12) == 0 {
            if entropy.flip() {
                self.line("halt");
                return End::Leaves;
            }
            return End::Falls(self.block);
        }
        let level = entropy.below(self.exits.len());
        let carried = self.exits[level].carried.clone();
        let mut values = self.any_values(&carried, entropy);
        let block = self.block;
        let exit = &mut self.exits[level];
        let target = match exit.header.clone().filter(|_| entropy.flip()) {
            Some((header, next)) => {
                values.push(next);
                exit.continues.push((block, values));
                header
            }
            None => {
                exit.breaks.push((block, values));
                exit.behind
            }
        };
        self.line(&format!("jump b{target}"));
        End::Leaves
    }

    /// A scope, with jumps out of it.
    pub(super) fn scope(&mut self, entropy: &mut Entropy<'_>) {
        let carried = Self::any_carried(entropy);
        let outside = self.pools.clone();
        let (inside, behind) = (self.new_block(), self.new_block());
        self.exits.push(Exit {
            header: None,
            continues: Vec::new(),
            behind,
            breaks: Vec::new(),
            carried: carried.clone(),
        });
        self.depth += 1;
        self.line("scope {");
        self.begin_block(inside);
        self.body(entropy, 4);
        let end = (self.block, self.any_values(&carried, entropy));
        self.depth -= 1;
        let mut edges = self.exits.pop().map(|exit| exit.breaks).unwrap_or_default();
        edges.push(end);
        self.pools = outside;
        self.line("}");
        self.begin_block(behind);
        self.phis(&carried, &edges);
    }

    /// A loop with up to seven iterations and loop-carried values; its bound is a constant or depends on the lane.
    pub(super) fn counted_loop(&mut self, entropy: &mut Entropy<'_>) {
        let carried = Self::any_carried(entropy);
        let bound = match entropy.flip() {
            true => format!("#{}", entropy.below(6)),
            false => {
                let number = self.latest(Kind::Int, entropy);
                self.unnamed(Kind::Int, "bitop table=8", &[number, "#7".into()])
            }
        };
        let mut first = self.any_values(&carried, entropy);
        first.push("#0".into());
        let before = self.block;
        let outside = self.pools.clone();
        let (header, behind) = (self.new_block(), self.new_block());
        self.depth += 1;
        self.line("loop {");
        self.begin_block(header);
        let phis_at = self.text.len();
        let names: Vec<String> = carried.iter().map(|_| self.new_value()).collect();
        for (kind, name) in carried.iter().zip(&names) {
            self.pools[*kind as usize].push(name.clone());
        }
        let count = self.new_value();
        let next = self.unnamed(Kind::Int, "iadd", &[count.clone(), "#1".into()]);
        self.exits.push(Exit {
            header: Some((header, next.clone())),
            continues: Vec::new(),
            behind,
            breaks: Vec::new(),
            carried: carried.clone(),
        });
        self.guard(&count, &bound, &names, behind);
        self.body(entropy, 4);
        let mut last = self.any_values(&carried, entropy);
        last.push(next);
        let Some(exit) = self.exits.pop() else { return };
        let mut edges = vec![(before, first)];
        edges.extend(exit.continues);
        edges.push((self.block, last));
        let phis = header_phis(&carried, &names, &count, &edges);
        self.text.insert_str(phis_at, &phis);
        self.depth -= 1;
        self.pools = outside;
        self.line("}");
        self.begin_block(behind);
        self.phis(&carried, &exit.breaks);
    }

    /// Leaves the innermost loop if its counter has reached the bound.
    fn guard(&mut self, count: &str, bound: &str, names: &[String], behind: u32) {
        let done = self.unnamed(Kind::Bool, "icmp cond=ult inv=1", &[count.into(), bound.into()]);
        self.line(&format!("if {done} {{"));
        let [leaving, staying, body] = [0; 3].map(|_| self.new_block());
        self.begin_block(leaving);
        self.line(&format!("jump b{behind}"));
        self.line("} else {");
        self.begin_block(staying);
        self.line("}");
        self.begin_block(body);
        if let Some(exit) = self.exits.last_mut() {
            exit.breaks.push((leaving, names.to_vec()));
        }
    }
}

/// The phis of a loop's first block; the counter's is last in every edge.
fn header_phis(carried: &[Kind], names: &[String], count: &str, edges: &[Edge]) -> String {
    let kinds = carried.iter().copied().chain([Kind::Int]);
    let names = names.iter().map(String::as_str).chain([count]);
    let mut text = String::new();
    for (index, (kind, name)) in kinds.zip(names).enumerate() {
        let sources: Vec<String> =
            edges.iter().map(|(block, values)| format!("b{block}: {}", values[index])).collect();
        text.push_str(&format!("    {name}:{} = phi {}\n", kind.bits(), sources.join(", ")));
    }
    text
}

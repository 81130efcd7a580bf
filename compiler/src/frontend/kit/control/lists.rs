//! Lists of nodes, one per node, in one allocation.

use std::ops::Index;

use crate::ir::rows::Rows;

/// A node: the index of a block, or the number of blocks for the exit, to which all returns lead.
pub type Node = usize;

/// A list of nodes for each node.
pub struct Lists {
    nodes: Vec<Node>,
    /// Start of each node's list; the last list ends at the last entry.
    starts: Vec<usize>,
}

impl Lists {
    /// No lists, with capacity for `lists` lists with `nodes` entries in total.
    pub fn with_capacity(lists: usize, nodes: usize) -> Self {
        let mut starts = Vec::with_capacity(lists.saturating_add(1));
        starts.push(0);
        Lists { nodes: Vec::with_capacity(nodes), starts }
    }

    /// Appends the list of the next node.
    pub fn push(&mut self, list: impl IntoIterator<Item = Node>) {
        self.nodes.extend(list);
        self.starts.push(self.nodes.len());
    }

    /// Number of lists.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// For each node, the nodes whose lists contain it, in the order of `of`: the reversed edges.
    pub fn reversed(&self, of: &[Node]) -> Lists {
        let edges = || of.iter().flat_map(|from| self[*from].iter().map(|to| (*from, *to)));
        let mut starts = Rows::filled(self.starts.len(), 0usize);
        for (_, to) in edges() {
            let count = &mut starts[to.saturating_add(1)];
            *count = count.saturating_add(1);
        }
        for node in 1..starts.len() {
            starts[node] = starts[node].saturating_add(starts[node.saturating_sub(1)]);
        }
        let mut nodes = Rows::filled(starts.iter().last().copied().unwrap_or(0), 0);
        let mut ends = starts.clone();
        for (from, to) in edges() {
            nodes[ends[to]] = from;
            ends[to] = ends[to].saturating_add(1);
        }
        Lists { nodes: nodes.into_vec(), starts: starts.into_vec() }
    }
}

impl Index<Node> for Lists {
    type Output = [Node];

    fn index(&self, node: Node) -> &[Node] {
        match (self.starts.get(node), self.starts.get(node.saturating_add(1))) {
            (Some(start), Some(end)) => self.nodes.get(*start..*end).unwrap_or(&[]),
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_reversed_in_order() {
        let mut lists = Lists::with_capacity(3, 4);
        lists.push([2, 1]);
        lists.push([2]);
        lists.push([0]);
        assert_eq!((lists.len(), &lists[0], &lists[2]), (3, &[2, 1][..], &[0][..]));
        let reversed = lists.reversed(&[1, 0, 2]);
        assert_eq!((&reversed[0], &reversed[1], &reversed[2]), (&[2][..], &[0][..], &[1, 0][..]));
        // Nodes that are not in `of` have no edges.
        assert!(lists.reversed(&[0])[0].is_empty());
    }
}

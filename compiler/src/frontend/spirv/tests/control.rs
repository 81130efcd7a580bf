//! Random control flow: the structured function must behave like a walk over the graph.

use agx_random::Random;

use super::*;
use crate::error::ErrorKind;
use crate::ir::{Seam, UnrollHint};

/// How a block ends.
enum End {
    Return,
    Branch(usize),
    If(usize, usize),
    /// Targets by the remainder of the state; the last one is the default.
    Switch(Vec<usize>),
}

/// A graph; block 0 is the entry, the last block returns.
struct Graph {
    ends: Vec<End>,
    /// The block counts down, and returns when the count reaches 0: every cycle contains such a block.
    counts: Vec<bool>,
}

impl Graph {
    fn random(random: &mut Random) -> Graph {
        let count = 3 + random.below(8);
        let mut graph = Graph { ends: Vec::new(), counts: vec![false; count] };
        for block in 0..count - 1 {
            let mut target = || match random.below(4) {
                0 => 1 + random.below(count - 1),
                _ => (block + 1 + random.below(3)).min(count - 1),
            };
            let (a, b, c) = (target(), target(), target());
            graph.ends.push(match random.below(8) {
                0 => End::Return,
                1 | 2 => End::Branch(a),
                3..=5 => End::If(a, b),
                _ => End::Switch(vec![a, b, c, a]),
            });
        }
        graph.ends.push(End::Return);
        for block in 0..count {
            for target in graph.targets(block) {
                graph.counts[target] |= target <= block;
            }
        }
        graph
    }

    fn targets(&self, block: usize) -> Vec<usize> {
        match &self.ends[block] {
            End::Return => Vec::new(),
            End::Branch(a) => vec![*a],
            End::If(a, b) => vec![*a, *b],
            End::Switch(list) => list.clone(),
        }
    }

    fn preds(&self, block: usize) -> Vec<usize> {
        (0..self.ends.len()).filter(|pred| self.targets(*pred).contains(&block)).collect()
    }

    /// The body of the entry point: every block modifies a state depending on its number and its predecessor.
    fn text(&self) -> String {
        let mut text = String::from("Variable %local %state 7\nVariable %local %left 7\n");
        text += "AccessChain %ptr %in %data #0 #0\nLoad %uint %start %in\nStore %state %start\nStore %left #20\nBranch %b0\n";
        for block in 0..self.ends.len() {
            text += &format!("Label %b{block}\n");
            let preds = self.preds(block);
            let pairs: String = preds.iter().map(|pred| format!(" #{} %e{pred}", 100 + pred)).collect();
            let from = if block == 0 { "#7".to_string() } else { format!("%from{block}") };
            if block != 0 {
                text += &format!("Phi %uint %from{block}{pairs}\n");
            }
            text += &format!(
                "Load %uint %s{block} %state\nIMul %uint %m{block} %s{block} #33\nIAdd %uint %n{block} %m{block} {from}\n\
                 IAdd %uint %x{block} %n{block} #{block}\nStore %state %x{block}\n"
            );
            if self.counts[block] {
                text += &format!(
                    "Load %uint %l{block} %left\nISub %uint %k{block} %l{block} #1\nStore %left %k{block}\n\
                     IEqual %bool %z{block} %l{block} #0\nBranchConditional %z{block} %out %e{block}\n"
                );
            } else {
                text += &format!("Branch %e{block}\n");
            }
            text += &format!("Label %e{block}\nShiftRightLogical %uint %h{block} %x{block} #5\n");
            text += &self.end_text(block);
        }
        text += "Label %out\nAccessChain %ptr %o %data #0 #0\nLoad %uint %r %state\nStore %o %r\nReturn\n";
        text
    }

    fn end_text(&self, block: usize) -> String {
        match &self.ends[block] {
            End::Return => "Branch %out\n".into(),
            End::Branch(a) => format!("Branch %b{a}\n"),
            End::If(a, b) => format!(
                "BitwiseAnd %uint %w{block} %h{block} #1\nINotEqual %bool %c{block} %w{block} #0\n\
                 BranchConditional %c{block} %b{a} %b{b}\n"
            ),
            End::Switch(list) => format!(
                "UMod %uint %w{block} %h{block} #4\nSwitch %w{block} %b{} 0 %b{} 1 %b{} 2 %b{}\n",
                list[3], list[0], list[1], list[2]
            ),
        }
    }

    fn walk(&self, start: u32) -> u32 {
        let (mut state, mut left, mut block, mut from) = (start, 20u32, 0usize, 7u32);
        loop {
            state = state.wrapping_mul(33).wrapping_add(from).wrapping_add(block as u32);
            if self.counts[block] {
                if left == 0 {
                    return state;
                }
                left -= 1;
            }
            let hash = state >> 5;
            from = 100 + block as u32;
            block = match &self.ends[block] {
                End::Return => return state,
                End::Branch(a) => *a,
                End::If(a, b) => {
                    if hash & 1 != 0 {
                        *a
                    } else {
                        *b
                    }
                }
                End::Switch(list) => list[(hash % 4) as usize],
            };
        }
    }
}

#[test]
fn random_graphs_behave_like_a_walk() {
    let mut random = Random::new(2022);
    let (mut ran, mut refused) = (0, 0);
    for _ in 0..250 {
        let graph = Graph::random(&mut random);
        let text = with_body("", &graph.text());
        for start in [0, 1, 0xdead_beef] {
            match run(&text, &[start]) {
                Ok(data) => assert_eq!(data, [graph.walk(start)], "start {start}\n{text}"),
                Err(error)
                    if error.kind() == ErrorKind::Unsupported && error.message().contains("irreducible") =>
                {
                    refused += 1;
                    break;
                }
                Err(error) => panic!("{error}\n{text}"),
            }
            ran += 1;
        }
    }
    assert!(ran > 400 && refused > 0, "{ran} runs, {refused} irreducible graphs");
}

#[test]
fn an_early_return_continues_after_the_call() {
    let text = "
        TypeFunction %unary %uint %uint
        Function %uint %pick 0 %unary
        FunctionParameter %uint %x
        Label %head
        ULessThan %bool %small %x #10
        BranchConditional %small %early %late
        Label %early
        ReturnValue #1
        Label %late
        IMul %uint %double %x #2
        ReturnValue %double
        FunctionEnd
        Function %void %main 0 %thunk
        Label %entry
        AccessChain %ptr %p0 %data #0 #0
        AccessChain %ptr %p1 %data #0 #1
        Load %uint %a %p0
        Load %uint %b %p1
        FunctionCall %uint %fa %pick %a
        FunctionCall %uint %fb %pick %b
        Store %p0 %fa
        Store %p1 %fb
        Return
        FunctionEnd";
    assert_eq!(run(text, &[5, 50]), Ok(vec![1, 100]));
}

/// Code that constants make unreachable is not translated, so it may contain unsupported instructions.
#[test]
fn arms_that_constants_make_unreachable_are_not_translated() {
    let body = "
        AccessChain %ptr %p %data #0 #0
        Load %uint %x %p
        IEqual %bool %never #1 #2
        BranchConditional %never %dead %live
        Label %dead
        EmitVertex
        FunctionCall %void %ignored %unsupported
        Branch %loop
        Label %loop
        IEqual %bool %again %x #7
        BranchConditional %again %loop %join
        Label %live
        IAdd %uint %more %x #1
        Branch %join
        Label %join
        Phi %uint %r #9 %loop %more %live
        Store %p %r
        Return
        FunctionEnd
        Function %void %unsupported 0 %thunk
        Label %inside
        EmitVertex
        Return";
    check("", body, &[5], &[6]);
}

/// A switch on a constant keeps one case; a loop that is left immediately stays well formed.
#[test]
fn a_switch_on_a_constant_keeps_one_case() {
    let body = "
        AccessChain %ptr %p %data #0 #0
        IAdd %uint %two #1 #1
        Branch %head
        Label %head
        Phi %uint %i #0 %entry %next %latch
        Switch %two %other 1 %one 2 %pair
        Label %one
        EmitVertex
        Branch %latch
        Label %other
        EmitVertex
        Branch %latch
        Label %pair
        IAdd %uint %next_i %i #1
        ULessThan %bool %more %next_i #4
        BranchConditional %more %latch %out
        Label %latch
        Phi %uint %next %i %one %i %other %next_i %pair
        Branch %head
        Label %out
        Store %p %next_i
        Return";
    check("", body, &[0], &[4]);
}

/// What the module says about its only loop, whose merge instruction has the control mask `mask`.
fn hint(mask: u32) -> Option<UnrollHint> {
    let bump = Bump::new();
    let body = format!(
        "Branch %head\nLabel %head\nPhi %uint %i #0 %entry %j %next\nLoopMerge %after %next {mask}\nBranch %test\nLabel %test\n\
         ULessThan %bool %more %i #8\nBranchConditional %more %next %after\nLabel %next\nIAdd %uint %j %i #1\nBranch %head\n\
         Label %after\nReturn"
    );
    let (f, _) = read(&bump, &assemble(&with_body("", &body)), &CompileKey::default(), SPIRV).expect("reads");
    let header =
        f.layout.iter().position(|segment| segment.seam == Seam::Loop).map(|at| f.layout[at + 1].block);
    f.declared.unroll_hints[header.expect("the loop has a header")]
}

#[test]
fn control_masks_of_loops_become_hints() {
    assert_eq!(hint(0), None);
    assert_eq!(hint(1), Some(UnrollHint::Unroll));
    assert_eq!(hint(2), Some(UnrollHint::Keep));
    // Contradictory, or about something else.
    assert_eq!([hint(3), hint(4)], [None; 2]);
}

//! Spans of passes name what runs. These tests have a process of their own: the first thread to reach a span decides for
//! all threads whether it is recorded, so every compilation of the process must have a subscriber.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

use agx_compiler::CompileKey;
use agx_compiler::internal::Context;
use agx_compiler::internal::ir::parse;
use agx_compiler::internal::pipeline::{Options, PASSES, run};
use agx_random::{Entropy, Random, kernel::any_kernel};
use agx_tests::corpus::Item;
use agx_tests::pass_cost::measure;
use agx_tests::shapes::{Builder, SHAPES};
use agx_tests::spirv_scan::EntryPoint;
use bumpalo::Bump;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// The names of the passes that ran.
#[derive(Default)]
struct Names(Mutex<BTreeSet<String>>);

impl Visit for &Names {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "name" {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(value.to_owned());
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}

impl Subscriber for Names {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut &*self);
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// The passes that run on some kernels if those in `disabled` do not.
fn passes_without(disabled: &[String]) -> BTreeSet<String> {
    let names = Arc::new(Names::default());
    tracing::subscriber::with_default(names.clone(), || {
        for seed in 0..4 {
            let (bump, key) = (Bump::new(), CompileKey::default());
            let text = any_kernel(&mut Entropy::new(&Random::new(seed).bytes(384))).text;
            let mut f = parse(&bump, &text).expect("a kernel").remove(0);
            let mut context = Context::new(Default::default(), &key);
            // With the validator, passes run whether or not the function has operations that they act on.
            let options = Options { disabled, validate: true, ..Options::default() };
            run(&mut f, &mut context, options).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        }
    });
    let names = names.0.lock().unwrap_or_else(PoisonError::into_inner);
    names.clone()
}

#[test]
fn a_disabled_pass_never_runs() {
    let all = passes_without(&[]);
    for pass in PASSES.iter().filter(|pass| pass.optional) {
        assert!(all.contains(pass.name), "{} does not run, only {all:?}", pass.name);
        let without = passes_without(&[pass.name.to_owned()]);
        assert!(!without.contains(pass.name), "{} runs although it is disabled", pass.name);
    }
}

#[test]
fn each_pass_has_a_row() {
    let (name, shape) = SHAPES[0];
    let entry = EntryPoint { stage: Some(agx_abi::Stage::Compute), name: "main".into() };
    let item = Item { file: name.into(), entry, several: false, module: Builder::module(shape, 8) };
    let rows = measure(&[item], 2);
    for part in ["front end and statistics", "opt_simplify", "opt_dce", "schedule_pressure", "emission"] {
        assert!(rows.iter().any(|row| row.name == part && row.calls > 0), "{part}: {rows:?}");
    }
}

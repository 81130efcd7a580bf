//! Every external vector decodes and encodes to the same bytes; single-bit changes do too or are errors.
//!
//! The vectors are instructions of programs that Mesa 25.0.7 compiled. Their folder is `$AGX_SHARED`, or next
//! to the workspace.

#![expect(clippy::unwrap_used, reason = "tests")]

mod agx2_cases;

use std::collections::BTreeSet;
use std::path::PathBuf;

use agx_isa::asm::parse_inst;
use agx_isa::dialect::{Agreement, compare};
use agx_isa::{INSTS, decode, encode};

fn vectors() -> Option<String> {
    let shared = std::env::var_os("AGX_SHARED").map(PathBuf::from);
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let path = shared.unwrap_or(beside).join("vectors/encoding.tsv");
    let text = std::fs::read_to_string(&path).ok();
    if text.is_none() {
        #[expect(clippy::print_stderr, reason = "a test says what it skips")]
        {
            eprintln!("skipped: no {}", path.display());
        }
    }
    text
}

fn lines(text: &str) -> impl Iterator<Item = (Vec<u8>, &str, &str)> {
    text.lines().skip(1).map(|line| {
        let mut columns = line.split('\t');
        let hex = columns.next().unwrap_or_default();
        let bytes = (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap());
        (bytes.collect(), columns.next().unwrap_or_default(), columns.next().unwrap_or_default())
    })
}

#[test]
fn every_vector_round_trips() {
    let Some(text) = vectors() else { return };
    let mut failures = Vec::new();
    for (bytes, _, expected) in lines(&text) {
        match decode(&bytes) {
            Err(error) => failures.push(format!("{bytes:02x?} {expected}: {error}")),
            Ok((inst, len)) => {
                let again = encode(&inst);
                if len != bytes.len() || again.as_deref() != Ok(&bytes[..]) {
                    failures.push(format!("{bytes:02x?} {expected}: {len} bytes, {again:02x?}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn changed_bits_round_trip_or_are_errors() {
    let Some(text) = vectors() else { return };
    for (bytes, _, _) in lines(&text) {
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            if let Ok((inst, len)) = decode(&changed) {
                assert_eq!(&*encode(&inst).unwrap(), &changed[..len], "{bytes:02x?} bit {bit}");
            }
        }
    }
}

#[test]
fn text_assembles_to_the_same_bytes() {
    let Some(text) = vectors() else { return };
    for (bytes, _, expected) in lines(&text) {
        let (inst, _) = decode(&bytes).unwrap();
        let text = inst.to_string();
        let again = parse_inst(&text).unwrap_or_else(|error| panic!("{expected}: {text}: {error}"));
        assert_eq!(&*encode(&again).unwrap(), &bytes[..], "{expected}: {text}");
        assert_eq!(again.to_string(), text);
    }
}

#[test]
fn rows_record_whether_an_external_encoding_is_known() {
    let Some(text) = vectors() else { return };
    let cases = agx2_cases::CASES.iter().map(|(hex, _)| agx2_cases::bytes(hex));
    let seen: BTreeSet<&str> = lines(&text)
        .map(|(bytes, _, _)| bytes)
        .chain(cases)
        .map(|bytes| decode(&bytes).unwrap().0.op.name())
        .collect();
    let wrong: Vec<&str> =
        INSTS.iter().filter(|row| row.unseen == seen.contains(row.name)).map(|row| row.name).collect();
    assert!(wrong.is_empty(), "unseen is wrong: {wrong:?}");
}

#[test]
fn published_encodings_read_as_expected() {
    for (hex, text) in agx2_cases::CASES {
        let code = agx2_cases::bytes(hex);
        let (inst, len) = decode(&code).unwrap_or_else(|error| panic!("{hex}: {error}"));
        assert_eq!((inst.to_string().as_str(), len), (*text, code.len()), "{hex}");
        let parsed = parse_inst(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(&*encode(&parsed).unwrap(), &code[..], "{text}");
    }
}

#[test]
fn operands_agree_with_applegpu() {
    let Some(text) = vectors() else { return };
    let (mut failures, mut on_purpose) = (Vec::new(), 0);
    for (bytes, _, expected) in lines(&text) {
        let (inst, _) = decode(&bytes).unwrap();
        match compare(&inst, expected) {
            Agreement::Same => {}
            Agreement::OnPurpose(_) => on_purpose += 1,
            Agreement::Different(ours) => failures.push(format!("{bytes:02x?} {ours} | {expected}")),
        }
    }
    assert!(failures.is_empty(), "{} differ\n{}", failures.len(), failures.join("\n"));
    assert!(on_purpose <= 20, "{on_purpose} differ on purpose");
}

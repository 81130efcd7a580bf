//! Pointers, layouts and variables.

use bumpalo::Bump;

use super::{SPIRV, assemble, check, read, run, run_with, with_body};
use crate::CompileKey;
use crate::frontend::kit::robustness::{Bounds, Robustness};

#[test]
fn a_row_major_matrix_is_read_across_its_rows() {
    let declarations = "
        Decorate %holder 2
        MemberDecorate %holder 0 35 8
        MemberDecorate %holder 0 4
        MemberDecorate %holder 0 7 16
        Decorate %matrices 34 0
        Decorate %matrices 33 0
        TypeMatrix %mat2x3 %vec3 2
        TypeStruct %holder %mat2x3
        TypePointer %holders 12 %holder
        TypePointer %columns 12 %vec3
        TypePointer %floats 12 %float
        Variable %holders %matrices 12";
    // Rows at bytes 8, 24 and 40, two columns each.
    let data = [0, 0, 11, 12, 0, 0, 21, 22, 0, 0, 31, 32];
    let body = "
        AccessChain %columns %second %matrices #0 #1
        Load %vec3 %v %second
        Bitcast %uint %bits %f
        Return";
    let body = body.replace(
        "        Bitcast %uint %bits %f\n",
        "
        CompositeExtract %float %f %v 2
        Bitcast %uint %bits %f
        AccessChain %floats %one %matrices #0 #0 #1
        Load %float %g %one
        Bitcast %uint %more %g
        AccessChain %ptr %out0 %data #0 #0
        AccessChain %ptr %out1 %data #0 #1
        Store %out0 %bits
        Store %out1 %more
",
    );
    let mut expected = data;
    (expected[0], expected[1]) = (32, 21);
    check(declarations, &body, &data, &expected);
}

/// Stores the numbers 10, 20, … to an array of `count` elements, then reads and writes at run-time indices.
fn indexed_array(count: u32) -> String {
    let mut body = String::from("Variable %arrays %array 7\n");
    for index in 0..count {
        body += &format!(
            "AccessChain %local %at{index} %array #{index}\nStore %at{index} #{}\n",
            10 * (index + 1)
        );
    }
    body + "
        AccessChain %ptr %p0 %data #0 #0
        AccessChain %ptr %p1 %data #0 #1
        Load %uint %i %p0
        Load %uint %j %p1
        AccessChain %local %a %array %i
        Load %uint %old %a
        Store %a #7
        AccessChain %local %b %array %j
        Load %uint %other %b
        Store %p0 %old
        Store %p1 %other
        Return"
}

#[test]
fn arrays_indexed_at_run_time_are_selected_or_in_memory() {
    for count in [4, 16, 17, 40] {
        let declarations = format!("TypeArray %array_t %uint #{count}\nTypePointer %arrays 7 %array_t");
        let body = indexed_array(count);
        check(&declarations, &body, &[3, 3], &[40, 7]);
        check(&declarations, &body, &[1, count - 1], &[20, 10 * count]);
    }
}

/// Every element of an array of two dimensions, at run-time indices, where most elements are equal.
#[test]
fn elements_of_nested_arrays_are_selected_by_number() {
    let declarations = "
        TypeArray %row_t %uvec2 #3
        TypeArray %table_t %row_t #2
        TypePointer %tables 7 %table_t";
    let table = [[[5, 6], [5, 6], [7, 6]], [[5, 8], [5, 9], [5, 6]]];
    for (row, pairs) in table.iter().enumerate() {
        for (column, pair) in pairs.iter().enumerate() {
            let mut body = String::from("Variable %tables %table 7\n");
            for (index, element) in table.iter().flatten().flatten().enumerate() {
                let (i, j, k) = (index / 6, index / 2 % 3, index % 2);
                body += &format!(
                    "AccessChain %local %at{index} %table #{i} #{j} #{k}\nStore %at{index} #{element}\n"
                );
            }
            body += "
                AccessChain %ptr %p0 %data #0 #0
                AccessChain %ptr %p1 %data #0 #1
                Load %uint %i %p0
                Load %uint %j %p1
                AccessChain %local %a %table %i %j #0
                AccessChain %local %b %table %i %j #1
                Load %uint %first %a
                Load %uint %second %b
                Store %p0 %first
                Store %p1 %second
                Return";
            check(declarations, &body, &[row as u32, column as u32], pair);
        }
    }
}

#[test]
fn a_pointer_argument_is_written_through() {
    let text = "
        TypeFunction %setter %void %local
        Function %void %set 0 %setter
        FunctionParameter %local %where
        Label %head
        Load %uint %old %where
        IAdd %uint %new %old #5
        Store %where %new
        Return
        FunctionEnd
        Function %void %main 0 %thunk
        Label %entry
        Variable %local %x 7 #30
        FunctionCall %void %c1 %set %x
        FunctionCall %void %c2 %set %x
        Load %uint %r %x
        AccessChain %ptr %p %data #0 #1
        Store %p %r
        Return
        FunctionEnd";
    assert_eq!(run(text, &[1, 2]), Ok(vec![1, 40]));
}

#[test]
fn the_length_of_a_runtime_array_comes_from_the_buffer_size() {
    let body = "
        ArrayLength %uint %n %data 0
        AccessChain %ptr %p %data #0 #0
        Store %p %n
        Return";
    check("", body, &[0; 6], &[6, 0, 0, 0, 0, 0]);
}

#[test]
fn a_chosen_pointer_is_an_address() {
    let body = "
        AccessChain %ptr %p0 %data #0 #0
        AccessChain %ptr %p1 %data #0 #1
        Load %uint %x %p0
        IEqual %bool %c %x #3
        Select %ptr %p %c %p0 %p1
        Store %p #99
        Return";
    check("", body, &[3, 4], &[99, 4]);
    check("", body, &[5, 4], &[5, 99]);
    assert!(run(&with_body("", body), &[0, 0]).is_ok());
}

/// A pointer that is a value keeps the bounds of its buffer through selections and variables.
#[test]
fn accesses_through_a_chosen_pointer_are_checked() {
    let declarations = "TypePointer %pointers 7 %ptr";
    let body = "
        Variable %pointers %kept 7
        AccessChain %ptr %p0 %data #0 #0
        AccessChain %ptr %p1 %data #0 #1
        Load %uint %i %p0
        Load %uint %x %p1
        AccessChain %ptr %far %data #0 %i
        IEqual %bool %c %x #7
        Select %ptr %p %c %p1 %far
        Store %kept %p
        Load %ptr %q %kept
        Load %uint %old %q
        Store %q #99
        Store %p1 %old
        Return";
    let checked = |bounds| Robustness { storage: bounds, ..Robustness::default() };
    let run = |bounds, data: &[u32]| {
        let key = CompileKey { robustness: checked(bounds), ..CompileKey::default() };
        run_with(&with_body(declarations, body), data, &key)
    };
    // Element 2 is inside, 4 and 2^28 are not.
    assert_eq!(run(Bounds::Exact, &[2, 0, 5, 6]).as_deref(), Ok(&[2, 5, 99, 6][..]));
    for far in [4, 1 << 28] {
        assert_eq!(run(Bounds::Exact, &[far, 8, 5, 6]).as_deref(), Ok(&[far, 0, 5, 6][..]));
        // The first word stands for those out of bounds.
        assert_eq!(run(Bounds::Clamped, &[far, 8, 5, 6]).as_deref(), Ok(&[99, far, 5, 6][..]));
    }
    assert_eq!(run(Bounds::Exact, &[4, 7, 5, 6]).as_deref(), Ok(&[4, 7, 5, 6][..]));
}

#[test]
fn pointers_with_bounds_are_compared_by_address() {
    let body = "
        AccessChain %ptr %p0 %data #0 #0
        AccessChain %ptr %p1 %data #0 #1
        AccessChain %ptr %p2 %data #0 #3
        Load %uint %i %p0
        AccessChain %ptr %at %data #0 %i
        PtrEqual %bool %same %at %p1
        Select %uint %answer %same #10 #20
        PtrDiff %uint %apart %p2 %at
        IAdd %uint %sum %answer %apart
        Store %p0 %sum
        Return";
    let robustness = Robustness { storage: Bounds::Exact, ..Robustness::default() };
    let key = CompileKey { robustness, ..CompileKey::default() };
    let run = |data: &[u32]| run_with(&with_body("", body), data, &key);
    assert_eq!(run(&[1, 0, 0, 0]).as_deref(), Ok(&[12, 0, 0, 0][..]));
    assert_eq!(run(&[2, 0, 0, 0]).as_deref(), Ok(&[21, 0, 0, 0][..]));
}

#[test]
fn debug_information_does_not_keep_an_array_from_the_constant_section() {
    use super::super::{Dialect, read};
    let declarations = "
        ExtInstImport %debug 'NonSemantic.Shader.DebugInfo.100'
        TypeArray %table_t %uint #20
        TypePointer %tables 7 %table_t
        ConstantNull %table_t %table";
    let body = |before: &str| {
        format!(
            "Variable %tables %v 7 %table
            {before}
            AccessChain %ptr %p %data #0 #0
            Load %uint %i %p
            AccessChain %local %at %v %i
            Load %uint %x %at
            Store %p %x
            Return"
        )
    };
    let bytes = |before: &str| {
        let module = assemble(&with_body(declarations, &body(before)));
        let bump = Bump::new();
        let result = read(&bump, &module, &CompileKey::default(), Dialect::default());
        let (_, info) = result.expect("valid");
        (info.constants.len(), info.scratch_bytes)
    };
    assert_eq!(bytes(""), (80, 0));
    assert_eq!(bytes("ExtInst %void %declared %debug 28 %v %v %v"), (80, 0));
    assert_eq!(bytes("CopyMemory %v %v"), (0, 80));
}

/// The names of the operations of a body on one word that access or order memory.
fn order(body: &str) -> Vec<&'static str> {
    let bump = Bump::new();
    let text = with_body("", &format!("AccessChain %ptr %p %data #0 #0\n{body}\nReturn"));
    let (f, _) = read(&bump, &assemble(&text), &Default::default(), Default::default())
        .unwrap_or_else(|error| panic!("{error}: {body}"));
    let insts = f.blocks_in_order().flat_map(|block| f.block(block).insts.clone()).collect::<Vec<_>>();
    let names = insts.iter().map(|inst| f.insts[*inst].op.name());
    names
        .filter(|name| ["load_", "store_", "atomic_", "fence_"].iter().any(|kind| name.starts_with(kind)))
        .collect()
}

#[test]
fn atomics_that_acquire_and_release_have_fences() {
    let (fence, atomic) = ("fence_memory", "atomic_global");
    // Scope 1 is the device; semantics 64 selects storage buffers, with 2 for acquire, 4 for release, 8 for
    // both.
    for (body, expected) in [
        ("AtomicIAdd %uint %old %p #1 #0 #1", &[atomic][..]),
        ("AtomicIAdd %uint %old %p #1 #64 #1", &[atomic]),
        ("AtomicIAdd %uint %old %p #1 #66 #1", &[atomic, fence]),
        ("AtomicIAdd %uint %old %p #1 #68 #1", &[fence, atomic]),
        ("AtomicIAdd %uint %old %p #1 #72 #1", &[fence, atomic, fence]),
        ("AtomicIAdd %uint %old %p #3 #72 #1", &[atomic]),
        ("AtomicCompareExchange %uint %old %p #1 #72 #66 #1 #0", &[fence, atomic, fence]),
        ("AtomicStore %p #1 #68 #1", &[fence, "store_global"]),
        ("AtomicLoad %uint %old %p #1 #66", &["load_global", fence]),
        ("AtomicLoad %uint %old %p #1 #64", &["load_global"]),
    ] {
        assert_eq!(order(body), expected, "{body}");
    }
}

#[test]
fn stores_of_undefined_words_are_omitted_unless_volatile() {
    let store = |operands: &str| {
        let body = format!("Undef %uint %u\nAccessChain %ptr %p %data #0 #0\nStore %p %u {operands}\nReturn");
        run(&with_body("", &body), &[7]).expect("runs")
    };
    assert_eq!(store(""), [7]);
    assert_eq!(store("1"), [0]);
}

/// Descriptors and arrays of unknown length have no undefined values, but modules may ask for them.
#[test]
fn undefined_results_of_types_without_values_may_be_unused() {
    let declarations = "
        TypeImage %image %float 1 0 0 0 1 0
        TypeSampler %sampler
        TypeSampledImage %both %image
        Undef %image %outside";
    let undefined = "Undef %image %a\nUndef %sampler %b\nUndef %both %c\nUndef %words %d";
    let body = format!("{undefined}\nAccessChain %ptr %p %data #0 #0\nStore %p #7\nReturn");
    check(declarations, &body, &[0], &[7]);
}

#[test]
fn a_private_pointer_starts_as_the_variable_of_its_initializer() {
    let declarations = "
        TypePointer %shared_word 4 %uint
        TypePointer %holders 6 %shared_word
        Variable %shared_word %other 4
        Variable %shared_word %shared 4
        Variable %holders %holder 6 %shared";
    let body = "
        Store %other #5
        Store %shared #9
        Load %shared_word %p %holder
        Load %uint %value %p
        AccessChain %ptr %out %data #0 #0
        Store %out %value
        Return";
    check(declarations, body, &[0], &[9]);
}

/// An image with atomics, a variable of a function that can hold it, and a coordinate.
const IMAGES: &str = "
    Decorate %texture 34 0
    Decorate %texture 33 1
    TypeImage %image %uint 1 0 0 0 2 33
    TypeImage %other %float 1 0 0 0 2 3
    TypePointer %images 0 %image
    TypePointer %handles 7 %image
    TypePointer %others 7 %other
    TypePointer %texels 11 %uint
    Variable %images %texture 0";

/// The text of the IR of a module that adds to a texel of `image` after `before`.
fn texel_addition(before: &str, image: &str) -> Result<String, u16> {
    let body = format!(
        "{before}
        CompositeConstruct %uvec2 %at #1 #2
        ImageTexelPointer %texels %texel {image} %at #0
        AtomicIAdd %uint %old %texel #1 #0 #5
        Return"
    );
    let bump = Bump::new();
    let module = assemble(&with_body(IMAGES, &body));
    let result = read(&bump, &module, &CompileKey::default(), SPIRV);
    result.map(|(f, _)| f.to_string()).map_err(|error| error.code())
}

#[test]
fn a_variable_for_an_image_holds_the_one_stored_in_it() {
    let direct = texel_addition("", "%texture");
    let store = "Variable %handles %handle 7\nLoad %image %value %texture\nStore %handle %value";
    assert!(direct.is_ok());
    assert_eq!(texel_addition(store, "%handle"), direct);
    // It may hold one only, and something has to be stored first.
    let twice = format!("{store}\nStore %handle %value");
    assert_eq!(texel_addition(&twice, "%texture"), Err(1116));
    let empty = "Variable %handles %handle 7\nLoad %image %value %handle";
    assert_eq!(texel_addition(empty, "%texture"), Err(1116));
    assert_eq!(texel_addition("Variable %handles %handle 7", "%handle"), Err(1513));
    let other = store.replace("%handles", "%others");
    assert_eq!(texel_addition(&other, "%texture"), Err(1517));
    // A use that the store does not dominate.
    let arm = "
        Variable %handles %handle 7
        Load %image %value %texture
        AccessChain %ptr %word %data #0 #0
        Load %uint %number %word
        IEqual %bool %c %number #2
        SelectionMerge %after 0
        BranchConditional %c %arm %after
        Label %arm
        Store %handle %value
        Branch %after
        Label %after";
    assert!(texel_addition(arm, "%texture").is_ok());
    assert_eq!(texel_addition(arm, "%handle"), Err(1202));
}

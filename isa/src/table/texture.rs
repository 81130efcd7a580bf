//! Texture sampling and loading.

macro_rules! texture_operands { () => { ops![
    dst("dst", kinds::SIZED, bits![9:14, 72:73, 8]).count(Count::Mask),
    src("coords", kinds::COORDINATES, bits![16:21, 74:75, 47, 22]).count(Count::Coordinates),
    src("lod", kinds::LOD, bits![24:29, 76:77]).count(Count::Lod).reach(Reach::Low),
    src("texture", kinds::TEXTURE, bits![32:37, 78:79, 38:39]),
    src("heap", kinds::TEXTURE_HEAP, bits![64:68]).reach(Reach::Low),
    src("sampler", kinds::SAMPLER, bits![56:61, 92:93, 62]),
    src("extra", kinds::COMPARE_OFFSET, bits![80:85, 94:95]).count(Count::CompareOffset),
    modifier("dim", kinds::names(names::DIMENSIONS), bits![40:42, 71]).default(2),
    modifier("mask", kinds::COMPONENTS, bits![48:51]).default(15),
    modifier("lod_mode", kinds::names(names::LOD_MODES), bits![52:55]),
    modifier("gather", kinds::names(names::GATHERS), bits![87:89]),
    flag!("compare", 23),
    flag!("offset", 91),
    flag!("query", 31),
    flag!("image", 43),
    flag!("coherent", 44),
    flag!("kill", 69),
    flag!("sparse", 70),
    modifier("group", kinds::NUMBER, bits![63]),
    unknown("u30", bits![30]),
    unknown("u86", bits![86]),
    unknown("u90", bits![90]),
] }; }

macro_rules! texture_rows { ($then:ident $($args:tt)*) => { $then! { $($args)*
@family "texture" "Texture sampling and loading";

/// Samples a texture at float coordinates. The components of `mask` are written to consecutive registers, and
/// four registers are overwritten regardless of the mask.
Smpf "smpf" = row(0x6000_0000_0031, 0x6000_0000_00ff, prefers(8, 12, 15))
    .operands(texture_operands!()).effects(Effects::CROSS_LANE, OrderClass::None).asynchronous().source(from::ALL)
    .applegpu("texture_sample {compare}{query:query}, 0b11{coherent}{image}, 0b{group}, {gather:gather}, {letters:mask}, 0b{sparse}{kill}, {dst}{, heap}, {texture}, {sampler}, tex_{name:dim}, {coordinates:coords}, {lod:lod_mode}, {lod_value:lod}{, extra}");

/// Loads texels at integer coordinates; otherwise as `smpf`.
Smpi "smpi" = row(0x6000_0000_0071, 0x6000_0000_00ff, prefers(8, 12, 15))
    .operands(texture_operands!()).effects(Effects::READS_MEMORY, OrderClass::Memory).asynchronous().source(from::ALL)
    .applegpu("texture_load {compare}{query:query}, 0b11{coherent}{image}, 0b{group}, {gather:gather}, {letters:mask}, 0b{sparse}{kill}, {dst}{, heap}, {texture}, {sampler}, tex_{name:dim}, {coordinates:coords}, {lod:lod_mode}, {lod_value:lod}{, extra}");

}}}

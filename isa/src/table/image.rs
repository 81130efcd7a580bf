//! Image stores.

macro_rules! image_rows { ($then:ident $($args:tt)*) => { $then! { $($args)*
@family "image" "Image stores";

/// Writes one texel from four consecutive registers.
Imgw "imgw" = row(0x4800_0080_00f1, 0x4800_0080_00ff, prefers(6, 8, 15))
    .operands(ops![
        src("data", kinds::SIZED, bits![9:14, 56:57, 8]).count(Count::UpTo(4)),
        src("coords", kinds::COORDINATES, bits![16:21, 58:59, 47, 22]).count(Count::Coordinates),
        src("lod", kinds::IMAGE_LOD, bits![24:29, 60:61, 31]),
        src("texture", kinds::TEXTURE, bits![32:37, 62:63, 38:39]),
        src("heap", kinds::TEXTURE_HEAP, bits![48:52]).reach(Reach::Low),
        modifier("dim", kinds::names(names::DIMENSIONS), bits![40:42, 55]).default(2),
        flag!("rtz", 53),
        modifier("coherency", kinds::names(names::COHERENCY), bits![44:45]),
        unknown("u30", bits![30]),
        unknown("u54", bits![54]),
    ])
    .effects(Effects::WRITES_MEMORY.union(Effects::READS_COVERAGE), OrderClass::Memory).source(from::ALL)
    .applegpu("image_write {data}, {coordinates:coords}, {lod}{, heap}, {texture}, tex_{name:dim}, {rounding:rtz}, 1, 0, {image_tail:coherency}, 0");

/// Writes a block of the tile buffer, from `offset` bytes within a sample, to an image (end-of-tile programs).
Imgwblk "imgwblk" = row(0x8_0000_4800_0000_00b1, 0x3ff8_0000_4800_0000_00ff, prefers(6, 10, 15))
    .operands(ops![
        src("offset", kinds::REGISTER16, bits![9:14, 56:57]),
        src("coords", kinds::COORDINATES, bits![16:21, 58:59, 47, 22]).count(Count::Coordinates),
        src("lod", kinds::IMAGE_LOD, bits![24:29, 60:61, 31]),
        src("texture", kinds::TEXTURE, bits![32:37, 62:63, 38:39]),
        src("heap", kinds::TEXTURE_HEAP, bits![48:52]).reach(Reach::Low),
        modifier("format", kinds::names(names::FORMATS), bits![8, 64:66]),
        modifier("dim", kinds::names(names::DIMENSIONS), bits![40:42, 55]).default(2),
        flag!("explicit", 23),
        unknown("u30", bits![30]),
        unknown("u44", bits![44:45]),
        unknown("u53", bits![53:54]),
        unknown("u78", bits![78:79]),
    ])
    .effects(Effects::WRITES_MEMORY, OrderClass::Memory).source(from::ALL)
    .assumed("upper texture bits at 62:63 as applegpu and AGX2.xml have them, not at 78:79");

}}}

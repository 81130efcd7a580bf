//! Tile buffer.

macro_rules! tile_rows { ($then:ident $($args:tt)*) => { $then! { $($args)*
@family "tile" "Tile buffer";

/// Loads components of the pixel's samples from the tile buffer at `offset` bytes within a sample.
LdTile "ld_tile" = row(0x8_0000_0049, 0x8_0000_007f, prefers(8, 10, 15))
    .operands(ops![
        dst("dst", kinds::SIZED, bits![9:14, 60:61, 8]).count(Count::Mask),
        src("samples", kinds::SAMPLE_MASK, bits![42:47, 56:57, 22]),
        src("coords", kinds::TILE_COORDINATES, bits![16:21, 58:59, 55]).count(Count::Fixed(2)),
        modifier("format", kinds::names(names::FORMATS), bits![24:27]).default(2),
        modifier("mask", kinds::COMPONENTS, bits![36:39]).default(1),
        modifier("offset", kinds::NUMBER, bits![28:34, 40:41]),
        unknown("u7", bits![7]),
        unknown("u23", bits![23]),
        unknown("u48", bits![48:54]),
        unknown("u62", bits![62:79]),
    ])
    .effects(Effects::READS_MEMORY, OrderClass::Coverage).source(from::ALL);

/// Stores components of the pixel's samples to the tile buffer at `offset` bytes within a sample.
StTile "st_tile" = row(0x09, 0x7f, prefers(8, 10, 15))
    .operands(ops![
        src("data", kinds::SIZED, bits![9:14, 60:61, 8]).count(Count::Mask),
        src("samples", kinds::SAMPLE_MASK, bits![42:47, 56:57, 22]),
        src("coords", kinds::TILE_COORDINATES, bits![16:21, 58:59, 55]).count(Count::Fixed(2)),
        modifier("format", kinds::names(names::FORMATS), bits![24:27]).default(2),
        modifier("mask", kinds::COMPONENTS, bits![36:39]).default(1),
        modifier("offset", kinds::NUMBER, bits![28:34, 40:41]),
        flag!("explicit", 35),
        unknown("u7", bits![7]),
        unknown("u23", bits![23]),
        unknown("u48", bits![48:54]),
        unknown("u62", bits![62:79]),
    ])
    .effects(Effects::WRITES_MEMORY.union(Effects::READS_COVERAGE), OrderClass::Coverage).source(from::ALL)
    .assumed("explicit goes with coords");

}}}

fn main() {
    let a = std::env::args().nth(1).unwrap();
    agx_fuzz::spirv(&std::fs::read(a).unwrap());
}

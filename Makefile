# Everything needs Rust only. `score` uses glslangValidator, spirv-as and valgrind where they are installed, and the
# reference material in SHARED where that is there.

CARGO ?= cargo
SHARED ?= ../shared

.PHONY: run icd clients systems test score stress matrix mutants fuzz bench book fmt lint

# The main job on the bundled shaders: assembly, statistics, a checked run, a picture in out/.
run:
	$(CARGO) run --release -p agxc -- demo

# The Vulkan driver and its manifest, for VK_DRIVER_FILES.
icd:
	$(CARGO) build --release -p agx-icd
	printf '{"file_format_version": "1.0.1", "ICD": {"library_path": "./libvulkan_agx.so", "api_version": "1.3.281"}}\n' > target/release/agx_icd.json

# Programs of other people, through the driver: needs root and the tree that `device/environment/make.sh DIR --clients`
# makes, named by AGX_ENVIRONMENT.
clients:
	$(CARGO) run --release -p agx-tests --bin score -- --shared $(SHARED) --only clients --filter '' --list-failures

# Other systems: the command line type-checks for Windows and macOS, and is one static file on Linux. Their standard libraries are
# those of `rustup target add`.
SYSTEMS = --package agxc --target-dir target/systems --config profile.dev.package.agx-compiler.opt-level=0 \
	--config profile.dev.package.agx-emulator.opt-level=0
systems:
	$(CARGO) check $(SYSTEMS) --target x86_64-pc-windows-gnu --target aarch64-apple-darwin
	$(CARGO) build $(SYSTEMS) --target x86_64-unknown-linux-musl
	target/systems/x86_64-unknown-linux-musl/debug/agxc --version

# All tests, built from nothing in most cases: what incremental compilation would keep for the next build costs a sixth of this one.
test:
	CARGO_INCREMENTAL=0 $(CARGO) test --workspace

score:
	$(CARGO) run --release -p agx-tests --bin score -- --shared $(SHARED)

# The long tests: growth with size, precision of every float operation, mutations, subgroups of every size.
stress:
	$(CARGO) test --release -p agx-tests --features stress --test scaling --test precision --test robustness --test subgroups \
		--test format_mutations

# The suites that compile shaders under every stress of the back end: everything spilled, robustness, layouts with descriptors in
# memory, register limits, schedule seeds, each optional pass off.
matrix:
	$(CARGO) run --release -p agx-tests --bin score -- --shared $(SHARED) --stress

# Seeded faults: breaks one line at a time and demands that the test named in tests/mutants.json fails.
mutants:
	$(CARGO) run -p agx-tests --bin mutants

# Fuzzing: `make fuzz TARGET=spirv SECONDS=600`, every target for a minute otherwise..
TARGET ?= all
SECONDS ?= 60
fuzz:
	fuzz/run.sh $(TARGET) $(SECONDS)

# Speed of decoder, encoder, machine and linker; what compiled code costs, and what compiling costs, by pass and in all.
bench:
	$(CARGO) bench -p agx-isa
	$(CARGO) run --release -p agx-emulator --example speed
	$(CARGO) run --release -p agx-driver --example submission
	$(CARGO) run --release -p agx-tests --bin link_cost
	$(CARGO) run --release -p agx-tests --bin pass_cost -- --shared $(SHARED)
	$(CARGO) run --release -p agx-tests --bin score -- --shared $(SHARED) --only quality,cost

# The documentation as a book, in target/book.
book:
	docs/build.sh

fmt:
	$(CARGO) fmt --all

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps

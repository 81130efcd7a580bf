# All targets need only Rust. `score` also uses glslangValidator, spirv-as and valgrind if they are installed, and the
# reference material in SHARED if it is present.

CARGO ?= cargo
# Everything but the book needs Rust.
ifneq ($(filter-out book,$(or $(MAKECMDGOALS),run)),)
ifeq ($(shell command -v $(firstword $(CARGO)) 2>/dev/null),)
$(error $(firstword $(CARGO)) is not installed: rustup, https://rustup.rs, installs Rust)
endif
endif
SHARED ?= ../shared

.PHONY: arm static run icd install install-tool install-library install-driver install-device install-kit uninstall deb deb-test clients systems page page-test python python-environment test score stress matrix mutants fuzz bench book fmt lint

# Compiles and runs the bundled shaders, checks the results, and draws the bundled scenes into out/. The assembly of the
# shaders is left out: `target/release/agxc demo` prints it.
run:
	$(CARGO) run --release -p agxc -- demo --brief

# Builds the Vulkan driver and its manifest, to be named by VK_DRIVER_FILES.
icd:
	$(CARGO) build --release -p agx-icd
	printf '{"file_format_version": "1.0.1", "ICD": {"library_path": "./libvulkan_agx.so", "api_version": "$(VULKAN)"}}\n' > target/release/agx_icd.json

# Installs the command line with its manual pages and completions, the library for drivers in C with its header and a file for
# pkg-config, the Vulkan driver, the library that shows the device to programs, and the kit. `make install PREFIX=/usr DESTDIR=...` stages a
# package; the parts are targets of their own. BUILT is the folder with the built files. The driver's manifest is where the loader
# does not look: `agx-vulkan` names it.
PREFIX ?= /usr/local
DESTDIR ?=
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
# Libraries that only programs of the project load.
PRIVATEDIR ?= $(PREFIX)/lib/agxc
INSTALL ?= install
BUILT ?= $(or $(CARGO_TARGET_DIR),target)/release
# Where zsh looks: Debian's in `vendor-completions`.
ZSHDIR ?= $(DATADIR)/zsh/site-functions
COMPLETIONS = $(DATADIR)/bash-completion/completions/agxc $(ZSHDIR)/_agxc $(DATADIR)/fish/vendor_completions.d/agxc.fish
# The version of the library's interface, which is that of its SONAME, and the version of the packages.
INTERFACE = $(shell sed -n 's/^.define AGX_INTERFACE_VERSION //p' capi/include/agx.h)
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
URL = $(shell sed -n 's/^repository = "\(.*\)"/\1/p' Cargo.toml)

install: install-tool install-library install-driver install-device install-kit

install-tool:
	$(CARGO) build --release -p agxc
	$(INSTALL) -d "$(DESTDIR)$(BINDIR)" "$(DESTDIR)$(DATADIR)/man/man1"
	$(INSTALL) -m 755 "$(BUILT)/agxc" "$(DESTDIR)$(BINDIR)/agxc"
	"$(BUILT)/agxc" man --folder "$(DESTDIR)$(DATADIR)/man/man1"
	for file in $(COMPLETIONS); do \
		$(INSTALL) -d "$(DESTDIR)$$(dirname $$file)" && \
		"$(BUILT)/agxc" completions $$(echo $$file | grep -oE '(bash|zsh|fish)' | tail -n 1) > "$(DESTDIR)$$file" || exit 1; \
	done

install-library:
	$(CARGO) build --release -p agx-capi --features wgsl,glsl
	$(INSTALL) -d "$(DESTDIR)$(LIBDIR)/pkgconfig" "$(DESTDIR)$(INCLUDEDIR)"
	$(INSTALL) -m 644 "$(BUILT)/libagx.a" "$(DESTDIR)$(LIBDIR)/libagx.a"
	$(INSTALL) -m 755 "$(BUILT)/libagx.so" "$(DESTDIR)$(LIBDIR)/libagx.so.$(INTERFACE).$(VERSION)"
	ln -sf libagx.so.$(INTERFACE).$(VERSION) "$(DESTDIR)$(LIBDIR)/libagx.so.$(INTERFACE)"
	ln -sf libagx.so.$(INTERFACE) "$(DESTDIR)$(LIBDIR)/libagx.so"
	$(INSTALL) -m 644 capi/include/agx.h "$(DESTDIR)$(INCLUDEDIR)/agx.h"
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@URL@|$(URL)|' \
		-e 's|@VERSION@|$(VERSION)|' -e 's|@INTERFACE@|$(INTERFACE)|' capi/agx.pc.in > "$(DESTDIR)$(LIBDIR)/pkgconfig/agx.pc"
	chmod 644 "$(DESTDIR)$(LIBDIR)/pkgconfig/agx.pc"

# The version of Vulkan that the driver reports.
VULKAN = $(shell sed -n 's/^pub const API_VERSION: u32 = vk::make_api_version(0, \(.*\), \(.*\), \(.*\));/\1.\2.\3/p' driver/src/physical/mod.rs)
FILLED = sed -e 's|@PRIVATEDIR@|$(PRIVATEDIR)|g' -e 's|@DATADIR@|$(DATADIR)|g' -e 's|@VULKAN@|$(VULKAN)|g' -e 's|@VERSION@|$(VERSION)|g'

install-driver:
	$(CARGO) build --release -p agx-icd
	$(INSTALL) -d "$(DESTDIR)$(PRIVATEDIR)" "$(DESTDIR)$(DATADIR)/agxc/vulkan" "$(DESTDIR)$(BINDIR)" "$(DESTDIR)$(DATADIR)/man/man1"
	$(INSTALL) -m 644 "$(BUILT)/libvulkan_agx.so" "$(DESTDIR)$(PRIVATEDIR)/libvulkan_agx.so"
	$(FILLED) packaging/agx_icd.json.in > "$(DESTDIR)$(DATADIR)/agxc/vulkan/agx_icd.json"
	$(FILLED) packaging/agx-vulkan.in > "$(DESTDIR)$(BINDIR)/agx-vulkan"
	$(FILLED) packaging/agx-vulkan.1.in > "$(DESTDIR)$(DATADIR)/man/man1/agx-vulkan.1"
	chmod 644 "$(DESTDIR)$(DATADIR)/agxc/vulkan/agx_icd.json" "$(DESTDIR)$(DATADIR)/man/man1/agx-vulkan.1"
	chmod 755 "$(DESTDIR)$(BINDIR)/agx-vulkan"

install-device:
	$(CARGO) build --release -p agx-device-shim
	$(INSTALL) -d "$(DESTDIR)$(PRIVATEDIR)"
	$(INSTALL) -m 644 "$(BUILT)/libagx_device_shim.so" "$(DESTDIR)$(PRIVATEDIR)/libagx_device_shim.so"

install-kit:
	$(CARGO) build --release -p agx-kit
	$(INSTALL) -d "$(DESTDIR)$(BINDIR)" "$(DESTDIR)$(DATADIR)/man/man1"
	$(INSTALL) -m 755 "$(BUILT)/agx-kit" "$(DESTDIR)$(BINDIR)/agx-kit"
	$(FILLED) packaging/agx-kit.1.in > "$(DESTDIR)$(DATADIR)/man/man1/agx-kit.1"
	chmod 644 "$(DESTDIR)$(DATADIR)/man/man1/agx-kit.1"

# Builds the Debian packages into the folder above this one. Needs `debhelper`. `deb-test` installs them into a fresh Debian tree in
# the folder TREE, and runs what they contain. Needs root and `debootstrap`.
DEBS ?= ..
TREE ?= target/deb-test
deb:
	dpkg-buildpackage --build=binary --no-sign --no-check-builddeps

deb-test:
	packaging/deb-test.sh $(TREE) $(DEBS)

# Removes what `install` installs, for the same variables.
uninstall:
	rm -f "$(DESTDIR)$(BINDIR)/agxc" "$(DESTDIR)$(DATADIR)/man/man1/agxc.1" "$(DESTDIR)$(DATADIR)/man/man1/agxc-"*.1
	rm -f $(foreach file,$(COMPLETIONS),"$(DESTDIR)$(file)")
	rm -f "$(DESTDIR)$(LIBDIR)/libagx.a" "$(DESTDIR)$(LIBDIR)/libagx.so" "$(DESTDIR)$(LIBDIR)/libagx.so."*
	rm -f "$(DESTDIR)$(LIBDIR)/pkgconfig/agx.pc" "$(DESTDIR)$(INCLUDEDIR)/agx.h"
	rm -f "$(DESTDIR)$(PRIVATEDIR)/libvulkan_agx.so" "$(DESTDIR)$(PRIVATEDIR)/libagx_device_shim.so"
	rm -f "$(DESTDIR)$(BINDIR)/agx-kit" "$(DESTDIR)$(DATADIR)/man/man1/agx-kit.1"
	rm -f "$(DESTDIR)$(DATADIR)/agxc/vulkan/agx_icd.json" "$(DESTDIR)$(BINDIR)/agx-vulkan" "$(DESTDIR)$(DATADIR)/man/man1/agx-vulkan.1"

# Runs third-party applications on the driver. Needs root, and AGX_ENVIRONMENT set to the folder that
# `device/environment/make.sh DIR --clients` created.
clients:
	$(CARGO) run --release -p agx-tests --bin score -- --shared $(SHARED) --only clients --filter '' --list-failures

# Checks other systems: type-checks the command line for Windows and macOS, and builds it as one static file for Linux.
# Install the standard libraries of these targets with `rustup target add`. A dependency compiles a file of C or assembly:
# Debian's `gcc-mingw-w64-x86-64-win32` does so for Windows and `clang` for macOS, whose file needs no SDK.
SYSTEMS = --package agxc --target-dir target/systems --config profile.dev.package.agx-compiler.opt-level=0 \
	--config profile.dev.package.agx-emulator.opt-level=0
systems: export CC_aarch64_apple_darwin ?= clang
systems: export CC_x86_64_unknown_linux_musl ?= cc
systems: export SDKROOT ?= /
systems:
	$(CARGO) check $(SYSTEMS) --target x86_64-pc-windows-gnu --target aarch64-apple-darwin
	$(CARGO) build $(SYSTEMS) --target x86_64-unknown-linux-musl
	target/systems/x86_64-unknown-linux-musl/debug/agxc --version
	$(MAKE) arm

# Builds command line, driver, the library that shows the device, and the kit for the machines that have the hardware, and runs them:
# the command line on a shader, the kit's first experiments on the device, with the driver of that system. Debian's
# `gcc-aarch64-linux-gnu` and `qemu-user` do so on other processors.
ARM = aarch64-unknown-linux-gnu
ARM_BUILT = target/systems/$(ARM)/debug
ARM_RUN = qemu-aarch64 -L /usr/aarch64-linux-gnu
ARM_KIT = $(ARM_RUN) -E LD_PRELOAD=$(abspath $(ARM_BUILT))/libagx_device_shim.so $(ARM_BUILT)/agx-kit --folder $(ARM_BUILT) --side hardware
arm: export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER ?= aarch64-linux-gnu-gcc
arm:
ifneq (,$(and $(shell command -v aarch64-linux-gnu-gcc),$(shell command -v qemu-aarch64)))
	$(CARGO) build $(SYSTEMS) --package agx-icd --package agx-device-shim --package agx-kit --target $(ARM)
	$(ARM_RUN) $(ARM_BUILT)/agxc --version
	printf '@group(0) @binding(0) var<storage, read_write> d: array<f32>;\n@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { d[i] = 2.0 * d[i]; }\n' | \
		$(ARM_RUN) $(ARM_BUILT)/agxc run - --kind wgsl --buffer 0.0=f32:1,2,3,4 --expect 0.0=f32:2,4,6,8
	$(ARM_KIT) --run chip
	$(ARM_KIT) --run lanes
else
	@echo "skipped: programs for aarch64 need Debian's gcc-aarch64-linux-gnu and qemu-user"
endif

# Builds the kit for the machines that have the hardware as one static file, which runs on every Linux, and runs one of its experiments on
# the machine that is linked. It cannot open the Vulkan loader, so that `--driver` and `--against` need the other build. Needs the
# target of rustup, Debian's `gcc-aarch64-linux-gnu` for a file of assembly, and `qemu-user`.
MUSL = aarch64-unknown-linux-musl
STATIC = $(or $(CARGO_TARGET_DIR),target)/static
static: export CC_aarch64_unknown_linux_musl ?= aarch64-linux-gnu-gcc
static: export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER ?= rust-lld
static:
	mkdir -p $(STATIC)/empty && ar rcs $(STATIC)/empty/libdl.a
	$(CARGO) rustc --release --package agx-kit --bin agx-kit --target $(MUSL) --target-dir $(STATIC) -- -L $(abspath $(STATIC))/empty
	qemu-aarch64 $(STATIC)/$(MUSL)/release/agx-kit --version
	AGX_DRIVER=device qemu-aarch64 $(STATIC)/$(MUSL)/release/agx-kit --run lanes --side machine --folder $(STATIC)

# Builds the page into target/page: the compiler and the machine in WebAssembly, and what shows them. Needs npm, and the
# target `wasm32-unknown-unknown` of rustup. `make page-test` tests it in Chromium.
PAGE = target/page
WASM = $(or $(CARGO_TARGET_DIR),target)/wasm32-unknown-unknown/page
page:
	$(CARGO) build --target wasm32-unknown-unknown --profile page --package agx-page
	$(CARGO) run --manifest-path page/bindgen/Cargo.toml --target-dir $(or $(CARGO_TARGET_DIR),target)/bindgen --locked -- $(WASM)/agx_page.wasm $(abspath $(WASM)/bindgen)
	cd page && npm ci --ignore-scripts --no-audit --no-fund && node build.mjs $(abspath $(WASM)/bindgen) $(abspath $(PAGE))

page-test:
	cd page && PAGE=$(abspath $(PAGE)) npm test

# Builds the Python package into target/wheels and tests it. Needs Python 3.10 or later with `venv`; `python-environment` installs
# maturin, NumPy and pytest into an environment in target/python.
PYTHON ?= python3
PYTHON_ENVIRONMENT = $(or $(CARGO_TARGET_DIR),target)/python
python-environment:
	$(PYTHON) -m venv $(PYTHON_ENVIRONMENT)
	$(PYTHON_ENVIRONMENT)/bin/pip install --quiet --disable-pip-version-check 'maturin>=1.9,<2' 'numpy>=1.24' 'pytest>=7'

python: python-environment
	rm -rf target/wheels
	$(PYTHON_ENVIRONMENT)/bin/maturin build --release --manifest-path python/Cargo.toml --out target/wheels \
		--target-dir $(abspath $(or $(CARGO_TARGET_DIR),target)) --interpreter $(PYTHON_ENVIRONMENT)/bin/python
	$(PYTHON_ENVIRONMENT)/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps target/wheels/*.whl
	$(PYTHON_ENVIRONMENT)/bin/pytest --quiet -p no:cacheprovider python/tests

# Runs all tests. Incremental compilation is off because most runs start without a target folder, where it costs a sixth
# of the build time.
test:
	CARGO_INCREMENTAL=0 $(CARGO) test --workspace

score:
	$(CARGO) run --release -p agx-tests --bin score -- --shared $(SHARED)

# Runs the long tests: growth with size, precision of every float operation, mutations, subgroups of every size, fences, frames that
# processes share, swapchains, every order of the steps of threads.
stress:
	$(CARGO) test --release -p agx-tests -p agx-node --features agx-tests/stress,agx-node/stress --test scaling --test precision \
		--test robustness --test subgroups --test format_mutations --test fences --test sharing --test windows
	$(CARGO) test --release --manifest-path driver/loom/Cargo.toml --target-dir $(or $(CARGO_TARGET_DIR),target)/loom

# Runs the suites that compile shaders under every stress mode: all values spilled, robustness, layouts with descriptors in
# memory, register limits, schedule seeds, each optional pass disabled.
matrix:
	$(CARGO) run --release -p agx-tests --bin score -- --shared $(SHARED) --stress

# Applies the seeded faults of tests/mutants.json one at a time and checks that the named test fails.
mutants:
	$(CARGO) run -p agx-tests --bin mutants

# Fuzzes all targets for a minute each, or one: `make fuzz TARGET=spirv SECONDS=600`.
TARGET ?= all
SECONDS ?= 60
fuzz:
	fuzz/run.sh $(TARGET) $(SECONDS)

# Measures decoder, encoder, emulator and linker, the cost of compiled code, the cost of compiling, per pass and in total, and
# that of Vulkan calls.
bench:
	$(CARGO) bench -p agx-isa
	$(CARGO) run --release -p agx-emulator --example speed
	$(CARGO) run --release -p agx-driver --example submission
	$(CARGO) run --release -p agx-tests --bin link_cost
	$(CARGO) run --release -p agx-tests --bin pass_cost -- --shared $(SHARED)
	$(CARGO) run --release -p agx-tests --bin score -- --shared $(SHARED) --only quality,cost,recording

# Builds the documentation as a book in target/book.
book:
	docs/build.sh

fmt:
	$(CARGO) fmt --all

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps

# Everything needs Rust only. `score` uses glslangValidator, spirv-as and valgrind where they are installed, and the
# reference material in SHARED where that is there.

CARGO ?= cargo
SHARED ?= ../shared

.PHONY: run test score stress bench fmt lint

# The main job on the bundled shaders: assembly, statistics, a checked run, a picture in out/.
run:
	$(CARGO) run --release -p agxc -- demo

test:
	$(CARGO) test --workspace

score:
	$(CARGO) run --release -p agx-tests --bin score -- --shared $(SHARED)

# The suites that run or compile shaders, with the back end under stress and every checker on.
# Vertex shaders of the corpus may have more attributes than 64 half registers hold.
RUN = webgpu,shaderlib,amber-compute,amber-fragment
STRESS = $(CARGO) run --release -p agx-tests --bin score -- --shared $(SHARED) --validate --check-floors
stress:
	$(STRESS) --only $(RUN),corpus --spill-everything
	$(STRESS) --only $(RUN) --max-gpr-halves 64
	$(STRESS) --only $(RUN),corpus --schedule-seed 1 --seed 1
	$(STRESS) --only $(RUN),corpus --schedule-seed 2 --seed 2
	$(STRESS) --only $(RUN),corpus --schedule-seed 3 --seed 3

# Speed of decoder, encoder, machine and linker; what compiled code costs, and what compiling costs.
bench:
	$(CARGO) bench -p agx-isa
	$(CARGO) run --release -p agx-emulator --example speed
	$(CARGO) run --release -p agx-tests --bin link_cost
	$(CARGO) run --release -p agx-tests --bin score -- --shared $(SHARED) --only quality,cost

fmt:
	$(CARGO) fmt --all

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings

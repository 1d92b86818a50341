# Every target works on a fresh clone with a Rust toolchain and a C compiler.

CARGO ?= cargo

.PHONY: run test bench lint needs

# Builds Fathom and surveys this machine.
run:
	$(CARGO) run --release --locked --package fathom

# Everything that must hold before a change is kept; CI runs just this.
test: needs lint
	$(CARGO) build --locked --package fathom
	# Shows what passing tests print too: a test that had to be skipped says so there.
	$(CARGO) test --locked --workspace -- --show-output

# What the tests need beyond cargo; as root on Debian it is installed, elsewhere named.
needs:
	@./tools/needs

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	$(CARGO) xtask tidy
	$(CARGO) xtask licences
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps --document-private-items

# Fathom beside other tools, and against itself; takes some twenty minutes and wants a quiet machine.
bench: needs
	$(CARGO) xtask bench syscall
	$(CARGO) xtask bench switch
	$(CARGO) xtask bench aa
	$(CARGO) xtask bench clock

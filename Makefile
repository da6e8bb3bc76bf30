# Kist, from the command line of a Debian 12 machine with a Swift 6.3 toolchain.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

# A crash report prints memory: never let the Swift runtime make one.
export SWIFT_BACKTRACE := enable=no

# Libraries come from the system alone, not from beside the program.
RELEASE := -c release --static-swift-stdlib --disable-local-rpath -Xlinker -z -Xlinker now -Xlinker --gc-sections
# The same programs in any folder: no path in positions and debug information, and none of the compiler's own notes, which have paths of its cache.
RELEASE += -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=. -Xcc -ffile-prefix-map=$(CURDIR)=.
RELEASE += -Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen

.PHONY: help
help:    ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

.PHONY: deps
deps:    ## install the Debian packages Kist is built and tested with
	@scripts/deps.sh

.PHONY: build
build: deps    ## build the release kistd, kistd-keys, kist and kist-claimd
	swift build $(RELEASE) --product kistd
	swift build $(RELEASE) --product kistd-keys
	swift build $(RELEASE) --product kist
	swift build $(RELEASE) --product kist-claimd

# On the debug build; the release build, whose optimiser sees other mistakes, is a step of .ci/run and of check.
.PHONY: test
test: deps venv    ## run the whole test suite
	@scripts/test.sh

.PHONY: lint
lint: deps    ## the rules that need no test to run: format, imports, sizes, layers
	@scripts/lint.sh

.PHONY: check
check: build venv    ## the stricter gate: format, layers, every suite, ASan and TSan
	@scripts/check.sh

# Histories of SEEDS seeds, FROM a seed on, against a model of the rules; one that surprises is shortened and told.
SEEDS ?= 2000
FROM ?= 1
.PHONY: sim
sim: deps    ## play SEEDS (2000) histories that seeds make up on a simulated disk
	@scripts/simulation.sh $(SEEDS) $(FROM)

# Shows that the histories can find anything: mistakes are planted into a copy of the sources, one after the other.
.PHONY: sim-planted
sim-planted: deps    ## have the simulation find each planted mistake
	@scripts/planted.sh

# Each is made in a copy of the sources, with no more files than docs/ARCHITECTURE.md says.
.PHONY: additions
additions: deps    ## add an operation, a released field, a status, a metric and a setting, each in a few files
	@scripts/additions.sh

# Needs some 3 GB of memory.
.PHONY: model
model:    ## have spin search all that a fleet of hosts can do, and find each mistake planted into its model
	@scripts/deps.sh spin
	@scripts/model.sh

# The long forms: kill -9 again and again, and a flood long enough to believe its figures.
.PHONY: soak
soak: build venv    ## kill the daemon 500 times under load, flood it, scan it, fuzz it, and say how it went
	@scripts/soak.sh

# TMPDIR is to be on the disk that counts. ARGS=quick takes a minute or two; benchmarks/bench.py says what else it takes.
# A peer that cannot be installed is left out, and the table says so.
ARGS ?= full
PEERS := openssh-client softhsm2 p11-kit p11-kit-modules libp11-kit-dev
.PHONY: bench
bench: build venv    ## measure kistd against the limit, the socket, the disk and its peers, in one table
	@scripts/deps.sh $(PEERS) || true
	@python3 benchmarks/bench.py .build/release $(ARGS) --json .build/bench.json
	@[[ "$(ARGS)" != full ]] || .venv/bin/python benchmarks/audit_verify.py .build/release/kist
	@[[ "$(ARGS)" != full ]] || .venv/bin/python -B benchmarks/clients.py .build/release

# Needs root; test runs it, too.
.PHONY: fleet
fleet: deps    ## have two hosts, PostgreSQL and its standby claim, be killed, cut off and failed over
	for program in kistd kistd-keys kist kist-claimd; do swift build --product $$program; done
	@scripts/fleet.sh

.PHONY: ct
ct: deps    ## show that no branch, no address and no time depends on a secret
	@scripts/constant-time.sh

# Needs root. Two PostgreSQL servers, both daemons and the clients share the machine.
.PHONY: bench-claims
bench-claims: build venv    ## measure what claims cost, beside the same without and beside the bare INSERT
	@.venv/bin/python -B benchmarks/claims.py .build/release

.PHONY: bench-pkcs11
bench-pkcs11: build venv    ## measure signatures and TLS handshakes by the PKCS#11 module, beside SoftHSM2 and a key in a file
	@scripts/deps.sh $(PEERS)
	@.venv/bin/python -B benchmarks/pkcs11.py .build/release

# Needs 1 GiB in TMPDIR.
.PHONY: bench-audit
bench-audit: build venv    ## measure how fast kist audit verify is, and its memory
	@.venv/bin/python benchmarks/audit_verify.py .build/release/kist

.PHONY: bench-clients
bench-clients: build venv    ## measure the processor time of a call in each language, beside C's
	@.venv/bin/python -B benchmarks/clients.py .build/release

.PHONY: bench-services
bench-services: build venv    ## measure cardsecure and redeem, with no token and with 180,000, beside a bare route and the daemon
	@.venv/bin/python -B benchmarks/services.py .build/release

.PHONY: clients
clients: venv    ## build the C client, the provider for OpenSSL and the Python client's wheel
	$(MAKE) --directory clients/c
	$(MAKE) --directory clients/openssl
	.venv/bin/python -m pip wheel --quiet --no-deps --no-build-isolation --no-index --wheel-dir clients/python/dist clients/python

.PHONY: services
services: venv    ## build the wheel of the HTTP services
	.venv/bin/python -m pip wheel --quiet --no-deps --no-build-isolation --no-index --wheel-dir services/dist ./services

# PREFIX, LIBDIR, UNITDIR and PYTHONDIR say where to, DESTDIR below which folder.
.PHONY: install
install:    ## copy what 'make build clients services' built to DESTDIR and PREFIX (/usr/local)
	@scripts/install.sh

.PHONY: deb
deb:    ## build the Debian packages into .build-deb, and have lintian look at them
	@scripts/deps.sh debhelper dh-python lintian
	@scripts/deb.sh

# Two release builds from nothing.
.PHONY: reproducible
reproducible:    ## build the packages of the last commit twice, and fail if they differ
	@scripts/reproducible.sh

# Needs root, and Debian 12's mirror.
.PHONY: package-test
package-test:    ## piuparts and autopkgtest on the packages of the last 'make deb'
	@scripts/package-test.sh

# Needs root, and a mirror of Debian the first time.
.PHONY: containers-test
containers-test: build    ## services in containers before a daemon, and a daemon in a container, with podman
	@scripts/containers-test.sh

# Hours, as root: KEY=FILE is the SSH key that signs, BEFORE=COMMIT the build that people have (the last tag), TRIAL=1 for a version without notes.
.PHONY: release
release:    ## all that a release of the last commit needs, and nothing is published
	@scripts/release.sh

# Needs root, and a mirror of Debian the first time.
.PHONY: image
image:    ## an OCI image of the packages of the last 'make deb' on Debian 13, tried with podman
	@scripts/image.sh
	@scripts/image-test.sh

.PHONY: sbom
sbom: build    ## write what the release programs are made of, in CycloneDX 1.5
	@scripts/sbom.py .build/release/kistd .build/release/kistd-keys .build/release/kist .build/release/kist-claimd

# Needs root, and a mirror of Debian the first time. KEEP_PACKAGES=1 takes the packages of the last 'make deb'; SUITE=trixie is Debian 13, else 12.
.PHONY: system-test
system-test:    ## install the packages on a machine with systemd, and do there what people do
	@scripts/system-test.sh

.PHONY: bench-imports
bench-imports: build venv    ## measure how long importing one more key takes in a store of 9,000
	@.venv/bin/python benchmarks/imports.py 9000 .build/release

# Needs 10 GB in TMPDIR, and some ten minutes to fill them.
.PHONY: bench-start
bench-start: build venv    ## measure how long a start takes beside a log of 10 GB
	@.venv/bin/python benchmarks/start.py .build/release

# Needs root, and 1 kB in TMPDIR for each record: 12 GB.
.PHONY: bench-capacity
bench-capacity: build venv    ## measure the log's size, and starting, verifying and restoring beside 10^6 and 10^7 records
	@.venv/bin/python benchmarks/capacity.py .build/release

# Needs root, and a tmpfs in /dev/shm.
.PHONY: bench-durability
bench-durability: build venv    ## measure openings and signatures on disks whose syncs take up to 20 ms
	@.venv/bin/python benchmarks/durability.py .build/release

# Builds the packages of PREVIOUS the first time. A commit that changes a format on disk names the step that can no longer go back.
PREVIOUS ?= $(shell git describe --tags --abbrev=0 HEAD~ 2>/dev/null || echo HEAD~)
.PHONY: upgrade-test
upgrade-test:    ## upgrade the packages of PREVIOUS (the last tag, or HEAD~) with data to these, and go back
	@PREVIOUS=$(PREVIOUS) scripts/system-test.sh

# Every decoder under libFuzzer and AddressSanitizer; what is found is left in .build-fuzz/findings.
SECONDS ?= 60
.PHONY: fuzz
fuzz: deps    ## fuzz every decoder for SECONDS (60) each, and say how often and what it found
	@scripts/fuzz.sh $(SECONDS)

.PHONY: generate
generate:    ## write the daemon's messages and the clients' tables from proto/kist.proto
	@proto/generate.py

.PHONY: format
format:    ## rewrite the Swift and Go files the way check wants them
	swift format format --recursive --in-place --parallel Package.swift Sources Tests clients/swift
	gofmt -w clients/go

.PHONY: demo
demo: deps    ## open a payment token in a sandbox and show what came of it
	@scripts/demo.sh

.PHONY: services-try
services-try: build venv    ## start all HTTP services over a sandbox, and ask each something that succeeds; Ctrl-C ends them
	@$(MAKE) --silent --directory clients/openssl
	@KIST_PROGRAM=.build/release/kist PYTHONPATH=services/src:clients/python/src .venv/bin/python services/shop/tryout.py

# Debian 12's are in the requirements; the newest are those of the day.
.PHONY: services-test
services-test: venv    ## test the HTTP services on Debian 12's Starlette and uvicorn, and on PyPI's newest
	@scripts/services.sh
	@scripts/services-newest.sh

# CASES is how many each service gets at least, of another seed each time.
CASES ?= 2000
.PHONY: fuzz-services
fuzz-services: venv    ## ask each HTTP service CASES (2000) things that its OpenAPI description allows, or not
	@KIST_OPENAPI_CASES=$(CASES) scripts/services.sh tests/test_openapi.py

# PORT is of 127.0.0.1.
PORT ?= 8080
.PHONY: shop
shop: build venv    ## a checkout with Apple Pay on 127.0.0.1:8080, out of a sandbox; Ctrl-C ends it
	@$(MAKE) --silent --directory clients/openssl
	@KIST_PROGRAM=.build/release/kist PYTHONPATH=services/src:clients/python/src .venv/bin/python services/shop/shop.py --port $(PORT)

# Independent programs that the interoperability tests compare Kist with.
.PHONY: venv
venv: .venv/installed    ## make the Python environment of the interoperability tests
.venv/installed: Tests/interop/requirements.txt | deps
	@scripts/venv.sh $< $@

.PHONY: clean
clean:    ## remove everything that was built
	rm -rf .build .build-* .venv clients/c/build clients/openssl/build clients/pkcs11/build clients/java/build clients/python/dist services/dist benchmarks/build

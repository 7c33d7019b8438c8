# `make` lists the targets.
.DEFAULT_GOAL := help
.NOTPARALLEL:
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

CC ?= cc
GO ?= go
VERSION := $(or $(shell git describe --tags --always --dirty 2>/dev/null),dev)
FUZZTIME ?= 20s

# Tests, vet and staticcheck compile with the flags of bin/vaak, so each package is compiled
# once for all of them, and with -trimpath once for all checkouts. To compile them all takes as
# long as to run the tests.
export CGO_ENABLED := 0
export GOFLAGS := $(strip $(filter-out -trimpath,$(shell $(GO) env GOFLAGS 2>/dev/null)) -trimpath)

# `make run LISTEN=127.0.0.1:0 ADMIN_LISTEN=127.0.0.1:0 DATA_DIR=/tmp/vaak` overrides
# where it listens and keeps its data; CONSOLE_LISTEN is that of the console.
export LISTEN ADMIN_LISTEN CONSOLE_LISTEN DATA_DIR FUZZTIME

# Tests and the benchmark start the worker that was built here; bin/vaak finds the
# one beside it.
test check quick golden bench fuzz soak machines machines-write: export VAAK_ESPEAK_WORKER := $(CURDIR)/bin/vaak-espeak-worker

# A test without a part of the machine that it needs fails: `make test` installs them all.
test: export VAAK_NEED := 1

WORKER := engine/espeak/worker
WORKER_HEADERS := $(wildcard $(WORKER)/*.h)
WORKER_SOURCES := $(filter-out $(WORKER)/bench.c,$(wildcard $(WORKER)/*.c))
WORKER_CFLAGS := -O2 -std=c11 -Wall -Wextra -D_GNU_SOURCE
# Statically where the library comes as an archive: a fork then has 10 mappings to
# copy instead of 200, which halves the time to first audio. See unused.c. Looked at
# when the worker is linked, since installing comes before that.
WORKER_STATIC = $(WORKER_SOURCES) -static -l:libespeak-ng.a -lm -lpthread
WORKER_SHARED = $(filter-out $(WORKER)/unused.c,$(WORKER_SOURCES)) -Wl,-z,now -lespeak-ng
WORKER_LINK = $$([ -e "$$($(CC) -print-file-name=libespeak-ng.a)" ] && echo '$(WORKER_STATIC)' || echo '$(WORKER_SHARED)')

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: install-build build ## install what is missing, build, serve, print a key and a curl line
	@exec tools/run

# `make lint` vets, so the tests do not vet again.
TEST := $(GO) test -vet=off

# The race detector needs cgo. SQLite, which is C translated to Go, is compiled without it: it
# works in memory that it maps itself, which the race detector does not watch, and with it
# takes five times as long. The driver between SQLite and our code is compiled with it.
UNWATCHED := modernc.org/sqlite/lib modernc.org/libc modernc.org/memory
#
# A program with the race detector sleeps before it ends, so that reports are written. By
# default it sleeps a second, which the tests would wait for some thousand times.
RACE := CGO_ENABLED=1 GORACE=atexit_sleep_ms=100 $(TEST) -race $(UNWATCHED:%=-gcflags=%=-race=false)

# Packages that compute. They start no goroutine, which `make lint` checks; their tests at most
# run beside each other, and share tables that are made once. With the race detector they take
# ten times as long, and the servers that use them are tested with it. A package that is not in
# the list is tested with the race detector.
COMPUTE := ./account/ledger ./audio ./audio/acoustic ./audio/decode $(patsubst %/,./%,$(wildcard audio/decode/*/)) \
	./audio/resample ./audio/tempo ./catalogue/clean ./catalogue/export/feed ./catalogue/export/sitemap \
	./catalogue/ingest ./catalogue/ingest/archive ./catalogue/ingest/card ./catalogue/ingest/inspect ./catalogue/ingest/layout \
	./catalogue/measure/fingerprint ./catalogue/measure/level ./catalogue/measure/personal ./catalogue/measure/sonogram \
	./catalogue/measure/talk ./catalogue/measure/tune ./catalogue/transcript ./console/audit ./console/chart \
	./console/snippet ./console/usage ./croissant/check/jsonpath ./croissant/graph ./croissant/read ./croissant/write \
	./dictionary/lexicon ./enquiry ./internal/archtest ./internal/fault ./internal/negotiate ./internal/netrange ./internal/ui \
	./lang ./lang/internal/gram ./mcp/plain ./mcp/schema ./speech/align ./speech/caption ./speech/chunk \
	./speech/seam ./store/migrations ./text ./text/frontend ./text/markdown ./text/normalize/abbreviation \
	./text/normalize/cldr ./text/normalize/cldr/generate ./text/respell/notation ./text/segment ./text/stop \
	./text/translit
RACY = $(filter-out $(COMPUTE:./%=vaak/%),$(shell $(GO) list ./...))

# Tests that are called TestCommand run commands that end by themselves: they start no server, and
# take many times as long with the race detector, which the servers are tested with.
COMMAND := -skip '^TestCommand'

# Tests that are called TestLengthy start several servers, measure much sound or memory, or do
# more than they do with -short: internal/archtest knows them. They run as the packages ship,
# and with the race detector only as far as -short has them.
LENGTHY = $(shell grep -rl --include='*_test.go' --exclude-dir=$(notdir $(BROWSER)) --exclude-dir=$(WORKSHOP) --exclude-dir=node_modules '^func TestLengthy' . | xargs -n 1 dirname | sort -u)

# The longest comes first, so that the others run beside it.
LONGEST := ./cmd/vaak

# The tests with a browser are a module of their own, and so are the programs that
# measure the product and write its tables.
BROWSER := console/browser
WORKSHOP := workshop

# Packages of the workshop that start goroutines.
WORKSHOP_RACY := ./bench/... ./pools ./voices/rig ./voices/timbre

# Tests of object storage need a server that takes minutes to build, once. It is built behind the
# others, or beside them by who starts `tools/install s3` before.
STORAGE := ./speech ./app/backup ./deploy ./speech/clip ./store/files/bucket

# Servers wait most of the time, so four tests of a package run at once. A database of a
# million rows is filled in seconds without the race detector, and in minutes with it.
.PHONY: test
test: install-test build ## install what is missing and run every test
	$(RACE) -short $(COMMAND) -count=1 -timeout 30m -parallel 4 $(LONGEST) $(filter-out $(LONGEST:./%=vaak/%) $(STORAGE:./%=vaak/%),$(RACY))
	tools/install s3
	$(RACE) -short -count=1 -timeout 30m -parallel 4 $(STORAGE)
	$(TEST) -count=1 -timeout 30m -parallel 4 -run '^Test(Lengthy|Command)' $(LONGEST) $(filter-out $(LONGEST) $(COMPUTE),$(LENGTHY))
	$(TEST) -count=1 -timeout 30m $(COMPUTE)
	VAAK_SOAK=1 $(TEST) -count=1 -timeout 10m -run '^TestSoakOverviewOfMillion$$' ./console
	cd $(WORKSHOP) && $(RACE) -short -count=1 -timeout 30m $(WORKSHOP_RACY)
	cd $(WORKSHOP) && $(TEST) -count=1 -timeout 30m ./...
	cd $(BROWSER) && $(TEST) -count=1 -parallel 2 -timeout 10m .

.PHONY: check
check: build lint generated ## what must pass before a commit: lint, imports, generated files, short tests
	$(TEST) -count=1 ./internal/archtest
	$(TEST) -short -timeout 20m $(COMPUTE)
	$(RACE) -short $(COMMAND) -timeout 20m -parallel 4 $(RACY)
	$(TEST) -short -timeout 20m -run '^TestCommand' $(LONGEST)
	cd $(WORKSHOP) && $(TEST) -short -timeout 20m ./...

# Compares with the upstream of the branch, or main; BASE=COMMIT with another.
.PHONY: quick
quick: bin/vaak-espeak-worker bin/quick ## check a change in under a minute: gofmt, vet, imports, short tests of what changed and what uses it
	bin/quick $(if $(BASE),--base $(BASE))

.PHONY: screens
screens: install-test build ## write pictures of the console's pages to docs/screens, and those that a page shows to docs/images
	cd $(BROWSER) && VAAK_SCREENS=$(CURDIR)/docs/screens $(GO) test -count=1 -timeout 10m -run '^TestScreens$$' .
	@for page in overview playground dictionary; do cp docs/screens/$$page-desktop.png docs/images/console-$$page.png; done

.PHONY: clients
clients: install-conformance ## fetch what make conformance drives the service with
	conformance/run --install

.PHONY: conformance
conformance: install-conformance build ## drive the service with our clients and the official OpenAI, ElevenLabs and MCP ones, with LiveKit, Pipecat, litellm and others, and mlcroissant, and run the MCP suite
	conformance/run

.PHONY: first-sound
first-sound: install-conformance build ## measure in Chromium how long the demonstration takes from a click to the first sound
	@[ -d conformance/node_modules ] || conformance/run --install
	node conformance/first-sound.mjs

.PHONY: conformance-docs
conformance-docs: install-conformance build ## the same, and write docs/conformance.md
	conformance/run --write

.PHONY: build
build: bin/vaak-espeak-worker ## compile bin/vaak and bin/vaak-espeak-worker
	$(GO) build -buildvcs=false -ldflags '-X main.version=$(VERSION)' -o bin/vaak ./cmd/vaak

bin/vaak-espeak-worker: $(WORKER_SOURCES) $(WORKER_HEADERS) Makefile
	@mkdir -p bin
	$(CC) $(WORKER_CFLAGS) -o $@ $(WORKER_LINK)

bin/vaak-espeak-bench: $(WORKER)/bench.c $(WORKER_HEADERS) Makefile
	@mkdir -p bin
	$(CC) $(WORKER_CFLAGS) -o $@ $< -lespeak-ng

# With more memory it takes a third less processor time.
STATICCHECK := GOGC=400 $(GO) tool

.PHONY: lint
lint: ## gofmt, go vet, staticcheck
	@unformatted=$$(find . \( -name node_modules -o -name .venv -o -name .git \) -prune -o -name '*.go' -print0 | xargs -0 gofmt -l); [ -z "$$unformatted" ] || { echo "not formatted by gofmt:" $$unformatted >&2; exit 1; }
	@! grep -nE '^\s*go [A-Za-z.]+\(|\.Go\(' $(COMPUTE:%=%/*.go) || { echo "COMPUTE in the Makefile lists packages that start goroutines: test them with the race detector" >&2; exit 1; }
	@for script in packaging/dist packaging/try packaging/try-inside tools/install tools/run tools/fuzz tools/measure tools/unchanged conformance/run .ci/run; do bash -n $$script; done
	$(GO) vet ./...
	cd $(BROWSER) && $(GO) vet .
	cd $(WORKSHOP) && $(GO) vet ./...
	cd tools && $(GO) vet ./...
	$(STATICCHECK) -modfile=tools/go.mod staticcheck ./...
	cd $(WORKSHOP) && $(STATICCHECK) -modfile=../tools/go.mod staticcheck ./...
	cd tools && $(STATICCHECK) staticcheck ./...

.PHONY: generate
generate: install-generate openapi ## make every generated file anew
	$(GO) generate ./...

.PHONY: generated
generated: install-generate build
	@for d in openapi asyncapi; do bin/vaak $$d | cmp -s - $$d.json || { echo "$$d.json is not what the server describes: run \`make openapi\`" >&2; exit 1; }; done
	tools/unchanged $(GO) generate ./...
	node conformance/quotes.mjs

.PHONY: openapi
openapi: build ## write openapi.json and asyncapi.json from the server's own descriptions
	bin/vaak openapi >openapi.json.new
	mv openapi.json.new openapi.json
	bin/vaak asyncapi >asyncapi.json.new
	mv asyncapi.json.new asyncapi.json

.PHONY: golden
golden: build ## rewrite the golden files of the tests; read the difference before you commit it
	@packages=$$(grep -rl --include='*_test.go' 'flag\.Bool("update"' . | xargs -r -n 1 dirname | sort -u); \
	[ -n "$$packages" ] || { echo "no package has golden files"; exit 0; }; \
	$(GO) test -count=1 $$packages -update

.PHONY: bench
bench: install-bench build bin/vaak-espeak-bench bin/bench ## measure against the bare library and a naive server; writes docs/performance.md. make bench ARGS='--only SECTION' prints one section, ARGS=--quick tries all
	bin/bench $(ARGS)

.PHONY: voices
voices: build bin/voices ## measure the voices: how they sound, and their accents in every language; fails where two are too near or one is not understood
	bin/voices $(ARGS)

.PHONY: voices-write
voices-write: build ## the same, and write the tables, pictures and figures that are made of it
	@for part in timbres phonemes accents; do \
		$(MAKE) --no-print-directory bin/voices && bin/voices --write $$part || exit; \
	done

.PHONY: languages
languages: bin/languages ## write docs/languages.md: how good each language is
	bin/languages --write

.PHONY: pools
pools: bin/pools ## simulate 10,000 streams on 200 model servers that fail in many ways
	bin/pools $(ARGS)

.PHONY: machines
machines: build ## three servers, a standby, HAProxy: take parts away under load, measure 200 hours together; half an hour, 7 GB in TMPDIR
	VAAK_SOAK=1 VAAK_NEED=1 $(GO) test -v -count=1 -timeout 0 -run '^TestSoak' ./deploy/machines

.PHONY: machines-write
machines-write: build ## the same, and write its tables into docs/scale.md
	VAAK_SOAK=1 VAAK_NEED=1 $(GO) test -v -count=1 -timeout 0 -run '^TestSoak' ./deploy/machines -write

.PHONY: pools-write
pools-write: bin/pools ## the same, and write the table of docs/scale.md
	bin/pools --write

# The programs of the workshop run in this directory. They have code and tables of the
# product built in, so they are built before each run.
WORKSHOP_PROGRAMS := bin/bench bin/languages bin/pools bin/quick bin/voices
.PHONY: $(WORKSHOP_PROGRAMS)
$(WORKSHOP_PROGRAMS):
	cd $(WORKSHOP) && $(GO) build -o ../$@ ./$(@F)

.PHONY: dist
dist: install-dist ## make the packages for amd64 and arm64 in dist: .deb, .tar.gz, bills of materials, checksums
	packaging/dist

# Needs Node.js; npm fetches the official program that checks and packs.
.PHONY: mcpb
mcpb: ## make the bundles for Claude Desktop in dist: vaak-catalogue.mcpb and vaak-speech.mcpb
	packaging/mcpb/build

# Needs root, and some minutes for each suite.
.PHONY: dist-try
dist-try: dist ## install the package on bare roots of Debian 12 and 13 and Ubuntu 24.04, boot them, use the service, remove it; SUITES names others
	packaging/try "$$(ls -t dist/vaak_*_$$(dpkg --print-architecture).deb | head -n 1)" $(or $(SUITES),bookworm trixie noble)

# Debian releases have no Asterisk with AudioSocket, so this is no part of `make test`. Needs root.
.PHONY: asterisk
asterisk: install-asterisk build ## have a real Asterisk call vaak telephony, and compare what it records with what the server says
	VAAK_ESPEAK_WORKER=$(CURDIR)/bin/vaak-espeak-worker VAAK_ASTERISK=$(CURDIR)/.cache/asterisk $(TEST) -v -count=1 -run '^TestAsterisk$$' ./cmd/vaak

.PHONY: fuzz
fuzz: build ## run each fuzz target for FUZZTIME (20s)
	tools/fuzz

.PHONY: soak
soak: build ## run the long loops; minutes to hours
	@packages=$$(grep -rl --include='*_test.go' '^func TestSoak' . | xargs -r -n 1 dirname | sort -u); \
	[ -n "$$packages" ] || { echo "no package has long loops"; exit 0; }; \
	VAAK_SOAK=1 $(GO) test -v -count=1 -timeout 0 -run '^TestSoak' $$packages

.PHONY: clean
clean: ## remove what was built, not the data
	rm -rf bin dist conformance/node_modules conformance/.venv agents-examples/typescript/node_modules

install-%:
	@tools/install $*

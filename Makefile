# sidefork: what can be made. `make help` lists it.

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
LDFLAGS := -s -w -X main.version=$(VERSION)
GO      ?= go
DIST    ?= dist
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
PREFIX  ?= /usr/local
# The time of the commit, in seconds: what is made of it says no other.
EPOCH   ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
# How long `make test-long` lets each fuzz target look.
FUZZTIME ?= 1m
# The program is static: docs/decisions/0007-static.md.
STATIC  := CGO_ENABLED=0
# go test, with what is skipped remembered for the list at the end of `make test`.
TEST    := bin/skips test

# Nothing that go makes knows its folder, so that what one clone has built another need not build again.
export GOFLAGS += -trimpath

# `make test TMPDIR=/tmp` is on the disk; so is test-long.
ifndef TMPDIR
MEMORY := $(shell test/memory)
ifneq ($(MEMORY),)
export TMPDIR := $(MEMORY)
endif
endif

# The product. `make check` tests it all but the stories, which fork real repositories, and what needs real agents or odd ones.
ROOMS  := ./cmd/... ./sidecar/... ./commands/... ./carry/... ./sessions/...
# What the tests are judged and driven by has tests of its own.
JUDGES := ./test/template ./test/skips ./test/compare/... ./test/snapshot/... ./test/fakeapi/... ./test/ptydrive/... ./test/editor/... ./test/zed

.PHONY: build install dist demo check static formatted vetted darwin windows jsonv2 agents-vetted linted lua skips units test neovim test-neovim stories cases agents test-vscode test-long fuzz bench bench-against vscode vsix fmt clean help

build: ## make bin/sidefork
	$(STATIC) $(GO) build -ldflags '$(LDFLAGS)' -o bin/sidefork ./cmd/sidefork

install: ## put sidefork, its man pages and completions below PREFIX (default /usr/local; DESTDIR is put before it)
	@mkdir -p '$(DESTDIR)$(PREFIX)/bin'
	$(STATIC) $(GO) build -ldflags '$(LDFLAGS)' -o '$(DESTDIR)$(PREFIX)/bin/sidefork' ./cmd/sidefork
	SOURCE_DATE_EPOCH='$(EPOCH)' $(GO) run ./cmd/manual '$(DESTDIR)$(PREFIX)/share' '$(VERSION)'

# The same source gives the same bytes, wherever it lies and whether it is a clone or an archive. The version is all that is stamped.
dist: ## make static programs for PLATFORMS in dist, with SHA256SUMS
	@mkdir -p '$(DIST)'
	@rm -f '$(DIST)/SHA256SUMS'
	@set -e; for platform in $(PLATFORMS); do \
		name=sidefork-$${platform%/*}-$${platform#*/}; \
		case $$platform in windows/*) name=$$name.exe;; esac; \
		$(STATIC) GOOS=$${platform%/*} GOARCH=$${platform#*/} $(GO) build -trimpath -buildvcs=false -ldflags '$(LDFLAGS)' -o "$(DIST)/$$name" ./cmd/sidefork; \
		(cd '$(DIST)' && if command -v sha256sum >/dev/null; then sha256sum $$name; else shasum -a 256 $$name; fi) | tee -a '$(DIST)/SHA256SUMS'; \
	done

demo: build ## fork a sample session over LSP, step by step; the sample stays
	$(GO) run ./test/demo bin/sidefork

check: ## formatting, vet, staticcheck, and the unit tests with -race: under two minutes
	@$(MAKE) --no-print-directory -j2 static
	$(GO) test -race -short -skip TestStories $(ROOMS) ./test/template ./test
	@echo 'make check: all of it passed (of the largest tables a tenth; make test runs them whole)'

# What is settled without a test, each for itself: they run side by side.
static: linted vetted darwin windows jsonv2 agents-vetted formatted lua

formatted:
	@unformatted=$$($(GO) tool gofumpt -l cmd sidecar commands carry sessions test); \
	if [ -n "$$unformatted" ]; then $(GO) tool gofumpt -d $$unformatted; echo "make fmt would change: $$unformatted"; exit 1; fi

lua:
	@test/neovim/stylua --check

vetted:
	$(GO) vet ./...

darwin windows:
	GOOS=$@ $(GO) vet $(ROOMS)

jsonv2:
	GOEXPERIMENT=jsonv2 $(GO) build ./...

agents-vetted:
	$(GO) vet -tags agents ./test/agents/...

linted:
	$(GO) tool staticcheck ./...
	$(GO) tool staticcheck -tags agents ./test/agents/...

skips:
	$(GO) build -o bin/skips ./test/skips

units: skips
	$(TEST) -skip TestStories $(ROOMS) $(JUDGES) ./test

test: ## all of it: units, stories, the bank of odd repositories, real agents and editors (installs them by npm)
	@rm -f bin/skipped
	@$(MAKE) --no-print-directory units stories cases neovim agents test-vscode
	@bin/skips list
	@echo 'make test: all of it passed, real agents included'

stories: skips
	$(TEST) -run TestStories ./test

cases: skips
	$(TEST) ./test/cases/... ./test/crash/... ./test/property/... ./test/form ./test/terminals ./test/remote ./test/wire ./test/zed ./test/demo

# Neovim's tests are skipped, and named at the end, where the Neovims cannot be had; the real agents' want them too.
neovim: skips
	@test/neovim/get || echo 'the Neovims could not be had: their tests are skipped'
	$(TEST) ./test/neovim

test-neovim: ## the Neovim plugin, in the oldest Neovim and the newest, also with the real Claude Code
	@rm -f bin/skipped
	@$(MAKE) --no-print-directory neovim
	GO_TEST='$(TEST)' test/agents/run -run Neovim
	@bin/skips list

agents: skips
	GO_TEST='$(TEST)' test/agents/run

test-vscode: ## the VS Code extension in a real workbench, in Chromium, with Claude Code (installs them by npm; Chromium has to be there)
	test/vscode/run

test-long: test ## test, then what takes longer: every case again, on the disk, under load, fuzzing
	env -u TMPDIR $(GO) test -race -count=3 -timeout 60m $(ROOMS) ./test/cases/... ./test/crash/...
	$(GO) test -race -timeout 60m -run TestStories ./test
	$(GO) test -timeout 60m -run 'RandomStates|LivingParent|RulesThatChange' ./carry -rounds 1000 -live 200 -rules
	env -u TMPDIR $(GO) test -timeout 60m -run Kill ./test/crash -kills 40
	$(GO) test -timeout 60m -v -run Random ./test/property -forks 400 -seed 2
	$(GO) test -timeout 60m -v -run ManyClients ./test/remote -soak 3m
	$(MAKE) --no-print-directory fuzz

fuzz: ## every fuzz target for FUZZTIME (default 1m) each
	@set -e; for file in $$(grep -rl '^func Fuzz' --include='*_test.go' cmd sidecar commands carry sessions test); do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9]*\)(.*/\1/p' $$file); do \
			echo "$$target in ./$$(dirname $$file)"; \
			$(GO) test -run XXX -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) ./$$(dirname $$file); \
		done; \
	done

bench: build ## measure sidefork against plain git and a trivial server, and write docs/performance.md
	$(GO) run ./test/bench -write docs/performance.md

bench-against: ## compare the Go benchmarks with those of another commit: make bench-against BASE=v0.1.0
	GO='$(GO)' test/bench/against $(BASE)

# One file for each platform, with the program for it: TARGET=darwin-arm64, win32-x64, linux-arm64 … (as vsce has them). Wants Node 22.
TARGET ?= $(shell node -p 'process.platform + "-" + process.arch' 2>/dev/null)
vsix_os   = $(subst win32,windows,$(firstword $(subst -, ,$(TARGET))))
vsix_arch = $(subst x64,amd64,$(lastword $(subst -, ,$(TARGET))))
VSCODE := editors/vscode

vscode: $(VSCODE)/node_modules ## make the VS Code extension and run its unit tests (npm)
	cd $(VSCODE) && npm run --silent check && npm run --silent build

$(VSCODE)/node_modules: $(VSCODE)/package-lock.json
	cd $(VSCODE) && npm ci --no-audit --no-fund && touch node_modules

vsix: vscode ## make dist/sidefork-TARGET.vsix, the extension with the program for TARGET in it
	rm -rf $(VSCODE)/bin && mkdir -p dist
	$(STATIC) GOOS=$(vsix_os) GOARCH=$(vsix_arch) $(GO) build -ldflags '$(LDFLAGS)' -o $(VSCODE)/bin/sidefork$(if $(filter windows,$(vsix_os)),.exe) ./cmd/sidefork
	cp LICENSE $(VSCODE)/LICENSE
	cd $(VSCODE) && npx --no-install vsce package --no-dependencies --target $(TARGET) -o $(CURDIR)/dist/sidefork-$(TARGET).vsix

fmt: ## format the sources
	$(GO) tool gofumpt -w cmd sidecar commands carry sessions test
	@test/neovim/stylua

clean: ## remove what was made here; the agents in .cache stay
	rm -rf bin dist $(VSCODE)/bin $(VSCODE)/dist

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

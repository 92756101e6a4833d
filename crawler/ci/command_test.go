package ci

import (
	"testing"
)

func TestScript(t *testing.T) {
	scripts := map[string]string{
		"test": "vitest run", "build": "tsc && chmod +x dist/index.js", "lint": "eslint .", "check": "npm run lint",
		"empty": "echo \"Error: no test specified\" && exit 1", "ci": "npm run lint && npm test", "loop": "npm run loop",
	}
	files := map[string]string{
		"Makefile": "PY ?= uv run\nall: build\nbuild:\n\tgo build ./...\ncheck: lint vet\nlint:\n" +
			"\tgolangci-lint run\nvet: ; \ntest:\n\t$(PY) pytest\n",
		"rs/Makefile.toml": `
[tasks.quality]
dependencies = ["style", "suite"]
[tasks.style]
command = "cargo"
args = ["clippy"]
[tasks.suite]
script = ["cargo test --all"]
[tasks.other]
dependencies = ["elsewhere"]
`,
		"scripts/ci.sh":              "#!/bin/sh\nset -e\ncargo test --all\n",
		"scripts/plan.sh":            "echo plan\n",
		"scripts/setup_test_data.py": "", "scripts/run_tests.py": "", "setup_and_test.py": "",
	}
	for script, want := range map[string]kind{
		"npm test":                               tests,
		"npm ci":                                 none,
		"npm run lint":                           none,
		"npm run check":                          none,
		"npm run ci":                             tests,
		"npm run empty":                          none,
		"npm run loop":                           none,
		"npm run build --if-present":             build,
		"npm run verify":                         maybe,
		"npm publish --provenance":               none,
		"pnpm -r test":                           tests,
		"pnpm --filter a test":                   tests,
		"node --x node_modules/jest/bin/jest.js": tests,
		"cargo make check":                       maybe,
		"yarn":                                   none,
		"yarn install --immutable":               none,
		"npx tsc --noEmit":                       build,
		"npx jest@29 --version":                  none,
		"CI=true npx --yes jest":                 tests,
		"uv run --with pytest pytest -q":         tests,
		"uv sync && uv run pytest":               tests,
		"pip install pytest":                     none,
		"echo pytest":                            none,
		"python -m pytest tests":                 tests,
		"python -m build":                        none,
		"python -m unittest discover":            tests,
		"hatch run test":                         tests,
		"make":                                   build,
		"make test":                              tests,
		"make check":                             none,
		"make release":                           none,
		"go vet ./...":                           none,
		"go -C cmd test ./...":                   tests,
		"cargo fmt --check":                      none,
		"cargo install cargo-test":               none,
		"./mvnw -B clean verify":                 tests,
		"./gradlew :app:test":                    tests,
		"./gradlew :its:integrationTest":         tests,
		"./gradlew testDebugUnitTest":            tests,
		"gradle :app:check":                      tests,
		"gradle build -x test":                   build,
		"gradle spotlessCheck":                   none,
		"gradle -p test publish":                 none,
		"cargo make quality":                     maybe,
		"cd rs && cargo make quality":            tests,
		"cd rs && cargo make style":              none,
		"cd rs && cargo make other":              maybe,
		"cargo make":                             maybe,
		"cargo make lint":                        none,
		"just everything":                        maybe,
		"task":                                   maybe,
		"dotnet restore\ndotnet test --no-build": tests,
		"docker build -t x .":                    build,
		"docker run x build":                     none,
		"if [ -f x ]; then\n  npm test\nfi":      tests,
		"cd sub && npm run build":                build,
		"bash -c 'npm test'":                     tests,
		"./scripts/ci.sh":                        tests,
		"bash scripts/ci.sh":                     tests,
		"bash scripts/plan.sh":                   none,
		"python scripts/setup_test_data.py":      none,
		"uv run python scripts/run_tests.py":     tests,
		"python ./setup_and_test.py":             tests,
		"cd ${{ inputs.dir }} && npm test":       tests,
		"if ($env:CI) { exit }\nnpm i; npm test": tests, // PowerShell
		"echo ($x)\necho \"npm test\" && exit":   none,
		"cat <<EOF\nnpm test\nEOF":               none,
		"# npm test":                             none,
		"VERSION=$(cat VERSION)":                 none,
		"A=1 B=2":                                none,
		"turbo run build test":                   build,
		"npx playwright install":                 none,
		"npx playwright test":                    tests,
		"ruff check .":                           none,
		"npx @modelcontextprotocol/inspector --cli node dist/index.js": none,
	} {
		t.Run(script, func(t *testing.T) {
			if got := repository(files, scripts).script(script, "", 0).kind(); got != want {
				t.Errorf("got %d, want %d", got, want)
			}
		})
	}
}

func FuzzScript(f *testing.F) {
	f.Add("npm test && (cd a; make) | tee x")
	f.Fuzz(func(_ *testing.T, text string) {
		repository(map[string]string{"Makefile": text}, map[string]string{"test": text}).script(text, "", 0)
		_, _ = repository(nil, nil).Workflow("w", text)
		repository(nil, nil).Other("w", text)
	})
}

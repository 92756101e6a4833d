package ci

import (
	"testing"
)

func TestScript(t *testing.T) {
	scripts := map[string]string{
		"test": "vitest run", "build": "tsc && chmod +x dist/index.js", "lint": "eslint .", "check": "npm run lint",
		"empty": "echo \"Error: no test specified\" && exit 1", "ci": "npm run lint && npm test", "loop": "npm run loop",
	}
	for script, want := range map[string]kind{
		"npm test":                               tests,
		"npm ci":                                 other,
		"npm run lint":                           other,
		"npm run check":                          other,
		"npm run ci":                             tests,
		"npm run empty":                          other,
		"npm run loop":                           unknown,
		"npm run build --if-present":             build,
		"npm run verify":                         unknown,
		"npm publish --provenance":               other,
		"pnpm -r test":                           tests,
		"pnpm --filter a test":                   tests,
		"node --x node_modules/jest/bin/jest.js": tests,
		"cargo make check":                       unknown,
		"yarn":                                   other,
		"yarn install --immutable":               other,
		"npx tsc --noEmit":                       build,
		"npx jest@29 --version":                  other,
		"CI=true npx --yes jest":                 tests,
		"uv run --with pytest pytest -q":         tests,
		"uv sync && uv run pytest":               tests,
		"pip install pytest":                     other,
		"echo pytest":                            other,
		"python -m pytest tests":                 tests,
		"python -m build":                        build,
		"python -m unittest discover":            tests,
		"hatch run test":                         tests,
		"make":                                   unknown,
		"make test":                              tests,
		"make check":                             unknown,
		"make release":                           other,
		"go vet ./...":                           other,
		"go -C cmd test ./...":                   tests,
		"cargo fmt --check":                      other,
		"cargo install cargo-test":               other,
		"./mvnw -B clean verify":                 tests,
		"./gradlew :app:test":                    tests,
		"./gradlew :its:integrationTest":         tests,
		"./gradlew testDebugUnitTest":            tests,
		"gradle :app:check":                      tests,
		"gradle build -x test":                   build,
		"gradle spotlessCheck":                   unknown,
		"gradle -p test publish":                 other,
		"cargo make quality":                     unknown,
		"cd rs && cargo make quality":            unknown,
		"cargo make":                             unknown,
		"cargo make lint":                        other,
		"just everything":                        unknown,
		"task":                                   unknown,
		"dotnet restore\ndotnet test --no-build": tests,
		"docker build -t x .":                    build,
		"docker run x build":                     other,
		"if [ -f x ]; then\n  npm test\nfi":      tests,
		"cd sub && npm run build":                build,
		"bash -c 'npm test'":                     tests,
		"./scripts/ci.sh":                        unknown,
		"bash scripts/ci.sh":                     unknown,
		"bash scripts/plan.sh":                   unknown,
		"python scripts/setup_test_data.py":      other,
		"uv run python scripts/run_tests.py":     tests,
		"python ./setup_and_test.py":             tests,
		"cd ${{ inputs.dir }} && npm test":       tests,
		"if ($env:CI) { exit }\nnpm i; npm test": tests, // PowerShell
		"echo ($x)\necho \"npm test\" && exit":   other,
		"cat <<EOF\nnpm test\nEOF":               other,
		"# npm test":                             other,
		"VERSION=$(cat VERSION)":                 other,
		"A=1 B=2":                                other,
		"turbo run build test":                   tests,
		"pnpm turbo run test":                    tests,
		"npx turbo run test":                     tests,
		"pnpm turbo run lint":                    other,
		"pnpm exec nx run-many -t test":          tests,
		"nx run-many --target=build,test":        tests,
		"npx nx affected -t e2e":                 tests,
		"yarn vitest run":                        tests,
		"npm run lint -w test":                   other,
		"pnpm --filter test lint":                other,
		"mvn -B package -DskipTests":             build,
		"clojure -M:test":                        tests,
		"clojure -T:build test":                  tests,
		"dotnet test -p:Configuration=Release":   tests,
		"pytest -x":                              tests,
		"mvn -B -V verify":                       tests,
		"./gradlew clean assemble check":         tests,
		"node --import tsx --test":               tests,
		"node -e 'require(\"./build/test.js\")'": unknown,
		"python setup.py sdist":                  unknown,
		"cmake -B build && cmake --build build":  build,
		"npm --prefix=web run build":             build,
		"./bin/release.sh --test":                other,
		"wunderlich --all":                       unknown,
		"node scripts/release.js":                other,
		"echo npm test":                          other,
		"docker compose run web pytest":          other,
		"npx playwright install":                 other,
		"npx playwright test":                    tests,
		"ruff check .":                           other,
		"npx @modelcontextprotocol/inspector --cli node dist/index.js": unknown,
	} {
		t.Run(script, func(t *testing.T) {
			var f Finding
			got, _ := repository(nil, scripts).search("w", "push", &f).script(script)
			if got == other && f.Unread {
				got = unknown
			}
			if got != want {
				t.Errorf("got %d, want %d", got, want)
			}
		})
	}
}

func FuzzScript(f *testing.F) {
	f.Add("npm test && (cd a; make) | tee x")
	f.Add("on: push\njobs:\n  a:\n    steps:\n      - run: npm test\n")
	f.Fuzz(func(_ *testing.T, text string) {
		r := repository(map[string]string{"a": text}, map[string]string{"test": text})
		_, _ = r.Workflow("w", text, "")
		r.Other("w", "script: "+text)
		r.Other("w", text)
	})
}

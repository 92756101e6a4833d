package paths

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFile(t *testing.T) {
	for kind, files := range map[Kind]string{
		Own: `main.go src/server.ts src/tools/docs/docs.rs src/tools/build/jobs.ts servers/docs/main.py
			servers/helm/index.ts lib/contest.py src/latest.ts cmd/attest.go pkg/test_runs.go
			src/inspector.ts src/Contest.java demographics/server.py sampling/tools.py src/domain/demand.ts
			protests/main.go internal/tools/spec/status.go README.md package.json
			packages/weather/src/index.ts src/IT.java src/testimony.py src/website.ts distribution/main.go
			src/external/client.ts com/x/external/Client.java src/it.ts it/main.go src/generator.ts
			src/tools/cypress/run.ts src/generated.ts a/pb.go src/_pbx.ts src/gen.ts
			src/tools/gen/run.ts src/regen.ts src/main/java/com/example/Tools.java
			app/src/main/kotlin/org/test/demo/Main.kt`,
		Tooling: `scripts/release.ts hack/gen.go eng/build.py testing/client.py test-utils/client.ts
			packages/mail-test/index.ts evals/run.py weather-evals/run.py benchmarks/run.go
			conformance/src/main/java/a/B.java
			.github/scripts/label.js .storybook/main.ts jest.config.js src/sort.bench.ts setup.py
			test-client.js src/a.test-utils.ts conftest.py app/migrations/0001.py
			TestLib/Client.swift Weather.Test/Client.cs testutils/a.ts internal/testutil/a.go
			src/testhelpers/a.ts cmd/gen/main.go`,
		Docs: `docs/conf.py doc/build.rs website/src/index.tsx documentation/x.py site/main.js
			src/Button.stories.tsx stories/a.ts specs/api.py docusaurus/sidebar.js`,
		Example: `examples/client.py example-client/main.go demos/x.py demo/x.py demoserver/server.py
			samples/Chat/Program.cs cookbook/a.py cookbooks/a.py playground/index.ts tutorials/one/main.rs
			quickstart-go/main.go samples/src/main/java/org/a/B.java notebooks/a.py getting-started/index.js weather-demo/app.py
			examples/docs/a.py servers/example-server/index.ts`,
		Test: `tests/test_server.py test/server.js src/server.test.ts src/server.spec.tsx pkg/a_test.go
			src/__tests__/a.ts spec/models/a_spec.rb e2e/run.ts integration-tests/a.py unit-tests/a.ts
			its/src/Main.java src/test/java/a/B.java app/src/androidTest/kotlin/A.kt test_server.py
			test.py tests.rs src/ServerTest.java Sources/ServerTests.swift src/ServerIT.java a/ServerSpec.kt
			src/a.e2e.ts examples/tests/test_a.py tests/examples/a.py tests/conftest.py
			IntegrationTests/Main.cs Weather.Tests/ServerTests.cs src/commonTest/kotlin/AppTest.kt
			unit_test/x.py functional-tests/a.ts AppUITests/A.swift tests-support/x.rb src/tools/tests/a.rs
			tests\a.py src\test\java\A.java src/it/java/A.java src/it/x/verify.groovy cypress/run.ts
			app/cypress/support/a.ts`,
		Fixture: `testdata/a.go fixtures/server/index.ts test/fixtures/a.py __mocks__/fs.js mocks/a.ts
			src/api.mock.ts __fixtures__/a.js mock-server/index.ts`,
		Generated: `dist/index.js build/index.js out/main.js target/debug/a.rs coverage/a.js
			src/types.d.ts src/vendor.min.js pb/a.pb.go a/b_pb2.py a/b_pb2_grpc.py obj/A.g.cs
			__pycache__/a.py .next/server.js tests/__snapshots__/a.js generated/a.ts src/generated/a.ts
			src/__generated__/a.ts src/api.generated.ts src/a_generated.go zz_generated.deepcopy.go lib/a.g.dart
			lib/a.freezed.dart pb/a.pb.gw.go pb/a_grpc.pb.go pb/a.pb.validate.go pb/a.pb.cc a/b_pb.ts a/b_pb.d.ts
			a/b_grpc_pb.js lib/a.pbjson.dart Form.Designer.cs obj/A.g.i.cs generated-client/a.py
			api/types.gen.go src/client.gen.ts gen/go/tides/v1/tides.go src/gen/client.ts
			dist\index.js`,
		Foreign: `node_modules/a/test/a.js vendor/github.com/a/b.go third_party/a.py third-party/a.c
			venv/lib/a.py .venv/a.py lib/site-packages/a.py Pods/A/A.swift .yarn/a.cjs
			tools/node_modules/a.js examples/vendor/a.php bower_components/a.js
			external/a.py external/lib/a.c Godeps/_workspace/src/a/b.go node_modules\a\b.js`,
	} {
		for file := range strings.FieldsSeq(files) {
			if got := File(file); got != kind {
				t.Errorf("%s is %v, want %v", file, got, kind)
			}
		}
	}
}

func TestFolder(t *testing.T) {
	for dir, want := range map[string]Kind{
		"": Own, "src/mail": Own, "examples/mail": Example, ".github": Tooling, "docs": Docs, "servers/docs": Own,
		"node_modules/x": Foreign, "tools/fixtures": Fixture, "./a": Own, "../a": Tooling, "a//b": Own, "._": Tooling,
	} {
		if got := Folder(dir); got != want {
			t.Errorf("%q is %v, want %v", dir, got, want)
		}
	}
}

func TestLanguage(t *testing.T) {
	for file, want := range map[string]string{
		"a.ts": "TypeScript", "a.MJS": "JavaScript", "a/b.d.ts": "TypeScript", "Program.cs": "C#", "a.kts": "Kotlin",
		"main.go": "Go", "README.md": "", "Makefile": "", "": "", ".py": "Python", "a.py/b": "",
	} {
		if got := Language(file); got != want {
			t.Errorf("%q is %q, want %q", file, got, want)
		}
	}
	want := []string{"C", "C#", "C++", "Clojure"}
	if diff := cmp.Diff(want, Languages()[:len(want)]); diff != "" {
		t.Errorf("Languages -want +got:\n%s", diff)
	}
}

func BenchmarkFile(b *testing.B) {
	for b.Loop() {
		File("packages/weather-server/src/tools/forecast/hourly.ts")
	}
}

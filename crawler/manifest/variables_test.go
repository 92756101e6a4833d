package manifest

import (
	"strings"
	"testing"

	"mcpcensus/crawler/settings"
	"mcpcensus/internal/registry"
)

func TestParseEnvFile(t *testing.T) {
	got := must(t, ParseEnvFile, "# Key of the service\nW_API_KEY=your-key-here\n\nexport W_REGION=eu # where\n#W_DEBUG=true\nPATH=/bin\nnot a line\n")
	equal(t, []registry.Variable{
		{Name: "W_API_KEY", Description: "Key of the service", IsSecret: true},
		{Name: "W_REGION", Description: "where", Default: "eu"},
		{Name: "W_DEBUG"},
	}, got)
}

func TestParseEnvFile_comments(t *testing.T) {
	got := must(t, ParseEnvFile,
		"# Format: \"tree\" or \"json\". Defaults to \"tree\", which is\n# smaller.\n#\n"+
			"# W_FORMAT=tree\n\n# Server\n# Where it listens\nW_PORT=80\n\n"+
			"# --- Apps (optional) ---\n# Number of the app\n# - at the harbour\n# Example: 17\nW_APP=\n"+
			"# Key of the service. Required for all data.\n# Without it requests fail.\nW_KEY=\n"+
			"# REQUIRED: Site of the harbour\nW_SITE=\n# [Optional] Its zone\nW_ZONE=\n# REQUIRED: Level\nW_LEVEL=info\n"+
			"# Seconds that a request for one harbour may take, with the connection\n# (e.g. /tides).\nW_TIME=9\n"+
			"# Copyright of the harbour.\n# All rights reserved.\n#\n# Name of the port\nW_NAME=\n"+
			"# Model of the tides. "+strings.Repeat("Another one is slower. ", 10)+"\nW_MODEL=\n")
	equal(t, []registry.Variable{
		{Name: "W_FORMAT",
			Description: "Format: \"tree\" or \"json\". Defaults to \"tree\", which is smaller."},
		{Name: "W_PORT", Description: "Where it listens", Default: "80"},
		{Name: "W_APP", Description: "Number of the app"},
		{Name: "W_KEY", IsSecret: true,
			Description: "Key of the service. Required for all data. Without it requests fail."},
		{Name: "W_SITE", Description: "Site of the harbour", IsRequired: true},
		{Name: "W_ZONE", Description: "Its zone"},
		{Name: "W_LEVEL", Description: "Level", Default: "info"},
		{Name: "W_TIME", Default: "9",
			Description: "Seconds that a request for one harbour may take, with the connection (e.g. /tides)."},
		{Name: "W_NAME", Description: "Name of the port"},
		{Name: "W_MODEL", Description: "Model of the tides."},
	}, got)
}

func TestSourceEnvironment(t *testing.T) {
	for text, want := range map[string]string{
		"const k = process.env.TIDE_KEY":                                                           "TIDE_KEY",
		`process.env["TIDE_KEY"] ?? Deno.env.get("TIDE_B")`:                                        "TIDE_KEY TIDE_B",
		`os.environ.get("TIDE_KEY"), os.getenv("TIDE_B")`:                                          "TIDE_KEY TIDE_B",
		`os.Getenv("TIDE_KEY"); os.LookupEnv("TIDE_B")`:                                            "TIDE_KEY TIDE_B",
		`env!("TIDE_KEY")`:                                                                         "TIDE_KEY",
		`System.getenv("TIDE_KEY")`:                                                                "TIDE_KEY",
		`Environment.GetEnvironmentVariable("TIDE_KEY")`:                                           "TIDE_KEY",
		`const MAX_TIDES = 3; throw "TIDE_ERROR"`:                                                  "",
		`const p = Number(process.env.TIDE_PORT ?? 8080);`:                                         "TIDE_PORT=8080",
		`const z = process.env.TIDE_ZONE || "north";`:                                              "TIDE_ZONE=north",
		`const z = process.env.TIDE_ZONE || "";`:                                                   "TIDE_ZONE",
		`const k = process.env.TIDE_KEY!;`:                                                         "TIDE_KEY!",
		"const k = process.env.TIDE_KEY;\nif (!k) throw new Error('no key');":                      "TIDE_KEY!",
		"if (!process.env.TIDE_KEY) {\n  process.exit(1);\n}":                                      "TIDE_KEY!",
		"const a = process.env.TIDE_A;\nif (!a && !b) throw new Error('none');":                    "TIDE_A",
		"const p = process.env.TIDE_PASS;\nif (!p) {\n  if (!user) throw new Error('no user');\n}": "TIDE_PASS",
		"if (http) {\n  const k = process.env.TIDE_KEY!;\n}":                                       "TIDE_KEY",
		`key = os.environ["TIDE_KEY"]`:                                                             "TIDE_KEY!",
		`os.environ["TIDE_KEY"] = "x"`:                                                             "TIDE_KEY",
		`key = os.environ["TIDE_KEY"] if ok else None`:                                             "TIDE_KEY",
		"def f():\n    if remote:\n        return os.environ[\"TIDE_KEY\"]\n":                      "TIDE_KEY",
		"def f():\n    return os.environ[\"TIDE_KEY\"]\n":                                          "TIDE_KEY!",
		`zone = os.getenv("TIDE_ZONE", "north")`:                                                   "TIDE_ZONE=north",
		`zone = os.environ.get("TIDE_ZONE") or "north"`:                                            "TIDE_ZONE=north",
		`debug = os.getenv("TIDE_DEBUG", False)`:                                                   "TIDE_DEBUG=false",
		"k := os.Getenv(\"TIDE_KEY\")\nif k == \"\" {\n\tlog.Fatal(1)\n}":                          "TIDE_KEY!",
		"k := os.Getenv(\"TIDE_FILE\")\nif k == \"\" {\n\td, err := dir()\n\tif err != nil {\n\t\td = 0\n\t}\n\tk = d\n}":              "TIDE_FILE?",
		"const timeout = take(\"TIDE_WAIT\", 30_000);\nfunction take(name, preset) { return process.env[name] ?? preset; }":            "TIDE_WAIT=30000",
		"func first(a string, more ...string) string { return env(a, more...) }\nx := first(\"TIDE_HOST\", \"TIDE_NAME\")":             "",
		"function fail(code, text) { throw new Error(code, text) }\nfail(\"TIDE_GONE\", \"no tide\")":                                  "",
		"function load(all: NodeJS.ProcessEnv) {\n  return { a: all[\"TIDE_A\"], b: all.TIDE_B ?? \"x\" };\n}":                         "TIDE_A TIDE_B=x",
		"env = os.environ\nkey = env.get(\"TIDE_KEY\")\n":                                                                              "TIDE_KEY",
		"const string Name = \"TIDE_FILE\";\nvar p = Environment.GetEnvironmentVariable(Name);":                                        "TIDE_FILE",
		"var p = Environment.GetEnvironmentVariable(\"TIDE_FILE\");\nreturn !string.IsNullOrEmpty(p) ? p.Trim() : Usual;":              "TIDE_FILE?",
		"const p = process.env.TIDE_FILE;\nuse(p ? read(p) : usual());\nfunction f(p?: string) {}":                                     "TIDE_FILE?",
		"const p = process.env.TIDE_FILE;\nfunction f(p?: string) {}":                                                                  "TIDE_FILE",
		"const all = ['TIDE_A', 'TIDE_B'];\nconst none = all.filter((n) => !process.env[n]);\nif (none.length) throw new Error(none);": "TIDE_A! TIDE_B!",
		"const all = ['TIDE_A', 'TIDE_B'];\nfor (const n of all) {\n  show(process.env[n]);\n}":                                        "TIDE_A TIDE_B",
		"const all = ['TIDE_A'];\nfor (const n of all) {\n  if (!process.env[n]) continue;\n  return n;\n}\nthrow new Error('none');":  "TIDE_A",
		"const all = ['TIDE_A'];\nfor (const n of all) show(n);":                                                                       "",
		"all = [\n    \"TIDE_A\",\n]\nnone = [n for n in all if not os.getenv(n)]\nif none:\n    raise ValueError(none)\n":             "TIDE_A!",
		"class S:\n    key: str = field(default_factory=lambda: os.getenv(\"TIDE_KEY\", \"\"))\n\n" +
			"    def check(self):\n        if not self.key:\n            raise ValueError(1)\n": "TIDE_KEY TIDE_KEY!",
		"class S:\n    key: str = os.getenv(\"TIDE_KEY\", \"\")\n\n    def has(self):\n        if not self.key:\n            return False\n": "TIDE_KEY",
		"a: bool = Field(False, env=\"TIDE_SAFE\")":                        "TIDE_SAFE=false",
		"const Name = \"TIDE_ERROR\";\nthrow new Error(Name);":             "",
		`cmp.Or(os.Getenv("TIDE_KEY"), "")`:                                "TIDE_KEY",
		`cmp.Or(os.Getenv("TIDE_ZONE"), "north")`:                          "TIDE_ZONE=north",
		`env::var("TIDE_KEY").expect("TIDE_KEY")`:                          "TIDE_KEY!",
		`process.env.TIDE_LEVEL?.toLowerCase()`:                            "TIDE_LEVEL",
		`System.getenv("TIDE_PORT")?.toInt()`:                              "TIDE_PORT",
		`env::var("TIDE_KEY").map_err(to_text)?;`:                          "TIDE_KEY!",
		`env::var("TIDE_KEY")?;`:                                           "TIDE_KEY!",
		`env::var("TIDE_ZONE").unwrap_or_else(|_| "north".to_string())`:    "TIDE_ZONE=north",
		`env::var("TIDE_ZONE").ok()`:                                       "TIDE_ZONE?",
		`ENV.fetch("TIDE_KEY")`:                                            "TIDE_KEY!",
		`ENV.fetch("TIDE_ZONE", "north")`:                                  "TIDE_ZONE=north",
		`System.getenv("TIDE_KEY") ?: error("no key")`:                     "TIDE_KEY!",
		`Environment.GetEnvironmentVariable("TIDE_KEY") ?? throw new E();`: "TIDE_KEY!",
		"class S(BaseSettings):\n    api_key: str\n    zone: str = \"north\"\n    note: str | None = None\n" +
			"    model_config = SettingsConfigDict(env_prefix=\"TIDE_\")\n": "TIDE_API_KEY! TIDE_ZONE=north TIDE_NOTE",
		"class S(BaseSettings):\n    key: str = Field(\n        ..., description=\"key\"\n    )\n" +
			"    zone: str = Field(\n        default=\"north\",\n    )\n" +
			"    model_config = {\"env_prefix\": \"TIDE_\"}\n": "TIDE_KEY! TIDE_ZONE=north",
		"class S(BaseSettings):\n    key: str = Field(..., alias=\"TIDE_KEY\")\n": "TIDE_KEY TIDE_KEY!",
		"const e = z.object({\n  TIDE_KEY: z.string().min(1),\n  TIDE_PORT: z.coerce.number()\n    .default(80),\n" +
			"  TIDE_NOTE: z.string().optional(),\n}).parse(process.env)": "TIDE_KEY! TIDE_PORT=80 TIDE_NOTE",
		"const e = z.object({\n  TIDE_KEY: z\n    .string()\n    .describe(\n      'A key'\n    )\n    .optional(),\n" +
			"  'TIDE_ZONE': z.string(),\n}).parse(process.env)": "TIDE_KEY TIDE_ZONE!",
		"pub struct Settings {\n    pub host: Option<String>,\n    pub port: Option<u16>,\n}\n" +
			"let s = s.add_source(Environment::with_prefix(\"TIDE\"));\n" +
			"fn check(&self) -> R {\n    if self.host.is_none() {\n        return Err(e);\n    }\n}\n": "TIDE_HOST!",
		"cleanEnv(process.env, {\n  TIDE_KEY: str(),\n" +
			"  TIDE_PORT: port({ default: 80 }),\n})": "TIDE_KEY! TIDE_PORT=80",
		"Key string `env:\"TIDE_KEY,required\"`": "TIDE_KEY TIDE_KEY!",

		`k = Objects.requireNonNull(System.getenv("TIDE_KEY"), "TIDE_KEY");`:                            "TIDE_KEY!",
		`val k = requireNotNull(System.getenv("TIDE_KEY")) { "no key" }`:                                "TIDE_KEY!",
		`val k = System.getenv("TIDE_KEY") ?: exitProcess(1)`:                                           "TIDE_KEY!",
		"String k = System.getenv(\"TIDE_KEY\");\nif (k == null || k.isBlank()) {\n  throw new E();\n}": "TIDE_KEY!",
		"var k = Environment.GetEnvironmentVariable(\"TIDE_KEY\");\n" +
			"if (string.IsNullOrEmpty(k)) {\n  Environment.Exit(1);\n}": "TIDE_KEY!",
		`var z = Environment.GetEnvironmentVariable("TIDE_ZONE") ?? "north";`:                                 "TIDE_ZONE=north",
		`$k = getenv('TIDE_KEY') ?: throw new E('no key');`:                                                   "TIDE_KEY!",
		`$k = $_ENV['TIDE_KEY'] ?? die('no key');`:                                                            "TIDE_KEY!",
		"$k = getenv('TIDE_KEY');\nif ($k === false) {\n  exit(1);\n}":                                        "TIDE_KEY!",
		"$k = getenv('TIDE_KEY');\nif (!$k) {\n  throw new E();\n}":                                           "TIDE_KEY!",
		`$z = $_ENV['TIDE_ZONE'] ?? 'north';`:                                                                 "TIDE_ZONE=north",
		`key = ENV["TIDE_KEY"] or raise "no key"`:                                                             "TIDE_KEY!",
		`key = ENV["TIDE_KEY"] || abort("no key")`:                                                            "TIDE_KEY!",
		`key = ENV.fetch("TIDE_KEY") { raise "no key" }`:                                                      "TIDE_KEY!",
		`zone = ENV.fetch("TIDE_ZONE") { find_zone }`:                                                         "TIDE_ZONE",
		`raise "no key" unless ENV["TIDE_KEY"]`:                                                               "TIDE_KEY!",
		"key = ENV[\"TIDE_KEY\"]\nabort \"no key\" unless key\n":                                              "TIDE_KEY!",
		`let k = ProcessInfo.processInfo.environment["TIDE_KEY"]!`:                                            "TIDE_KEY!",
		"guard let k = ProcessInfo.processInfo.environment[\"TIDE_KEY\"] else {\n  fatalError(\"no key\")\n}": "TIDE_KEY!",
		`let z = ProcessInfo.processInfo.environment["TIDE_ZONE"] ?? "north"`:                                 "TIDE_ZONE=north",
		"if os.Getenv(\"TIDE_KEY\") == \"\" {\n\tlog.Fatal(1)\n}":                                             "TIDE_KEY!",
		"k, ok := os.LookupEnv(\"TIDE_KEY\")\nif !ok {\n\tpanic(1)\n}":                                        "TIDE_KEY!",
		"z := os.Getenv(\"TIDE_ZONE\")\nif z == \"\" {\n\tz = \"north\"\n}":                                   "TIDE_ZONE?",
		"d = os.getenv(\"TIDE_DIR\")\ntry:\n    if not d:\n        d = home()\n":                              "TIDE_DIR?",
		"  const a = process.env.TIDE_A;\n  const b = process.env.TIDE_B;\n" + strings.Repeat("  // note\n", 99) +
			"  if (!a) missing.push('A');\n  if (!c) {\n    if (!b) missing.push('B');\n  }\n": "TIDE_A! TIDE_B",
		"def f():\n    k = os.getenv(\"TIDE_KEY\")\n\ndef g(k):\n    if not k:\n        raise E()\n": "TIDE_KEY",
		"func of(key, preset string) string {\n\tif v := os.Getenv(key); v != \"\" {\n\t\treturn v\n\t}\n\treturn preset\n}\n" +
			"var zone, key = of(\"TIDE_ZONE\", \"north\"), of(\"TIDE_KEY\", \"\")\n": "TIDE_ZONE=north TIDE_KEY",
		"function num(key: string, preset?: number) {\n  const v = process.env[key];\n  if (!v) {\n    if (preset === undefined)" +
			" throw new E(key);\n    return preset;\n  }\n  return Number(v);\n}\nnum('TIDE_PORT', 80);\n": "TIDE_PORT=80",
		"def initialize\n  @k = ENV.fetch('TIDE_KEY', nil)\n\n  raise 'no key' unless @k\nend":           "TIDE_KEY!",
		`if os.Getenv("TIDE_RW") == "1" { panic(1) }`:                                                    "TIDE_RW",
		`env::var("TIDE_KEY").unwrap_or_else(|_| panic!("no key"))`:                                      "TIDE_KEY!",
		"env::var(\"TIDE_KEY\").unwrap_or_else(|_| {\n  eprintln!(\"no\");\n  std::process::exit(1)\n})": "TIDE_KEY!",
		"env::var(\"TIDE_ZONE\").unwrap_or_else(|_| find_zone());\npanic!()":                             "TIDE_ZONE?",
		"fn main() {}\n#[cfg(test)]\nmod tests {\n  fn k() { env::var(\"TIDE_KEY\").unwrap() }\n}":       "",
		"// const k = process.env.TIDE_KEY || 'a';":                                                      "",
		"try:\n    k = os.environ[\"TIDE_KEY\"]\nexcept KeyError:\n    k = None\n":                       "TIDE_KEY",
		"if __name__ == \"__main__\":\n    run(os.environ[\"TIDE_KEY\"])\n":                              "TIDE_KEY!",
		"Zone string `envconfig:\"TIDE_ZONE\" default:\"north\"`":                                        "TIDE_ZONE=north",
		"Key string `envconfig:\"TIDE_KEY\" required:\"true\"`":                                          "TIDE_KEY!",

		"server.tool(\n  'wave',\n  {},\n  async () => {\n    const k = process.env.TIDE_KEY!;\n": "TIDE_KEY@wave",
		"server.registerTool('wave', {\n  a: 1,\n}, async () => {\n  const k = process.env.TIDE_KEY;\n" +
			"  if (!k) throw new Error('no key');\n});": "TIDE_KEY@wave",
		"server.addTool({\n  name: 'wave',\n  execute: async () => {\n    call(process.env.TIDE_KEY!)\n": "TIDE_KEY@wave",
		"@mcp.tool()\nasync def wave(\n    a: int,\n) -> str:\n    return os.environ[\"TIDE_KEY\"]\n":    "TIDE_KEY@wave",
		"@mcp.tool(name=\"high_wave\")\ndef wave():\n    return os.environ[\"TIDE_KEY\"]\n":              "TIDE_KEY@high_wave",
		"@mcp.tool()\ndef wave():\n    pass\n\n\ndef key():\n    return os.environ[\"TIDE_KEY\"]\n":      "TIDE_KEY!",
		"@server.call_tool()\nasync def call(name):\n    return os.environ[\"TIDE_KEY\"]\n":              "TIDE_KEY!",
		"#[tool(description = \"x\")]\nfn wave() {\n    env::var(\"TIDE_KEY\").unwrap();\n}\n":           "TIDE_KEY@wave",
		"[McpServerTool(Name = \"wave\"), Description(\"x\")]\npublic static string Wave()\n{\n" +
			"    var k = Environment.GetEnvironmentVariable(\"TIDE_KEY\") ?? throw new E();\n": "TIDE_KEY@wave",
		"s.AddTool(mcp.NewTool(\"wave\"), func() {\n\tk := os.Getenv(\"TIDE_KEY\")\n\tif k == \"\" {\n\t\tpanic(1)\n\t}\n": "TIDE_KEY@wave",
		"async function main() {\n  const k = process.env.TIDE_KEY!;\n}":                                                   "TIDE_KEY!",

		"function need(name) {\n  const v = process.env[name];\n  if (!v) throw new Error(name);\n  return v;\n}\n" +
			"const KEY = 'TIDE_KEY';\nconst k = need(KEY), z = need(\"TIDE_ZONE\");": "TIDE_KEY! TIDE_ZONE!",
		"def get(name):\n    return os.getenv(name)\n\n\nkey = get(\"TIDE_KEY\")\n": "",
		"fn need(key: &str) -> R {\n    match env::var(key) {\n        Ok(v) => Ok(v),\n        _ => Err(E(key)),\n    }\n}\n" +
			"fn main() {\n    let k = need(\"TIDE_KEY\")?;\n    let z = need(\"TIDE_ZONE\").unwrap_or(x);\n}\n": "TIDE_KEY!",
		"fn find(key: &str) -> R {\n    match env::var(key) {\n        Ok(v) => Ok(v),\n        Err(VarError::NotPresent) => Ok(\"\"),\n" +
			"        Err(e) => Err(e),\n    }\n}\nfn main() {\n    let z = find(\"TIDE_ZONE\")?;\n}\n": "",
		"match env::var(\"TIDE_KEY\") {\n    Ok(v) => v,\n    Err(_) => panic!(\"no key\"),\n}":                                 "TIDE_KEY!",
		"match env::var(\"TIDE_ZONE\") {\n    Ok(v) => check(v).expect(\"bad\"),\n    Err(_) => 1,\n}":                          "TIDE_ZONE",
		"function find(name) {\n  const v = process.env[name];\n  if (v === 'x') throw new Error(name);\n}\nfind('TIDE_ZONE');": "",
		"const k = process.env.TIDE_KEY || '';\nif (!k) throw new Error('no key');":                                             "TIDE_KEY!",
		"key = os.getenv(\"TIDE_KEY\", \"\")\nif not key:\n    raise E()\n":                                                     "TIDE_KEY!",
		"self.key = os.getenv(\"TIDE_KEY\")\nif not self.key:\n    raise E()\n":                                                 "TIDE_KEY!",
		"$env['A'] = filter($_SERVER['TIDE_KEY'] ?? '');\nif (empty($env['A'])) {\n  throw new E();\n}":                         "TIDE_KEY!",
		"env::var(\"TIDE_KEY\").map_err(|_| {\n  anyhow!(\"no key\")\n})?;":                                                     "TIDE_KEY!",
		"env::var(\"TIDE_KEY\").expect(\"TIDE_KEY must be set in production\");":                                                "TIDE_KEY",
		"if (!process.env.TIDE_KEY) missing.push('TIDE_KEY');\n":                                                                "TIDE_KEY!",

		"new Option('--port <n>').env('TIDE_PORT').default(80)":                            "TIDE_PORT=80",
		"new Option('--port <n>').default(80).env('TIDE_PORT')":                            "TIDE_PORT=80",
		"new Option('--port <n>').env('TIDE_PORT').default(findPort())":                    "TIDE_PORT?",
		"new Option('--key <k>').env('TIDE_KEY').makeOptionMandatory()":                    "TIDE_KEY!",
		"new Option('--key <k>').env('TIDE_KEY')":                                          "TIDE_KEY",
		"@click.option(\"--port\", envvar=\"TIDE_PORT\", default=80)":                      "TIDE_PORT=80",
		"@click.option(\"--port\", default=80, envvar=\"TIDE_PORT\")":                      "TIDE_PORT=80",
		"@click.option(\"--key\", envvar=\"TIDE_KEY\", required=True)":                     "TIDE_KEY!",
		"#[arg(long, env = \"TIDE_PORT\", default_value_t = 80)]":                          "TIDE_PORT=80",
		"const DEFAULT_PORT = 80;\nconst p = process.env.TIDE_PORT || DEFAULT_PORT;":       "TIDE_PORT=80",
		"p = os.getenv(\"TIDE_PORT\", DEFAULT_PORT)":                                       "TIDE_PORT?",
		"z.object({\n  TIDE_PORT: z.string().default(PORT_OF_ALL),\n}).parse(process.env)": "TIDE_PORT?",
		"#[arg(\n    long,\n    action = ArgAction::SetTrue,\n    help = \"Writes.\",\n    env = \"TIDE_WRITE\"\n)]\n" +
			"pub write: bool,": "TIDE_WRITE=false",
		"#[arg(\n    long,\n    env = \"TIDE_PORT\",\n    default_value_t = 80\n)]\npub port: u16,": "TIDE_PORT=80",
		"#[arg(\n    long,\n    env = \"TIDE_SKIP\"\n)]\npub skip: Option<String>,":                 "TIDE_SKIP",
		// Of several variables one suffices.
		"if (!process.env.TIDE_A && !process.env.TIDE_B) {\n  throw new E('none');\n}":        "TIDE_A TIDE_B",
		"k = os.getenv(\"TIDE_A\") or os.getenv(\"TIDE_B\")\nif not k:\n    raise E()":        "TIDE_A TIDE_B",
		"const k = process.env.TIDE_A ?? file.key;\nif (!k) throw new E();":                   "TIDE_A",
		"if (!process.env.TIDE_A || !process.env.TIDE_B) {\n  throw new E();\n}":              "TIDE_A! TIDE_B!",
		"if (!isDemo && !process.env.TIDE_KEY) {\n  process.exit(1);\n}":                      "TIDE_KEY!",
		"if (process.env.TIDE_OLD) {\n  throw new E('gone');\n}":                              "TIDE_OLD",
		"if (!process.env.TIDE_KEY) {\n  a();\n  b();\n  c();\n  d();\n  process.exit(1);\n}": "TIDE_KEY!",
		"if not os.getenv(\"TIDE_ZONE\"):\n    a()\nb()\nraise E()\n":                         "TIDE_ZONE",
		"guard let a = p.environment[\"TIDE_A\"],\n  let b = p.environment[\"TIDE_B\"],\n  let u = URL(a)\n" +
			"else {\n  log(\"no key\")\n  throw E.failure\n}": "TIDE_A! TIDE_B!",
		"if not os.environ.get(\"TIDE_KEY\"):\n    k = make()\n    os.environ[\"TIDE_KEY\"] = k\n": "TIDE_KEY? TIDE_KEY",
		"if os.Getenv(\"TIDE_KEY\") == \"\" {\n\tos.Setenv(\"TIDE_KEY\", k)\n}":                    "TIDE_KEY?",
		"if (!process.env.TIDE_KEY) {\n  throw new Error('set process.env.TIDE_KEY == x');\n}":     "TIDE_KEY! TIDE_KEY",
		// Functions and branches for a missing value.
		"fn or(key: &str, or: &str) -> String {\n    env::var(key).unwrap_or_else(|_| or.into())\n}\n" +
			"fn path(key: &str, or: &str) -> Path {\n    full(&or(key, or))\n}\n" +
			"fn f() {\n    g(or(\"TIDE_A\", \"\"), path(\"TIDE_B\", \"~/b\"))\n}": "TIDE_A TIDE_B=~/b",
		"const e = process.env.TIDE_A;\nif (e) {\n  a = e;\n} else {\n  a = [x];\n}":       "TIDE_A?",
		"const e = process.env.TIDE_A;\nif (e) {\n  a = e;\n} else {\n  throw new E();\n}": "TIDE_A",
		// A class of settings that is a field of another one.
		"class A(BaseSettings):\n    id: str\n\n\nclass S(BaseSettings):\n    a: A | None = None\n": "",
	} {
		var got []string
		for _, c := range SourceEnvironment([]byte(text)) {
			s := c.Name + strings.Repeat("!", btoi(c.Need == settings.Required))
			if tool, ok := strings.CutPrefix(c.Description, registry.OnlyTool); ok {
				s += "@" + strings.TrimSuffix(tool, " requires it.")
			}
			if c.Default != "" {
				s += "=" + c.Default
			} else if c.Need == settings.Optional {
				s += "?"
			}
			got = append(got, s)
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestSwitches checks switches that only a value turns on, and classes that others extend.
func TestSwitches(t *testing.T) {
	for text, want := range map[string]string{
		"class S(ABC, BaseSettings):\n    tide_mode: Mode\n\n\n" +
			"class L(S):\n    tide_mode: Mode = Mode.A\n": "TIDE_MODE",
		`if (process.env.TIDE_WRITES !== 'true') { throw new E() }`:       "TIDE_WRITES=false",
		`const on = process.env.TIDE_WRITES === "1";`:                     "TIDE_WRITES=false",
		`on = os.environ.get("TIDE_WRITES", "").lower() in ("true", "1")`: "TIDE_WRITES=false",
		`const on = process.env.TIDE_WRITES !== 'false';`:                 "TIDE_WRITES",
	} {
		var got []string
		for _, c := range SourceEnvironment([]byte(text)) {
			got = append(got, c.Name+map[bool]string{true: "=" + c.Default}[c.Default != ""])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestNamesOfLists checks that code which goes through a list of names says nothing about their values.
func TestNamesOfLists(t *testing.T) {
	for code, want := range map[string]bool{"show(process.env[n])": true, "if (!process.env[n]) throw new Error(n)": false} {
		claims := SourceEnvironment([]byte("const all = ['TIDE_A'];\nall.forEach((n) => { " + code + "; });\n"))
		if len(claims) != 1 || claims[0].Weak != want {
			t.Errorf("%s: %+v, want weak %t", code, claims, want)
		}
	}
}

package generate

type language struct {
	sdk, framework, name string
	registry, runner     string
	install              string // format with identifier and version
}

// languages are ordered by frequency.
var languages = []language{
	{"typescript", "", "TypeScript", "npm", "npx", "npx -y %s@%s"},
	{"python", "fastmcp", "Python", "pypi", "uvx", "uvx %s@%s"},
	{"typescript", "", "JavaScript", "npm", "npx", "npx -y %s@%s"},
	{"python", "", "Python", "pypi", "uvx", "uvx %s@%s"},
	{"go", "mcp-go", "Go", "oci", "docker", "docker run -i --rm %s:%s"},
	{"rust", "rmcp", "Rust", "cargo", "", "cargo install %s --version %s"},
	{"java", "spring-ai", "Java", "", "", ""},
	{"csharp", "", "C#", "nuget", "dnx", "dnx %s@%s --yes"},
	{"kotlin", "", "Kotlin", "", "", ""},
	{"swift", "", "Swift", "", "", ""},
	{"ruby", "", "Ruby", "", "", ""},
	{"php", "", "PHP", "", "", ""},
	{"other", "", "Elixir", "", "", ""},
}

type topic struct {
	category string
	things   []string // what the server connects to
	verbs    []string
	objects  []string
}

// topics are ordered by frequency.
var topics = []topic{
	{"tools", []string{"filesystem", "shell", "browser", "git", "docker", "terminal", "clipboard",
		"regex", "calculator", "time zone", "kubernetes", "figma", "blender", "unity"},
		[]string{"read", "write", "run", "list", "open", "search", "convert", "render", "inspect"},
		[]string{"files", "folders", "commands", "containers", "images", "branches", "commits",
			"screenshots", "pods", "scenes", "processes", "diffs"}},
	{"api", []string{"openapi", "graphql", "rest", "weather", "maps", "currency", "translation",
		"flights", "recipes", "geocoding", "astronomy"},
		[]string{"fetch", "call", "query", "get", "look up", "translate"},
		[]string{"endpoints", "forecasts", "routes", "exchange rates", "places", "schemas",
			"responses", "alerts", "coordinates"}},
	{"database", []string{"postgres", "mysql", "sqlite", "mongodb", "redis", "snowflake",
		"bigquery", "clickhouse", "neo4j", "duckdb", "elasticsearch", "supabase", "qdrant"},
		[]string{"query", "list", "describe", "insert", "update", "explain", "migrate"},
		[]string{"tables", "schemas", "rows", "indexes", "collections", "documents", "queries",
			"embeddings", "views", "keys"}},
	{"integration", []string{"github", "gitlab", "salesforce", "shopify", "stripe", "hubspot",
		"aws", "azure", "cloudflare", "sap", "zendesk", "wordpress"},
		[]string{"create", "list", "update", "sync", "manage", "close"},
		[]string{"issues", "pull requests", "customers", "orders", "invoices", "deployments",
			"buckets", "functions", "contacts", "tickets", "products"}},
	{"productivity", []string{"notion", "obsidian", "todoist", "google calendar", "trello", "jira",
		"confluence", "evernote", "airtable", "google docs", "apple notes"},
		[]string{"create", "search", "update", "summarise", "plan", "list"},
		[]string{"notes", "pages", "tasks", "events", "boards", "calendars", "reminders",
			"documents", "projects", "comments"}},
	{"communication", []string{"slack", "discord", "telegram", "gmail", "whatsapp", "teams",
		"twilio", "matrix", "outlook", "mastodon", "zoom"},
		[]string{"send", "read", "search", "reply to", "list", "schedule"},
		[]string{"messages", "channels", "emails", "threads", "attachments", "calls", "meetings",
			"drafts", "contacts"}},
	{"data", []string{"arxiv", "wikipedia", "pdf", "web scraping", "crawler", "csv", "excel",
		"news", "census data", "pubmed", "youtube transcripts", "stock market"},
		[]string{"extract", "search", "download", "parse", "summarise", "collect"},
		[]string{"papers", "articles", "tables", "pages", "citations", "datasets", "transcripts",
			"quotes", "headlines", "spreadsheets"}},
	{"automation", []string{"playwright", "puppeteer", "n8n", "zapier", "home assistant",
		"selenium", "android", "ansible", "terraform", "github actions"},
		[]string{"click", "run", "trigger", "control", "schedule", "record"},
		[]string{"workflows", "forms", "devices", "lights", "jobs", "playbooks", "pages", "sensors",
			"automations", "tests"}},
	{"analytics", []string{"google analytics", "grafana", "prometheus", "posthog", "datadog",
		"mixpanel", "metabase", "sentry", "amplitude", "plausible"},
		[]string{"query", "chart", "compare", "report", "monitor", "export"},
		[]string{"metrics", "dashboards", "events", "funnels", "traces", "logs", "reports",
			"cohorts", "errors", "alerts"}},
	{"security", []string{"nmap", "vault", "virustotal", "shodan", "burp suite", "semgrep", "okta",
		"osv", "wireshark", "ghidra", "snyk"},
		[]string{"scan", "audit", "analyse", "detect", "rotate", "report"},
		[]string{"vulnerabilities", "secrets", "hosts", "ports", "certificates", "binaries",
			"findings", "threats", "policies", "tokens"}},
}

// common are frequent words in READMEs, ordered by frequency.
var common = []string{
	"the", "to", "a", "and", "server", "mcp", "with", "for", "your", "of", "in", "you", "is",
	"this", "use", "can", "from", "run", "install",
	"configuration", "claude", "api", "key", "client", "tools", "model", "context", "protocol",
	"example", "set", "file", "it", "on", "by",
	"environment", "variable", "desktop", "add", "following", "settings", "local", "support",
	"support for", "using", "default", "path", "token",
	"command", "node", "python", "docker", "build", "returns", "list", "name", "optional",
	"required", "version", "request", "response", "json",
	"data", "user", "account", "project", "license", "see", "documentation", "started", "quick",
	"features", "agent", "assistant", "language",
	"access", "secure", "open", "source", "remote", "cursor", "editor", "code", "all", "results",
	"query", "string", "number", "limit", "page",
	"error", "errors", "logging", "debug", "test", "tests", "development", "contributing", "issue",
	"pull", "issues", "package", "release",
	"transport", "stdio", "http", "streaming", "session", "authentication", "oauth", "credentials",
	"permission", "read-only", "timeout",
	"cache", "rate", "limits", "retry", "fast", "simple", "lightweight", "typed", "async",
	"concurrent", "cloud", "self-hosted", "workspace",
	"resource", "resources", "prompt", "prompts", "sampling", "schema", "validation", "output",
	"input", "format", "markdown", "template",
}

var (
	heads = []string{"ba", "cor", "del", "fen", "gal", "hex", "in", "jor", "kal", "lum", "mer",
		"nor", "ob", "pra", "quil", "ro", "sol", "tar", "um", "ver", "wil", "xen", "yor", "zan",
		"bri", "cla", "dro", "eli", "fla", "gri", "hy", "isk", "jun", "kro", "lin", "mo", "nex",
		"ori", "pel", "rav"}
	middles = []string{"ba", "cu", "di", "fo", "ga", "hi", "jo", "ka", "le", "mi", "na", "o", "pu",
		"ri", "sa", "te", "u", "vi", "wo", "xa", "ya", "zi", "bre", "cro", "dra", "fli", "glo",
		"sta", "tri", "plu", "sno", "sku"}
	tails = []string{"n", "x", "ra", "del", "ton", "mir", "lo", "base", "flow", "hub", "ly",
		"dex", "quo", "via", "nest", "port", "gen", "sk", "lane", "zor", "form", "kit", "net",
		"wise", "ify", "pad", "rix", "tor", "ware", "cast", "mind", "mark"}
)

package manifest

import (
	"path"
	"regexp"
	"strings"

	"mcpcensus/crawler/untyped"
	"mcpcensus/internal/registry"
)

var (
	toolName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.:/-]{0,99}$`)
	fileLike = regexp.MustCompile(`(?i)\.(?:json|md|ts|js|py|go|rs|ya?ml|toml|exe|sh|env|txt|csproj|java|html|com|org|io|dev|ai|net|app)$|^https?:|^/|^\.|^src/|^--|/$`)
)

// IsToolName says whether s can be the name of a tool.
func IsToolName(s string) bool {
	return len(s) <= 128 && toolName.MatchString(s) && !fileLike.MatchString(s)
}

// sourceRules find where source text registers a tool, by the file's
// extension. The first group is the name, or the function's name where the
// decorator gives none.
var sourceRules = map[string][]*regexp.Regexp{
	"ts": {
		regexp.MustCompile(`\.(?:registerTool|tool|addTool|registerAppTool)\s*(?:<[^>]*>)?\(\s*["'\x60]([A-Za-z][\w.:/-]{0,99})["'\x60]`),
		regexp.MustCompile(`\.(?:addTool|registerTool)\s*\(\s*\{\s*name\s*:\s*["'\x60]([A-Za-z][\w.:/-]{0,99})["'\x60]`),
		regexp.MustCompile(`(?s)\bname\s*:\s*["'\x60]([A-Za-z][\w.:/-]{0,99})["'\x60]\s*(?:as const)?\s*,.*?\b(?:inputSchema|input_schema)\b`),
		regexp.MustCompile(`\b(?:defineTool|createTool)\s*\(\s*\{\s*(?:name|id)\s*:\s*["'\x60]([A-Za-z][\w.:/-]{0,99})["'\x60]`),
	},
	"py": {
		regexp.MustCompile(`(?s)@(?:\w+\.)?(?:mcp\.|server\.|app\.)?tool\s*\(\s*(?:name\s*=\s*)?["']([A-Za-z][\w.:/-]{0,99})["']`),
		regexp.MustCompile(`(?s)@(?:\w+\.){0,2}tool\b(?:\s*\((?:[^()]|\([^()]*\))*\))?\s*(?:\n\s*@[^\n]*)*\n\s*(?:async\s+)?def\s+([A-Za-z_]\w{0,99})`),
		regexp.MustCompile(`(?s)\bTool\s*\(\s*name\s*=\s*["']([A-Za-z][\w.:/-]{0,99})["']`),
	},
	"go": {
		regexp.MustCompile(`\bmcp\.NewTool\s*\(\s*"([A-Za-z][\w.:/-]{0,99})"`),
		regexp.MustCompile(`(?s)\bmcp\.Tool\s*\{\s*(?:Annotations:[^\n]*\n\s*)?Name:\s*"([A-Za-z][\w.:/-]{0,99})"`),
		regexp.MustCompile(`\.RegisterTool\s*\(\s*"([A-Za-z][\w.:/-]{0,99})"`),
	},
	"rs": {
		regexp.MustCompile(`(?s)#\[tool\s*\((?:[^()]|\([^()]*\))*?\bname\s*=\s*"([A-Za-z][\w.:/-]{0,99})"`),
		regexp.MustCompile(`(?s)#\[tool\s*(?:\((?:[^()\]]|\([^()]*\))*\))?\s*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub\s+)?(?:async\s+)?fn\s+([a-z_]\w{0,99})`),
		regexp.MustCompile(`(?s)#\[mcp_tool\s*\(\s*name\s*=\s*"([A-Za-z][\w.:/-]{0,99})"`),
	},
	"cs": {
		regexp.MustCompile(`\[McpServerTool\s*\([^\])]*?Name\s*=\s*"([A-Za-z][\w.:/-]{0,99})"`),
		regexp.MustCompile(`(?s)\[McpServerTool(?:Attribute)?\b[^\n]*\]\s*(?:\[[^\n]*\]\s*)*public\s+(?:static\s+)?(?:async\s+)?[\w<>\[\],.? ]+?\s+([A-Z]\w{0,99})\s*\(`),
	},
	"java": {
		regexp.MustCompile(`(?s)@(?:Mcp)?Tool\s*\([^)]*?\bname\s*=\s*"([A-Za-z][\w.:/-]{0,99})"`),
		regexp.MustCompile(`(?s)@(?:Mcp)?Tool\s*(?:\((?:[^()]|\([^()]*\))*\))?\s*(?:@\w+[^\n]*\n\s*)*(?:public\s+|private\s+|protected\s+)?(?:suspend\s+)?(?:fun|[\w<>\[\],.? ]+?)\s+([a-z]\w{0,99})\s*\(`),
		regexp.MustCompile(`(?s)\baddTool\s*\(\s*name\s*=\s*"([A-Za-z][\w.:/-]{0,99})"`),
	},
	"swift": {regexp.MustCompile(`(?s)\bTool\s*\(\s*name:\s*"([A-Za-z][\w.:/-]{0,99})"`)},
	"rb":    {regexp.MustCompile(`(?m)^\s*tool_name\s+["']([A-Za-z][\w.:/-]{0,99})["']`)},
	"php":   {regexp.MustCompile(`#\[McpTool\s*\([^\])]*?name:\s*["']([A-Za-z][\w.:/-]{0,99})["']`)},
}

var sourceKinds = map[string]string{".ts": "ts", ".tsx": "ts", ".js": "ts", ".mjs": "ts", ".cjs": "ts", ".mts": "ts", ".py": "py", ".go": "go", ".rs": "rs", ".cs": "cs", ".java": "java", ".kt": "java", ".swift": "swift", ".rb": "rb", ".php": "php"}

// IsSource says whether [SourceTools] reads files with this name.
func IsSource(name string) bool {
	return sourceKinds[strings.ToLower(path.Ext(name))] != "" && !strings.HasSuffix(name, ".d.ts")
}

// SourceTools returns the tools that a source file registers under a literal
// name, in the order of the rules and of the text. Descriptions are left to
// other sources.
func SourceTools(name string, b []byte) []registry.Tool {
	b, err := untyped.Text(b, untyped.MaxSize)
	if err != nil {
		return nil
	}
	kind := sourceKinds[strings.ToLower(path.Ext(name))]
	var out []registry.Tool
	seen := map[string]bool{}
	named := map[int]bool{} // where a decorator gave the name itself
	for i, re := range sourceRules[kind] {
		for _, m := range re.FindAllSubmatchIndex(b, 500) {
			if i > 0 && named[m[0]] {
				continue
			}
			n := string(b[m[2]:m[3]])
			if kind == "py" || kind == "rs" || kind == "cs" || kind == "java" {
				named[m[0]] = true
			}
			if !seen[n] && IsToolName(n) && !strings.HasPrefix(n, "_") {
				seen[n] = true
				out = append(out, registry.Tool{Name: n})
			}
		}
	}
	return out
}

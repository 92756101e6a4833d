package manifest

import (
	"slices"
	"strings"
	"testing"
)

func TestSourceTransports(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"a.ts", "const t = new StdioServerTransport();", "stdio"},
		{"a.ts", "class Quiet extends Base {}\nserver.connect(new QuietStdioServerTransport())", "stdio"},
		{"a.ts", "new StreamableHTTPServerTransport({sessionIdGenerator: undefined})", "streamable-http"},
		{"a.js", "new SSEServerTransport('/messages', res)", "sse"},
		{"a.ts", "new StreamableHTTPClientTransport(url); new SSEClientTransport(url)", ""},
		{"a.ts", "// new StdioServerTransport()", ""},
		{"a.ts", `server.start({transportType: "httpStream", httpStream: {port: 8080}})`, "streamable-http"},
		{"a.ts", "export class MyMCP extends McpAgent {}\nMyMCP.serveSSE('/sse')", "sse streamable-http"},
		{"a.py", "mcp = FastMCP('x')\nmcp.run()", "stdio"},
		{"a.py", "app = FastMCP('x')\n\nif True:\n    app.run()", "stdio"},
		{"a.py", "app = Flask()\napp.run()", ""},
		{"a.py", `server.run(transport="streamable-http")`, "streamable-http"},
		{"a.py", `mcp.run(transport="sse")`, "sse"},
		{"a.py", `if transport == "http": pass`, "streamable-http"},
		{"a.py", `type=click.Choice(["stdio", "sse", "streamable-http"])`, "sse stdio streamable-http"},
		{"a.py", "async with stdio_server() as streams:", "stdio"},
		{"a.py", "async with stdio_client(p) as streams:", ""},
		{"a.go", "server.ServeStdio(s); server.NewStreamableHTTPServer(s)", "stdio streamable-http"},
		{"a.go", "s.Run(ctx, &mcp.StdioTransport{})\nmcp.NewSSEHandler(f)", "sse stdio"},
		{"a.rs", "use rmcp::transport::stdio;", "stdio"},
		{"a.rs", "use rmcp::{ServiceExt, transport::{io, stdio}};\nStreamableHttpService::new(f)", "stdio streamable-http"},
		{"A.java", "new HttpServletSseServerTransportProvider(m, p); new StdioServerTransportProvider(m)", "sse stdio"},
		{"A.java", "WebMvcStreamableServerTransportProvider.builder()", "streamable-http"},
		{"P.cs", "builder.Services.AddMcpServer().WithStdioServerTransport().WithHttpTransport();", "stdio streamable-http"},
		{"a.swift", "try await server.start(transport: StdioTransport())", "stdio"},
		{"a.md", "new StdioServerTransport()", ""},
	} {
		got := SourceTransports(c.file, []byte(c.text))
		slices.Sort(got)
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q: %s, want %s", c.file, c.text, s, c.want)
		}
	}
}

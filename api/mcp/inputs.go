package mcp

// Inputs of the tools. Descriptions are in the tags, other limits in tools.go. Empty
// values are absent.
type (
	findServersInput struct {
		Query         string `json:"query,omitempty" jsonschema:"What the server should do or connect to, in a few words. Without it, lists the best servers."`
		Match         string `json:"match,omitempty" jsonschema:"all: only servers with all words."`
		Category      string `json:"category,omitempty" jsonschema:"Only servers of this category."`
		MinScore      int    `json:"minScore,omitempty" jsonschema:"Minimum health score. Grade A starts at 80, B at 65."`
		Transport     string `json:"transport,omitempty" jsonschema:"Only servers with this transport."`
		RemoteOnly    bool   `json:"remoteOnly,omitempty" jsonschema:"Only servers hosted remotely."`
		NoCredentials bool   `json:"noCredentials,omitempty" jsonschema:"Only servers that need no API key, token or password."`
		ReadOnly      bool   `json:"readOnly,omitempty" jsonschema:"Only servers that can be used read-only."`
		SDK           string `json:"sdk,omitempty" jsonschema:"Only servers built on this MCP SDK."`
		Client        string `json:"client,omitempty" jsonschema:"Only servers for this client."`
		Limit         int    `json:"limit,omitempty" jsonschema:"Number of servers."`
		Cursor        string `json:"cursor,omitempty" jsonschema:"nextCursor of the previous result, with the other arguments unchanged."`
	}

	getServerInput struct {
		ID     string `json:"id" jsonschema:"ID of the server, its name in the official registry, or the URL of its repository."`
		Cursor string `json:"cursor,omitempty" jsonschema:"toolsNextCursor of the previous result, for more tools."`
	}

	listToolsInput struct {
		ID          string `json:"id" jsonschema:"ID of the server, its name in the official registry, or the URL of its repository."`
		WithSchemas bool   `json:"withSchemas,omitempty" jsonschema:"Include the input schemas of the tools."`
		Cursor      string `json:"cursor,omitempty" jsonschema:"nextCursor of the previous result, with the other arguments unchanged."`
	}

	findToolsInput struct {
		Query string `json:"query" jsonschema:"What the tool should do, in a few words."`
		Limit int    `json:"limit,omitempty" jsonschema:"Number of tools."`
	}

	getInstallConfigInput struct {
		ID     string `json:"id" jsonschema:"ID of the server, its name in the official registry, or the URL of its repository."`
		Client string `json:"client" jsonschema:"The MCP client to add the server to."`
		OS     string `json:"os,omitempty" jsonschema:"Operating system, for the path of the file."`
		Scope  string `json:"scope,omitempty" jsonschema:"user: all projects. project: the current folder, if supported."`
		Access string `json:"access,omitempty" jsonschema:"Default: read-only."`
	}

	checkRepositoryInput struct {
		URL string `json:"url" jsonschema:"URL of a public GitHub repository, with or without a folder."`
	}

	compareServersInput struct {
		IDs []string `json:"ids" jsonschema:"IDs of 2 to 5 servers."`
	}

	explainScoreInput struct {
		ID string `json:"id" jsonschema:"ID of the server, its name in the official registry, or the URL of its repository."`
	}

	whatsNewInput struct {
		Since    string `json:"since,omitempty" jsonschema:"RFC 3339 time or date, at most 90 days ago. Default: 7 days ago."`
		Category string `json:"category,omitempty" jsonschema:"Only servers of this category."`
	}
)

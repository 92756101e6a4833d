package mcp

import (
	"encoding/json"
	"time"

	"mcpcensus/internal/registry"
)

// Outputs of the tools. Unknown values are null. Lists are never nil.
type (
	findServersOutput struct {
		Servers    []serverEntry `json:"servers"`
		Total      *int          `json:"total" jsonschema:"Number of results; null if unknown."`
		NextCursor *string       `json:"nextCursor"`
		Warnings   []string      `json:"warnings"`
	}

	// A serverEntry is a server in a list.
	serverEntry struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Description string `json:"description"`
		// DescriptionSource is that of the API's records.
		DescriptionSource *string    `json:"descriptionSource" jsonschema:"composed if Census made it of the name and the tools; null otherwise."`
		Score             *int       `json:"score" jsonschema:"Health score, 0 to 100."`
		Grade             *string    `json:"grade" jsonschema:"A to F."`
		ScoredAt          *time.Time `json:"scoredAt"`
		Category          string     `json:"category"`
		Transports        []string   `json:"transports"`
		Tools             toolWeight `json:"tools"`
		Effect            string     `json:"effect" jsonschema:"Most severe effect of its tools."`
		EffectGuessed     bool       `json:"effectGuessed"`
		Credentials       []string   `json:"credentials" jsonschema:"Names of the secrets that it accepts."`
		Install           *launch    `json:"install" jsonschema:"Command that starts it; null if there is none or it is uncertain."`
		URL               string     `json:"url" jsonschema:"Its page."`
		condition

		LastCrawledAt *time.Time `json:"lastCrawledAt" jsonschema:"When the repository was crawled."`
	}

	// A condition says whether a server in a list can be used.
	condition struct {
		Liveness   *string         `json:"liveness" jsonschema:"State of its endpoints: alive, gated, down or unknown; null for none."`
		LivenessAt *time.Time      `json:"livenessAt" jsonschema:"When the endpoint was last probed."`
		Risks      []registry.Risk `json:"risks" jsonschema:"Reasons not to use the server."`
	}

	// A serverRisk is a risk of one of several servers.
	serverRisk struct {
		ID string `json:"id"`
		registry.Risk
	}

	toolWeight struct {
		Count   *int       `json:"count"`
		Tokens  *int       `json:"tokens" jsonschema:"Approximate number of tokens that the tools use in a model's context."`
		Source  *string    `json:"source" jsonschema:"probe, run, manifest, source or readme."`
		Version *string    `json:"version" jsonschema:"Server version that the tools belong to."`
		ReadAt  *time.Time `json:"readAt"`
		// Complete is only false of an incomplete list: it has no count then.
		Complete *bool `json:"complete" jsonschema:"Whether all tools are known."`
	}

	launch struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}

	toolNameEntry struct {
		Name    string `json:"name"`
		Summary string `json:"summary"`
		// Conditional is that of toolEntry.
		Conditional string `json:"conditional,omitempty"`
	}

	listToolsOutput struct {
		ID     string      `json:"id"`
		Tools  []toolEntry `json:"tools"`
		Total  *int        `json:"total"`
		Tokens *int        `json:"tokens"`
		// Complete is false if a start of the server may have more or fewer tools than are known.
		Complete *bool `json:"complete" jsonschema:"Whether all tools are known; null if none are."`
		// Source is the one of the list: probe, run, manifest, source or readme.
		Source          *string                   `json:"source"`
		Version         *string                   `json:"version"`
		ReadAt          *time.Time                `json:"readAt"`
		NextCursor      *string                   `json:"nextCursor"`
		Risks           []registry.Risk           `json:"risks"` // reasons not to use the server
		SuspiciousTexts []registry.SuspiciousText `json:"suspiciousTexts"`
		Warnings        []string                  `json:"warnings"`
	}

	toolEntry struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Tokens      *int   `json:"tokens"`
		ReadOnly    *bool  `json:"readOnly"`    // as declared by the server
		Destructive *bool  `json:"destructive"` // as declared by the server
		// Effect is read, write, destructive, execute or unknown, and Basis how that is known:
		// declared, source, schema or name.
		Effect string  `json:"effect"`
		Basis  string  `json:"basis,omitempty"`
		Hash   *string `json:"hash"`
		// InputSchema is only present with withSchemas; null if unknown, absent if too large.
		InputSchema json.RawMessage `json:"inputSchema,omitempty"`
		// Conditional is the condition under which the server registers the tool.
		Conditional string `json:"conditional,omitempty"`
	}

	findToolsOutput struct {
		Tools    []foundTool `json:"tools"`
		Warnings []string    `json:"warnings"`
	}

	foundTool struct {
		Tool        string     `json:"tool"` // server/tool
		Server      string     `json:"server"`
		Description string     `json:"description"`
		Conditional string     `json:"conditional,omitempty"` // that of toolEntry
		Tokens      *int       `json:"tokens"`
		Source      *string    `json:"source"` // as in listToolsOutput
		ReadAt      *time.Time `json:"readAt"`
		Score       *int       `json:"score"` // health score of the server
		ScoredAt    *time.Time `json:"scoredAt"`
		condition
	}

	getInstallConfigOutput struct {
		ID       string          `json:"id"`
		Client   string          `json:"client"`
		File     *string         `json:"file" jsonschema:"File that the snippet belongs in; ~ is the user's home directory."`
		Format   *string         `json:"format" jsonschema:"Use of the snippet. json or toml: add it to the file. command: run it in a shell. manual: enter it in the client."`
		Snippet  *string         `json:"snippet"`
		Command  *string         `json:"command" jsonschema:"Equivalent shell command."`
		DeepLink *string         `json:"deepLink" jsonschema:"Link that adds the server in the client."`
		Note     *string         `json:"note"`
		Access   *string         `json:"access"`
		Blanks   []blankEntry    `json:"blanks" jsonschema:"Values that only the user knows. Never invent them, and do not ask for secrets in the conversation."`
		Reason   *string         `json:"reason" jsonschema:"Why there is none."`
		Risks    []registry.Risk `json:"risks" jsonschema:"Reasons not to use the server."`
		Warnings []string        `json:"warnings"`

		LastCrawledAt *time.Time `json:"lastCrawledAt" jsonschema:"When the repository was crawled. The configuration is from then."`
		isRemote      bool       // it connects to the hosted endpoint, and starts nothing
	}

	blankEntry struct {
		Name        string  `json:"name"`
		Secret      bool    `json:"secret"`
		Description *string `json:"description"`
	}

	memberEntry struct {
		ID        *string    `json:"id"`
		Name      string     `json:"name"`
		Subfolder *string    `json:"subfolder"`
		Score     *int       `json:"score"`
		ScoredAt  *time.Time `json:"scoredAt"`
	}

	compareServersOutput struct {
		IDs      []string        `json:"ids" jsonschema:"Server IDs, in the order of the values."`
		Rows     []comparisonRow `json:"rows" jsonschema:"Facts that differ, and their dates."`
		Risks    []serverRisk    `json:"risks" jsonschema:"Reasons not to use the servers."`
		Warnings []string        `json:"warnings"`
	}

	comparisonRow struct {
		Name   string   `json:"name"`
		Values []string `json:"values" jsonschema:"One value per server; empty if unknown."`
	}

	whatsNewOutput struct {
		Since    time.Time   `json:"since"`
		Servers  []newsEntry `json:"servers"` // newest first
		More     bool        `json:"more"`    // older events were omitted
		Warnings []string    `json:"warnings"`
	}

	newsEntry struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		// Event is listed, updated (a release) or deprecated (also archived; known for 30 days).
		Event         string     `json:"event"`
		At            time.Time  `json:"at"` // of the event
		Version       *string    `json:"version"`
		Description   string     `json:"description"`
		Score         *int       `json:"score"`
		ScoredAt      *time.Time `json:"scoredAt"`
		ReleasedAt    *time.Time `json:"releasedAt"`    // when the version was released
		LastCrawledAt *time.Time `json:"lastCrawledAt"` // when the repository was last crawled
		condition
	}
)

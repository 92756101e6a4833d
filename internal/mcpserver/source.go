// Package mcpserver is a registry as an MCP server: its tools, resources, prompts and
// completions. Nothing in it writes or runs anything. Data come from a [Source].
//
// Texts that come from servers are hostile: the server removes invisible characters from
// every result, and marks results as quoted.
package mcpserver

import (
	"context"
	"fmt"
)

// A Source implements the tools. Inputs satisfy the input schemas; outputs must
// satisfy the output schemas. The text of an error is shown to the client if it is a
// [registry.Error] or a [CallError], so it says what to do.
type Source interface {
	FindServers(context.Context, FindServersInput) (*FindServersOutput, error)
	GetServer(context.Context, GetServerInput) (*GetServerOutput, error)
	ListTools(context.Context, ListToolsInput) (*ListToolsOutput, error)
	FindTools(context.Context, FindToolsInput) (*FindToolsOutput, error)
	GetInstallConfig(context.Context, GetInstallConfigInput) (*GetInstallConfigOutput, error)
	CheckRepository(context.Context, CheckRepositoryInput) (*CheckRepositoryOutput, error)
	CompareServers(context.Context, CompareServersInput) (*CompareServersOutput, error)
	ExplainScore(context.Context, ExplainScoreInput) (*ExplainScoreOutput, error)
	WhatsNew(context.Context, WhatsNewInput) (*WhatsNewOutput, error)

	// Readme returns the README of a server by its slug, in Markdown. An error is of kind
	// [registry.ErrNotFound] if there is none.
	Readme(ctx context.Context, slug string) (string, error)
	// Slugs returns at most n slugs that begin with or contain a text, and how many there
	// are.
	Slugs(ctx context.Context, text string, n int) (slugs []string, total int, err error)
}

// A CallError is an error whose text is shown to the client.
type CallError struct{ Text string }

func (e *CallError) Error() string { return e.Text }

func callErrorf(format string, args ...any) error {
	return &CallError{Text: fmt.Sprintf(format, args...)}
}

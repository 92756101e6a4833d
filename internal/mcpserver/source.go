// Package mcpserver exposes a registry as an MCP server: read-only tools, resources, prompts
// and completions. A [Source] provides the data.
//
// Texts of listed servers are untrusted: results have no invisible characters (see [Clean]),
// and are marked as quoted.
package mcpserver

import (
	"context"
	"fmt"
)

// A Source implements the tools. Inputs satisfy the input schemas; outputs must
// satisfy the output schemas. The texts of [registry.Error] and [CallError] are shown to the
// client, so they should name the remedy.
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
	// Slugs returns at most n slugs that contain a text, and the total number of matches.
	Slugs(ctx context.Context, text string, n int) (slugs []string, total int, err error)
}

// A CallError is an error whose text is shown to the client.
type CallError struct{ Text string }

func (e *CallError) Error() string { return e.Text }

func callErrorf(format string, args ...any) error {
	return &CallError{Text: fmt.Sprintf(format, args...)}
}

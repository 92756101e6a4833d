package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcpcensus/internal/registry"
)

// A Remote is a Source that calls the tools of a registry at its /mcp. It is safe for
// concurrent use.
type Remote struct {
	endpoint, key, agent, version string

	mu      sync.Mutex
	session *mcp.ClientSession
}

// remoteTimeout is the timeout of a call.
const remoteTimeout = 30 * time.Second

// maxRefusal is the maximum size of an error response, in bytes.
const maxRefusal = 64 << 10

// NewRemote returns the Source of the registry at baseURL. key is an API key or "".
func NewRemote(baseURL, key, agent, version string) *Remote {
	return &Remote{endpoint: strings.TrimRight(baseURL, "/") + "/mcp", key: key, agent: agent,
		version: version}
}

// RoundTrip adds the key. Its error is a CallError if the registry rejects the request with
// a reason.
func (r *Remote) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("User-Agent", r.agent+"/"+r.version)
	if r.key != "" {
		req.Header.Set("Authorization", "Bearer "+r.key)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil || res.StatusCode < http.StatusBadRequest {
		return res, err
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxRefusal))
	res.Body.Close()
	if err != nil {
		return nil, err
	}
	var refusal struct{ Error struct{ Message string } }
	if json.Unmarshal(text, &refusal) == nil && refusal.Error.Message != "" {
		return nil, &CallError{r.refused(res.StatusCode) + refusal.Error.Message}
	}
	res.Body = io.NopCloser(bytes.NewReader(text))
	return res, nil
}

// refused is the beginning of the error for a status of the registry.
func (r *Remote) refused(status int) string {
	if status == http.StatusUnauthorized && r.key != "" {
		return "The registry does not accept the API key in CENSUS_API_KEY: "
	}
	return "The registry rejected the call: "
}

// connect returns the session. The first call creates it.
func (r *Remote) connect(ctx context.Context) (*mcp.ClientSession, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session != nil {
		return r.session, nil
	}
	client := mcp.NewClient(&mcp.Implementation{Name: r.agent, Version: r.version}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: r.endpoint, DisableStandaloneSSE: true, MaxRetries: -1,
		HTTPClient: &http.Client{Transport: r, Timeout: remoteTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}, nil)
	if err != nil {
		return nil, r.unreachable(err)
	}
	r.session = session
	return session, nil
}

// drop closes a failed session, so that the next call creates a new one.
func (r *Remote) drop(failed *mcp.ClientSession) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session == failed {
		r.session = nil
		go failed.Close()
	}
}

// notSent is the code of the SDK's errors for requests that got no response.
const notSent = -32005

// unreachable returns the error for clients. Errors from the registry are passed on unchanged.
func (r *Remote) unreachable(err error) error {
	if e, ok := errors.AsType[*CallError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok && e.Code != notSent {
		return &CallError{"The registry rejected the call: " + e.Message}
	}
	return &CallError{fmt.Sprintf("The registry at %s did not respond: %v. Check the URL "+
		"(--registry) and the key (CENSUS_API_KEY).", strings.TrimSuffix(r.endpoint, "/mcp"), err)}
}

// call calls a tool of the registry.
func call[In, Out any](ctx context.Context, r *Remote, tool string, in In) (*Out, error) {
	session, err := r.connect(ctx)
	if err != nil {
		return nil, err
	}
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: in})
	if err != nil {
		if ctx.Err() == nil {
			r.drop(session)
		}
		return nil, r.unreachable(err)
	}
	if res.IsError {
		var sentences []string
		for _, c := range res.Content {
			if t, ok := c.(*mcp.TextContent); ok {
				sentences = append(sentences, t.Text)
			}
		}
		return nil, &CallError{strings.Join(sentences, "\n")}
	}
	b, err := json.Marshal(res.StructuredContent)
	out := new(Out)
	if err == nil {
		err = json.Unmarshal(b, out)
	}
	if err != nil {
		return nil, &CallError{"The registry returned an unexpected result. It may run an incompatible version."}
	}
	return out, nil
}

func (r *Remote) FindServers(ctx context.Context, in FindServersInput) (*FindServersOutput, error) {
	return call[FindServersInput, FindServersOutput](ctx, r, "find_servers", in)
}

func (r *Remote) GetServer(ctx context.Context, in GetServerInput) (*GetServerOutput, error) {
	return call[GetServerInput, GetServerOutput](ctx, r, "get_server", in)
}

func (r *Remote) ListTools(ctx context.Context, in ListToolsInput) (*ListToolsOutput, error) {
	return call[ListToolsInput, ListToolsOutput](ctx, r, "list_tools", in)
}

func (r *Remote) FindTools(ctx context.Context, in FindToolsInput) (*FindToolsOutput, error) {
	return call[FindToolsInput, FindToolsOutput](ctx, r, "find_tools", in)
}

func (r *Remote) GetInstallConfig(
	ctx context.Context, in GetInstallConfigInput,
) (*GetInstallConfigOutput, error) {
	return call[GetInstallConfigInput, GetInstallConfigOutput](ctx, r, "get_install_config", in)
}

func (r *Remote) CheckRepository(
	ctx context.Context, in CheckRepositoryInput,
) (*CheckRepositoryOutput, error) {
	return call[CheckRepositoryInput, CheckRepositoryOutput](ctx, r, "check_repository", in)
}

func (r *Remote) CompareServers(
	ctx context.Context, in CompareServersInput,
) (*CompareServersOutput, error) {
	return call[CompareServersInput, CompareServersOutput](ctx, r, "compare_servers", in)
}

func (r *Remote) ExplainScore(ctx context.Context, in ExplainScoreInput) (*ExplainScoreOutput, error) {
	return call[ExplainScoreInput, ExplainScoreOutput](ctx, r, "explain_score", in)
}

func (r *Remote) WhatsNew(ctx context.Context, in WhatsNewInput) (*WhatsNewOutput, error) {
	return call[WhatsNewInput, WhatsNewOutput](ctx, r, "whats_new", in)
}

// Readme returns the README of a server.
func (r *Remote) Readme(ctx context.Context, slug string) (string, error) {
	session, err := r.connect(ctx)
	if err != nil {
		return "", err
	}
	res, err := session.ReadResource(ctx,
		&mcp.ReadResourceParams{URI: serverPrefix + slug + readmeSuffix})
	if err != nil {
		return "", registry.Wrap(registry.ErrNotFound, err, "no README is stored")
	}
	var b strings.Builder
	for _, c := range res.Contents {
		b.WriteString(c.Text)
	}
	return strings.TrimPrefix(b.String(), readmeNotice), nil
}

// Slugs returns slugs that contain a text.
func (r *Remote) Slugs(ctx context.Context, text string, n int) ([]string, int, error) {
	session, err := r.connect(ctx)
	if err != nil {
		return nil, 0, err
	}
	res, err := session.Complete(ctx, &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/resource", URI: serverPrefix + "{slug}"},
		Argument: mcp.CompleteParamsArgument{Name: "slug", Value: text},
	})
	if err != nil {
		return nil, 0, err
	}
	return res.Completion.Values[:min(n, len(res.Completion.Values))], res.Completion.Total, nil
}

// Close ends the session.
func (r *Remote) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session == nil {
		return nil
	}
	err := r.session.Close()
	r.session = nil
	return errors.Unwrap(err)
}

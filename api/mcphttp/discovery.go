package mcphttp

import (
	"context"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"mcpcensus/api"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/mcpserver"
	"mcpcensus/internal/text"
)

const (
	cardPath             = Path + "/server-card"
	catalogPath          = "/.well-known/ai-catalog.json"
	resourceMetadataPath = "/.well-known/oauth-protected-resource" + Path

	cardType = "application/mcp-server-card+json"
)

// A Card is the server card.
type Card struct{ Name, Version, Title, Description string }

type (
	cardBody struct {
		Schema      string       `json:"$schema"`
		Name        string       `json:"name"`
		Version     string       `json:"version"`
		Description string       `json:"description"`
		Title       string       `json:"title"`
		WebsiteURL  string       `json:"websiteUrl"`
		Remotes     []remoteBody `json:"remotes"`
	}

	remoteBody struct {
		Type                      string   `json:"type"`
		URL                       string   `json:"url"`
		SupportedProtocolVersions []string `json:"supportedProtocolVersions"`
	}

	catalogBody struct {
		SpecVersion string         `json:"specVersion"`
		Entries     []catalogEntry `json:"entries"`
	}

	catalogEntry struct {
		Identifier  string `json:"identifier"`
		Type        string `json:"type"`
		URL         string `json:"url"`
		DisplayName string `json:"displayName"`
		Description string `json:"description"`
		Version     string `json:"version"`
	}

	// resourceBody is RFC 9728 metadata without authorization servers: keys are optional.
	resourceBody struct {
		Resource      string   `json:"resource"`
		Name          string   `json:"resource_name"`
		Methods       []string `json:"bearer_methods_supported"`
		Documentation string   `json:"resource_documentation"`
	}
)

func (e *Endpoint) registerDiscovery(r gin.IRouter) {
	k := e.Card
	e.document(r, cardPath, cardType, cardBody{
		Schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
		Name:   k.Name, Version: k.Version, Description: k.Description, Title: k.Title,
		WebsiteURL: e.BaseURL + "/docs/mcp",
		Remotes: []remoteBody{{Type: "streamable-http", URL: e.BaseURL + Path,
			SupportedProtocolVersions: mcpserver.Versions}},
	})
	host, _, _ := strings.Cut(e.host, ":")
	e.document(r, catalogPath, "application/ai-catalog+json", catalogBody{
		SpecVersion: "1.0",
		Entries: []catalogEntry{{
			Identifier: "urn:air:" + host + ":mcp:census", Type: cardType, URL: e.BaseURL + cardPath,
			DisplayName: k.Title, Description: k.Description, Version: k.Version,
		}},
	})
	e.document(r, resourceMetadataPath, "application/json", resourceBody{
		Resource: e.BaseURL + Path, Name: e.Title, Methods: []string{"header"},
		Documentation: e.BaseURL + "/docs/mcp",
	})
}

// document serves a constant JSON document to pages of all origins.
func (e *Endpoint) document(r gin.IRouter, path, kind string, body any) {
	b, err := text.JSON(body)
	if err != nil {
		panic("mcphttp: " + err.Error()) // texts always encode
	}
	tag := api.TagOf(b)
	httpd.Get(r, path, httpd.Handle(func(_ context.Context, c *gin.Context) error {
		c.Header("Access-Control-Allow-Origin", "*")
		c.Header("Access-Control-Expose-Headers", "ETag")
		httpd.Write(c, httpd.Response{Status: http.StatusOK, Type: kind, Tag: tag,
			Cache: "public, max-age=3600", Body: b})
		return nil
	}, e.refuse))
}

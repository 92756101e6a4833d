package mcp

import (
	"context"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"mcpcensus/api"
	"mcpcensus/internal/httpd"
	"mcpcensus/internal/text"
)

const (
	cardPath             = Path + "/server-card"
	catalogPath          = "/.well-known/ai-catalog.json"
	resourceMetadataPath = "/.well-known/oauth-protected-resource" + Path

	cardType = "application/mcp-server-card+json"
)

// description is the one on the server card.
const description = "Finds, compares and explains MCP servers, with health scores."

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
	base, title := e.API.BaseURL, e.API.Brand.Name()
	e.document(r, cardPath, cardType, cardBody{
		Schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
		Name:   e.name(), Version: e.API.Version, Description: description, Title: title,
		WebsiteURL: base + "/docs/mcp",
		Remotes: []remoteBody{{Type: "streamable-http", URL: base + Path,
			SupportedProtocolVersions: versions}},
	})
	host, _, _ := strings.Cut(e.host, ":")
	e.document(r, catalogPath, "application/ai-catalog+json", catalogBody{
		SpecVersion: "1.0",
		Entries: []catalogEntry{{
			Identifier: "urn:air:" + host + ":mcp:census", Type: cardType, URL: base + cardPath,
			DisplayName: title, Description: description, Version: e.API.Version,
		}},
	})
	e.document(r, resourceMetadataPath, "application/json", resourceBody{
		Resource: base + Path, Name: title, Methods: []string{"header"},
		Documentation: base + "/docs/mcp",
	})
}

// document serves a constant JSON document to pages of all origins.
func (e *Endpoint) document(r gin.IRouter, path, kind string, body any) {
	b, err := text.JSON(body)
	if err != nil {
		panic("mcp: " + err.Error()) // texts always encode
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

package mcp

import (
	"context"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

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

// registerDiscovery adds the server card, the catalog that names it, and the metadata of
// RFC 9728, which names no authorization servers because keys are optional.
func (e *Endpoint) registerDiscovery(r gin.IRouter) {
	base, title, version := e.API.BaseURL, e.API.Brand.Name(), e.API.Version
	e.document(r, cardPath, cardType, gin.H{
		"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
		"name":    e.name(), "version": version, "description": description, "title": title,
		"websiteUrl": base + "/docs/mcp",
		"remotes": []gin.H{{"type": "streamable-http", "url": base + Path,
			"supportedProtocolVersions": versions}},
	})
	host, _, _ := strings.Cut(e.host, ":")
	e.document(r, catalogPath, "application/ai-catalog+json", gin.H{
		"specVersion": "1.0",
		"entries": []gin.H{{
			"identifier": "urn:air:" + host + ":mcp:census", "type": cardType, "url": base + cardPath,
			"displayName": title, "description": description, "version": version,
		}},
	})
	e.document(r, resourceMetadataPath, "application/json", gin.H{
		"resource": base + Path, "resource_name": title,
		"bearer_methods_supported": []string{"header"}, "resource_documentation": base + "/docs/mcp",
	})
}

// document serves a constant JSON document to pages of all origins.
func (e *Endpoint) document(r gin.IRouter, path, kind string, body any) {
	b, err := text.JSON(body)
	if err != nil {
		panic("mcp: " + err.Error()) // texts always encode
	}
	tag := httpd.TagOf(b)
	httpd.Get(r, path, httpd.Handle(func(_ context.Context, c *gin.Context) error {
		c.Header("Access-Control-Allow-Origin", "*")
		c.Header("Access-Control-Expose-Headers", "ETag")
		httpd.Write(c, httpd.Response{Status: http.StatusOK, Type: kind, Tag: tag,
			Cache: "public, max-age=3600", Body: b})
		return nil
	}, e.refuse))
}

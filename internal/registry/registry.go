// Package registry defines the types of Census: repositories and their observed
// state, the MCP servers in them, and the health of each server.
//
// It imports only the standard library and internal/text, and all other packages
// use it. Unknown values are nil pointers, nil slices or zero times, never a
// zero that could be a measurement. It is one package because all others exchange these types.
package registry

// Categories are the ten categories of a server, in the order in which they are
// listed. [CategoryTools] is the default.
var Categories = []string{
	"database", "tools", "communication", "integration", "api",
	"security", "analytics", "automation", "data", "productivity",
}

// CategoryTools is the category of servers that fit no other one.
const CategoryTools = "tools"

// SDKs are the values of [Server.SDK]: the language of the server's MCP SDK, from its
// dependency manifests.
var SDKs = []string{
	"typescript", "python", "go", "java", "kotlin", "csharp", "rust", "swift", "ruby", "php", "other",
}

// Transports are the values of [Server.Transports].
var Transports = []string{TransportStdio, TransportHTTP, TransportSSE}

// The transports of the Model Context Protocol, as server.json spells them.
const (
	TransportStdio = "stdio"
	TransportHTTP  = "streamable-http"
	TransportSSE   = "sse"
)

// RegistryTypes are the values of [Package.RegistryType]: those of server.json and cargo.
var RegistryTypes = []string{"npm", "pypi", "oci", "nuget", "mcpb", "cargo"}

// ProjectType is the RegistryType of [PackageFacts] about a repository, from deps.dev's
// projects; no package has it.
const ProjectType = "project"

// FactTypes are the registry types, including projects, that package services cover;
// DownloadTypes are those with download counts.
var (
	FactTypes     = []string{"npm", "pypi", "cargo", "nuget", "oci", ProjectType}
	DownloadTypes = []string{"npm", "pypi"}
)

// Statuses are the values of [Server.Status].
var Statuses = []string{StatusActive, StatusDeprecated, StatusArchived, StatusUnreachable, StatusDeleted}

// The states of a listed server.
const (
	StatusActive     = "active"
	StatusDeprecated = "deprecated"
	StatusArchived   = "archived"
	// StatusUnreachable is for servers whose repository the code host did not find, but not
	// for long enough to be gone, and for servers that only the official registry describes.
	StatusUnreachable = "unreachable"
	StatusDeleted     = "deleted" // gone from the code host
)

// Grades are the letters of a health score, best first. A starts at 80, B at
// 65, C at 50 and D at 30.
var Grades = []string{"A", "B", "C", "D", "F"}

// GradeOf returns the letter of a health score from 0 to 100.
func GradeOf(score int) string {
	switch {
	case score >= 80:
		return "A"
	case score >= 65:
		return "B"
	case score >= 50:
		return "C"
	case score >= 30:
		return "D"
	}
	return "F"
}

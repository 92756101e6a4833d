// Package census is the Go client of Census, a registry of MCP servers.
//
//	client, err := census.New(census.Config{})
//	page, err := client.Discover(ctx, census.DiscoverParams{Search: "postgres"})
//	fmt.Println(page.Servers[0].Name)
//
// The zero Config reads the key from CENSUS_API_KEY and the address of the
// registry from CENSUS_URL. /api works without a key; Servers, Search, Account and
// Custom require one.
//
// Methods retry transient failures, return an [*APIError] or one of the types that
// wrap it for error responses, and a [*ConnectionError] if there is no response.
// Methods whose names end in All iterate over the items of all pages.
//
// Pointers that may be nil stand for unknown values. New members of a response are
// in [Response].Body until this package knows them; new values of enumerations are
// strings like the others.
package census

// Version is the version of this package.
const Version = "0.1.0"

// Package census is the Go client for Census, a registry of MCP servers.
//
//	client, err := census.New(census.Config{})
//	page, err := client.Discover(ctx, census.DiscoverParams{Search: "postgres"})
//	fmt.Println(page.Servers[0].Name)
//
// The zero Config reads the key from CENSUS_API_KEY and the URL of the registry from CENSUS_URL.
// /api works without a key; Servers, Search, Account and
// Custom require one.
//
// Methods retry transient failures, return an [*APIError] or one of the types that
// wrap it for error responses, and a [*ConnectionError] if there is no response.
// Methods that start or end with All iterate over the items of all pages.
//
// Unknown values are nil. Unknown members of a response are in [Response].Body. Enumerations are
// open: new values are strings.
package census

// Version is the version of this package.
const Version = "0.1.0"

from mcp_census import Census

with Census() as census:  # reads CENSUS_API_KEY
    server = census.servers.retrieve("octo-labs-weather-mcp")
    print(server.name, server.grade, server.install.command)
    for tool in server.tools or []:
        print("-", tool.name, tool.tokens)

    # Bulk requests and analytics require the Professional plan.
    several = census.servers.bulk(
        ids=["octo-labs-weather-mcp"],
        github_urls=["https://github.com/harbor-data/postgres-navigator"],
        fields=["id", "qualityScore", "stars"],
    )
    print([s.id for s in several.servers], "unknown:", several.not_found)

    figures = census.servers.analytics("octo-labs-weather-mcp", period="7d")
    print(figures.totals.stars, "stars, rank", figures.rank.overall)

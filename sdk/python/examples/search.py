from mcp_census import Census

with Census() as census:  # reads CENSUS_API_KEY
    page = census.search(
        q="weather",
        filters={
            "category": ["data", "api"],
            "qualityScore": {"gte": 70},
            "toolCount": {"exists": True},
        },
        sort=["-stars", "name"],
        limit=10,
    )
    print(page.total, "servers;", page.body.facets and page.body.facets.sdk)
    for server in page.items:
        print(server.name, server.stars)

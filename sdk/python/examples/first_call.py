from mcp_census import Census

for server in Census().discover(search="postgres", limit=5).items:
    print(server.id, server.quality_score)

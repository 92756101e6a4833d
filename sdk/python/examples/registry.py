from mcp_census import Census, registry_meta

with Census() as census:
    # One server, in the format of the official registry.
    entry = census.registry.retrieve("io.github.octo-labs/weather-mcp")
    meta = registry_meta(entry)
    print(entry.server.name, entry.server.version, meta and meta.score)

    # All servers of a view.
    for record in census.registry.view("healthy").list(limit=100):
        print(record.server.name, record.server.version)

    # Check a server.json before you publish it.
    result = census.registry.validate({"name": "io.github.octo/weather-mcp"})
    for issue in result.issues:
        print(issue.severity, issue.path, issue.message)

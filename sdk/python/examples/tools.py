from mcp_census import Census

with Census() as census:
    # Tools for a task, in the format of MCP's tools/list.
    for tool in census.discover_tools(
        search="forecast", level="tool", min_score=50, limit=10
    ).items:
        print(tool.name, tool.installation)

    # Changes to the tools of a server.
    for change in census.directory.tool_changes("octo-labs-weather-mcp").changes:
        print(change.at, [(tool.kind, tool.name) for tool in change.tools])

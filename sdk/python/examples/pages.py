from mcp_census import Census

with Census() as census:
    # All pages, requested as you go.
    for server in census.directory.list(category="database", limit=100):
        print(server.id)

    # Page by page.
    for page in census.directory.list(category="database", limit=10).iter_pages():
        print([server.id for server in page.items])

    # One page, and the next.
    first = census.directory.list(limit=10)
    print(first.total, "servers", first.has_next_page())
    second = first.get_next_page()  # None after the last page

from mcp_census import Census

with Census() as census:  # requires a key with the Enterprise plan
    census.custom.put(
        "good-databases",
        filters={"category": "database", "stars": {"gte": 100}},
        sort="-stars",
        fields=["id", "name", "stars"],
    )
    for server in census.custom.run("good-databases"):
        print(server.id, server.stars)
    print([custom.name for custom in census.custom.list().customs])
    print(census.custom.create_view("good-databases").url)  # for clients without a key
    census.custom.delete("good-databases")

from mcp_census import Census

with Census() as census:  # reads CENSUS_API_KEY
    endpoint = census.webhooks.create(
        url="https://hooks.example.com/mcp",
        events=["server.version", "server.advisory"],
        servers=["octo-labs-weather-mcp"],
    )
    print("store it now:", endpoint.secret[:6])

    census.webhooks.test(endpoint.id)
    for delivery in census.webhooks.deliveries(endpoint.id):
        print(delivery.payload.type, delivery.state, delivery.response_status)
    census.webhooks.delete(endpoint.id)

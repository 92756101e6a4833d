from mcp_census import Census

with Census(etag_cache=True) as census:
    response = census.directory.with_raw_response.categories()
    print(response.status, response.request_id, response.etag)
    print(response.rate_limit.remaining, "requests left until", response.rate_limit.reset_at)
    print([c.id for c in response.data.categories])

    # The second response is from the cache: the registry says that nothing has changed.
    print(census.directory.with_raw_response.categories().from_cache)

    # What this version does not know yet, and the JSON as it was received:
    category = response.data.categories[0]
    print(category.model_extra, category.to_dict())

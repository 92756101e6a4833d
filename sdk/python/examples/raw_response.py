from mcp_census import Census

with Census(etag_cache=True) as census:
    response = census.directory.with_raw_response.categories()
    print(response.status, response.request_id, response.etag)
    print(response.rate_limit.remaining, "requests left until", response.rate_limit.reset_at)
    print([c.id for c in response.data.categories])

    # The second response is from the cache, because nothing has changed.
    print(census.directory.with_raw_response.categories().from_cache)

    # Members unknown to this version, and the raw JSON:
    category = response.data.categories[0]
    print(category.model_extra, category.to_dict())

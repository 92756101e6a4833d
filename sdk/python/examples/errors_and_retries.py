from mcp_census import (
    APIConnectionError,
    APIError,
    BadRequestError,
    Census,
    NotFoundError,
    RateLimitError,
)

with Census(max_retries=3, timeout=20) as census:
    try:
        census.servers.retrieve("octo-labs-wether-mcp")
    except NotFoundError as e:
        print("unknown; perhaps", e.candidates)
    except BadRequestError as e:
        for wrong in e.errors:
            print(wrong.field, wrong.message)
    except RateLimitError as e:
        print("no requests left until", e.reset_at)
    except APIError as e:
        print(e.status, e.code, e.detail, e.request_id)
    except APIConnectionError as e:  # and its subclass APITimeoutError
        print(e)

    # Different settings for some calls, with the same connections:
    census.with_options(timeout=5, max_retries=0).directory.categories()

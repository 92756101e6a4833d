import asyncio

from mcp_census import AsyncCensus


async def main() -> None:
    async with AsyncCensus() as census:
        # All pages, requested as you go.
        async for server in census.discover(search="weather"):
            print(server.id)

        # The first page.
        page = await census.discover(search="weather", limit=1)
        print(page.total, page.items[0].name)

        # Several calls at the same time.
        categories, report = await asyncio.gather(
            census.directory.categories(),
            census.health(server="octo-labs-weather-mcp"),
        )
        print(categories.total, report.score)


asyncio.run(main())

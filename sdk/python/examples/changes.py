from mcp_census import Census, is_deleted
from mcp_census.types import ServerChange

mirror: dict[str, ServerChange] = {}
after = 0  # where the last run ended; 0 to start

with Census() as census:
    for page in census.directory.changes(after=after).iter_pages():
        for change in page.items:
            if is_deleted(change):
                mirror.pop(change.id, None)
            else:
                mirror[change.id] = change
        after = page.body.next  # store it with the data
print(len(mirror), "servers; continue after", after)

import datetime as dt

from mcp_census import Census

with Census() as census:  # reads CENSUS_API_KEY
    account = census.account.retrieve()
    print(account.plan.name, account.limits.remaining, account.limits.reset_at)
    usage = census.account.usage(from_=dt.date(2026, 10, 1), to=dt.date(2026, 10, 31))
    print(usage.total, [(day.date, day.calls) for day in usage.days])
    print([(plan.name, plan.price_usd) for plan in census.account.plans().plans])

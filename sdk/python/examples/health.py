from mcp_census import Census
from mcp_census.types import Health

with Census() as census:
    report = census.health(github_url="https://github.com/octo-labs/weather-mcp")
    print(report.score, report.grade)
    for step in report.improve:
        print(f"+{step.gain}: {step.text}")

    # Without waiting for a check that is still running:
    result = census.health(github_url="octo-labs/weather-mcp", wait_until_done=False)
    if not isinstance(result, Health):
        print("running; see", result.status_url)
        result = census.check(result.status_url)

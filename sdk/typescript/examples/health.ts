import { Census, isPending } from "@mcp-census/sdk";

const census = new Census();

const report = await census.health({ githubUrl: "https://github.com/octo-labs/weather-mcp" });
console.log(report.score, report.grade);
for (const step of report.improve) console.log(`+${step.gain}: ${step.text}`);

// Without waiting for a check that is still running:
let result = await census.health({ githubUrl: "octo-labs/weather-mcp", waitUntilDone: false });
if (isPending(result)) {
  console.log("running; see", result.statusUrl);
  result = await census.check(result.statusUrl);
}

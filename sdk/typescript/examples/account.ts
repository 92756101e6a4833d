import { Census } from "@mcp-census/sdk";

const census = new Census(); // reads CENSUS_API_KEY

const { plan, limits } = await census.account.retrieve();
console.log(plan.name, limits.remaining, limits.resetAt);
const usage = await census.account.usage({ from: "2026-10-01", to: "2026-10-31" });
for (const day of usage.days) console.log(day.date, day.calls);
const { plans } = await census.account.plans();
console.log(plans.map((plan) => [plan.name, plan.priceUsd]));

const { Census } = require("@mcp-census/sdk");

async function main() {
  const { categories, total } = await new Census().directory.categories();
  console.log(categories.length, "categories of", total, "servers");
}

void main();

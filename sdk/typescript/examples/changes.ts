import { Census, isDeleted } from "@mcp-census/sdk";

const census = new Census();
const mirror = new Map<string, unknown>();
let after = 0; // where the last run ended; 0 to start

for await (const page of census.directory.changes({ after }).iterPages()) {
  for (const change of page.items) {
    if (isDeleted(change)) mirror.delete(change.id);
    else mirror.set(change.id, change);
  }
  after = page.body.next; // store it with the data
}
console.log(mirror.size, "servers; continue after", after);

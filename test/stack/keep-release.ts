// Writes down how this release reads and writes the release document, and histories of its executions: `npm run keep-release`,
// once for each release.
import { writeFileSync } from "node:fs";
import { startVitest } from "vitest/node";
import { LAST_RELEASE, releaseOfToday } from "./runtime-document.ts";

writeFileSync(LAST_RELEASE, `${JSON.stringify(releaseOfToday(), null, 2)}\n`);

// Journeys fake the time with Vitest, so it runs them here too. The recording belongs to no lane: it writes a file.
await startVitest("test", [], {
  config: false,
  watch: false,
  bail: 1,
  include: ["test/stack/record/record.ts"],
  pool: "threads",
});

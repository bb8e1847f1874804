// Writes down how this release reads and writes the release document: `npm run keep-release`, once for each release.
import { writeFileSync } from "node:fs";
import { LAST_RELEASE, releaseOfToday } from "./runtime-document.ts";

writeFileSync(LAST_RELEASE, `${JSON.stringify(releaseOfToday(), null, 2)}\n`);

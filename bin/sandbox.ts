import { enableCompileCache } from "node:module";
import { join } from "node:path";

// What was compiled once is not compiled again: it halves the time to the banner from the second start on. The rest is
// imported afterwards, so that it profits.
enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/casement-compiled"));
const { main } = await import("./run.ts");
await main(process.argv.slice(2));

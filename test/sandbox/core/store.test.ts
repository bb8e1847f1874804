import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openStore } from "../../../lib/sandbox/core/store.ts";

const folder = mkdtempSync(join(tmpdir(), "casement-store-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Keys that are there for whoever opens the file after the process was killed. */
const left = (path: string): string[] => {
  const store = openStore(path);
  const keys = store.collection<number>("things").keys();
  store.close();
  return keys;
};

test("writes of one transaction are there together, those of one inside it too", () => {
  const path = join(folder, "joined.db");
  const store = openStore(path);
  const things = store.collection<number>("things");
  store.together(() => {
    things.set("outer", 1);
    store.together(() => things.set("inner", 2));
    expect(left(path)).toEqual([]);
  });
  expect(left(path)).toEqual(["inner", "outer"]);
  store.close();
});

test("a transaction that fails leaves nothing of it, and the next one is a new one", () => {
  const path = join(folder, "failed.db");
  const store = openStore(path);
  const things = store.collection<number>("things");
  const failing = () =>
    store.together(() => {
      things.set("outer", 1);
      store.together(() => {
        throw new Error("no");
      });
    });
  expect(failing).toThrow("no");
  store.together(() => things.set("later", 3));
  expect(left(path)).toEqual(["later"]);
  store.close();
});

import { defineConfig } from "vitest/config";

/** Lanes that need more time or more than Node, with their folders: `.ci/run` runs them after `npm test`. */
const slow = {
  journeys: ["journeys/exhaustive"],
  page: ["page"],
  powershell: ["powershell"],
  crash: ["crash", "outside"],
  ric: ["ric"],
};

const lane = (name: string, include: string[], exclude: string[] = []) => ({
  extends: true as const,
  test: { name, include, exclude },
});

export default defineConfig({
  test: {
    projects: [
      lane(
        "fast",
        ["test/**/*.test.ts"],
        Object.values(slow).flatMap((folders) => folders.map((folder) => `test/${folder}/**`)),
      ),
      ...Object.entries(slow).map(([name, folders]) =>
        lane(
          name,
          folders.map((folder) => `test/${folder}/**/*.test.ts`),
        ),
      ),
    ],
    pool: "threads",
    // Files share what they import: the SDKs' modules cost more than the tests. Each test puts its timers back.
    isolate: false,
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 20_000,
    teardownTimeout: 5_000,
    reporters: ["default", "json"],
    outputFile: { json: ".ci-output/last.json" },
  },
});

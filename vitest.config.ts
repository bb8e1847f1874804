import { defineConfig } from "vitest/config";

/** Lanes that need more than Node: `.ci/run` provides it and runs them after `npm test`. */
const slow = ["page", "powershell", "crash"];

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
        slow.map((name) => `test/${name}/**`),
      ),
      ...slow.map((name) => lane(name, [`test/${name}/**/*.test.ts`])),
    ],
    pool: "threads",
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    teardownTimeout: 5_000,
    reporters: ["default", "json"],
    outputFile: { json: ".ci-output/last.json" },
  },
});

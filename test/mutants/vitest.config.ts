import { defineConfig, type TestProjectConfiguration } from "vitest/config";
import project from "../../vitest.config.ts";

/** Suites that read the source as text, or weigh its bundle: they would judge what Stryker inserts into it. */
const READERS = ["test/lint/**", "test/docs/**", "test/scripts/**", "test/front-door/bundle.test.ts"];

/** The fast lane without those suites; nothing for another lane. */
function judges(lane: TestProjectConfiguration): TestProjectConfiguration[] {
  if (typeof lane !== "object" || !("test" in lane) || lane.test?.name !== "fast") return [];
  return [
    {
      ...lane,
      test: {
        ...lane.test,
        exclude: [...(lane.test.exclude ?? []), ...READERS],
        setupFiles: ["test/mutants/load-all.ts"],
      },
    },
  ];
}

/** The fast lane as Stryker runs it, without reports of its own: Vitest loads the code, which Stryker has it load again. */
export default defineConfig({
  test: {
    ...project.test,
    experimental: {},
    tags: [{ name: "long", skip: true }],
    projects: (project.test?.projects ?? []).flatMap(judges),
    reporters: [],
  },
});

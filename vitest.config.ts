import { defineConfig } from "vitest/config";
import { SecondTries } from "./test/second-tries.ts";

/** Lanes that need more time or more than Node, with their folders: `.ci/run` runs them after `npm test`. */
const slow = {
  journeys: ["journeys/exhaustive"],
  contract: ["contract/exhaustive", "lint/exhaustive"],
  stack: ["stack/template"],
  sandbox: ["sandbox"],
  drain: ["drain/exhaustive"],
  page: ["page"],
  powershell: ["powershell"],
  crash: ["crash", "outside", "connect"],
  ric: ["ric"],
  bare: ["bare"],
  containerd: ["containerd"],
  bench: ["bench"],
};

/** What runs once before a lane. */
const setups: Readonly<Record<string, string[]>> = {
  powershell: ["test/powershell/setup.ts"],
  containerd: ["test/containerd/setup.ts"],
};

/** Journeys pass days of the sandbox's time: on a host that does other work too, the longest takes two minutes. */
const JOURNEY = { testTimeout: 240_000, hookTimeout: 60_000 };

/** Real programs: on a busy host one start of PowerShell takes ten seconds, and a synthesis two minutes. */
const PROGRAM = { testTimeout: 240_000, hookTimeout: 120_000 };

const timeouts: Readonly<Record<string, typeof JOURNEY>> = {
  fast: JOURNEY,
  journeys: JOURNEY,
  containerd: PROGRAM,
  contract: PROGRAM,
  crash: PROGRAM,
  page: PROGRAM,
  powershell: PROGRAM,
  ric: PROGRAM,
};

const lane = (name: string, include: string[], exclude: string[] = []) => ({
  extends: true as const,
  // Some lanes install packages below test/, which bring tests of their own.
  test: {
    name,
    include,
    exclude: [...exclude, "**/node_modules/**"],
    globalSetup: setups[name] ?? [],
    ...timeouts[name],
  },
});

/** Suites that hold the simulated API server, the manifest and its policies, asked of a server through its kubeconfig. */
const anyServer = {
  extends: true as const,
  test: {
    name: "cluster",
    include: [
      "test/sandbox/kubernetes/{access,eviction,eviction-answers,eviction-sequences,objects,policies,reading,requests,signing,words}.test.ts",
      "test/manifests/policies.test.ts",
      "test/drain/any-server.test.ts",
    ],
    globalSetup: "test/cluster/setup.ts",
    setupFiles: "test/cluster/each-file.ts",
    // A real server needs a minute for what takes the simulated one a second.
    hookTimeout: 90_000,
    // There is one cluster: what one file makes, another would find. So the project runs after the others of a call.
    fileParallelism: false,
    sequence: { groupOrder: 1 },
  },
};

export default defineConfig({
  test: {
    projects: [
      lane(
        "fast",
        ["test/**/*.test.ts"],
        Object.values(slow).flatMap((folders) => folders.map((folder) => `test/${folder}/**`)),
      ),
      anyServer,
      ...Object.entries(slow).map(([name, folders]) =>
        lane(
          name,
          folders.map((folder) => `test/${folder}/**/*.test.ts`),
        ),
      ),
    ],
    pool: "threads",
    // Node runs the files as they are, as it does in production: a fresh clone would wait for their transformation.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    tags: [{ name: "long", description: "Takes a quarter of a second or more: `npm test` leaves it to `.ci/run`." }],
    // Files share what they import: the SDKs' modules cost more than the tests. Each test puts its timers back.
    isolate: false,
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 20_000,
    teardownTimeout: 5_000,
    reporters: ["default", "json", new SecondTries()],
    outputFile: { json: ".ci-output/last.json" },
  },
});

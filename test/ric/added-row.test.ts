import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const COPIED = ["bin", "lambdas", "lib", "test/stack", "test/steps", "docs/configuration.example.yaml", "cdk.json"];

const ROW = `
  workflows: {
    "spare-node": { hours: 2, account: "act" },`;

const PERMISSIONS = `
  "spare-node": [durable("spare-node"), readLedger],
  release: [publishRelease`;

const ENTRY = `import { lambdaEntry } from "../../steps/host.ts";

export const { createHandler, handler } = lambdaEntry(() => async () => "drained");
`;

/** A script that prints as JSON all that derives from the table. */
const DERIVED = `import { mountHandlers } from "./bin/handlers.ts";
import { entries } from "./lib/functions.ts";
import { principals } from "./lib/permissions.ts";
import { permissionsFor } from "./lib/role-permissions.ts";
import { place } from "./lib/sandbox/demo-account.ts";
import { synthesised } from "./test/stack/template/synthesised.ts";
import { testSimulator } from "./test/steps/test-simulator.ts";

const here = await testSimulator();
const mounted = [];
const lambda = { ...here.lambda, mount: (name) => mounted.push(name) };
const { configuration } = here;
const addresses = { aws: "http://aws.test", slack: "http://slack.test", now: Date.now, slackNow: Date.now, configuration };
mountHandlers({ ...here, lambda }, addresses);
await here.close();
const descriptions = synthesised().ofType("AWS::Lambda::Function").map(({ Properties }) => Properties.Description);
const allowed = permissionsFor(place)["spare-node"].map(({ sid }) => sid);
console.log(JSON.stringify({ principals, entries, mounted, descriptions, allowed }));
process.exit(0);
`;

let project: string;

const node = (...args: string[]): Promise<string> =>
  new Promise((resolve) => {
    const options = { cwd: project, maxBuffer: 16_000_000, timeout: 150_000 };
    execFile(process.execPath, args, options, (error, stdout, stderr) => resolve(error ? stdout + stderr : stdout));
  });

const edit = async (path: string, from: string, to: string): Promise<void> => {
  const source = await readFile(join(project, path), "utf8");
  expect(source, `${path} holds what is replaced`).toContain(from);
  await writeFile(join(project, path), source.replace(from, to));
};

const typeErrors = async (): Promise<string> => {
  const config = { extends: join(root, "tsconfig.json"), include: ["lib/permissions.ts"] };
  await writeFile(join(project, "tsconfig.json"), JSON.stringify(config));
  return node("node_modules/typescript/bin/tsc", "-p", ".", "--noEmit");
};

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "casement-row-"));
  await Promise.all(COPIED.map((path) => cp(join(root, path), join(project, path), { recursive: true })));
  await cp(join(root, "package.json"), join(project, "package.json"));
  await symlink(join(root, "node_modules"), join(project, "node_modules"));
  await writeFile(join(project, "lambdas/capabilities/sweep/spare-node.ts"), ENTRY);
  await writeFile(join(project, "derived.ts"), DERIVED);
  await edit("lambdas/capabilities/sweep/capability.ts", "\n  workflows: {", ROW);
});
afterAll(() => rm(project, { recursive: true, force: true }));

describe("a durable function that is added as one row", () => {
  it("is a type error for as long as its permissions and its partitions of the ledger are missing", async () => {
    expect(await typeErrors()).toContain("Property '\"spare-node\"' is missing");
  });

  it("with its permissions is a principal, a bundle, a function of the stack and a handler of the sandbox", async () => {
    await edit("lib/permissions.ts", "\n  release: [publishRelease", PERMISSIONS);
    await edit("lib/ledger-writers.ts", "\n  sweep: [", '\n  "spare-node": [],\n  sweep: [');
    expect(await typeErrors()).toBe("");
    const derived = JSON.parse(await node("derived.ts"));
    expect(derived).toEqual({
      principals: expect.arrayContaining(["spare-node"]),
      entries: expect.objectContaining({ "spare-node": "lambdas/capabilities/sweep/spare-node.ts" }),
      mounted: expect.arrayContaining([expect.stringMatching(/-spare-node$/)]),
      descriptions: expect.arrayContaining(["Casement spare-node of prod-west"]),
      allowed: ["WriteOwnLog", "KeepFailedEvents", "KeepOwnExecution", "ReadLedger"],
    });
  });

  it("is started by functions that have a row, and by no other name", async () => {
    await edit("lambdas/capabilities/add/capability.ts", 'starts: ["provision-node"]', 'starts: ["provision-nodes"]');
    expect(await typeErrors()).toContain("Type '\"provision-nodes\"' is not assignable");
  });
});

/** A file that breaks one rule of the house, and what the checker is expected to say about it. */
export interface Violation {
  readonly path: string;
  readonly source: string;
  /** Part of the diagnostic: a rule's category, or words of its message. */
  readonly says: string;
}

const importing = (path: string, from: string): Violation => ({
  path,
  source: `import { something } from "${from}";\n\nexport const used = something;\n`,
  says: "lint/style/noRestrictedImports",
});

/** A file that names one kind of cluster, in each part of the tree that has rules for imports of its own. */
const naming = (path: string, from: string): Violation => ({
  ...importing(path, from),
  says: "One kind of cluster by name",
});

const replayed = (name: string, statement: string): Violation => ({
  path: `lambdas/change/${name}.ts`,
  source: `export const used = async (context) => {\n  ${statement}\n};\n`,
  says: "A replay would get another value",
});

const lost = (verb: string): Violation => ({
  path: `lambdas/engine/lost-${verb.toLowerCase()}.ts`,
  source: `export const used = async (context) => {\n  context.${verb}("name");\n};\n`,
  says: "neither awaited nor returned",
});

const realTime = (name: string, expression: string): Violation => ({
  path: `lib/sandbox/ec2/${name}.ts`,
  source: `export const used = () => ${expression};\n`,
  says: "from its Simulation only",
});

const lines = (count: number, line: string): string => `${line}\n`.repeat(count);

const branches = Array.from({ length: 13 }, (_, n) => `  if (value === ${n}) return "${n}";\n`).join("");

/** One file per rule; the tests lay them out as a project and run the checker over it. */
export const violations: readonly Violation[] = [
  importing("lambdas/capabilities/tides/capability.ts", "../../steps/machine.ts"),
  importing("lambdas/commands/sdk.ts", "@aws-sdk/client-ec2"),
  importing("lambdas/commands/durable.ts", "@aws/durable-execution-sdk-js"),
  importing("lambdas/commands/steps.ts", "../steps/machine.ts"),
  importing("lambdas/machine/kubernetes.ts", "@kubernetes/client-node"),
  importing("lambdas/profiles/kubernetes.ts", "@kubernetes/client-node"),
  importing("lambdas/messages/slack.ts", "@slack/web-api"),
  importing("lambdas/records/records.ts", "../steps/ledger.ts"),
  naming("lambdas/release/kind.ts", "../profiles/okd/payload.ts"),
  naming("lambdas/machine/kind.ts", "../profiles/okd/okd.ts"),
  naming("lambdas/change/node/kind.ts", "../../profiles/okd/plans.ts"),
  naming("lambdas/steps/doctor/kind.ts", "../../profiles/okd/network.ts"),
  naming("lambdas/clients/kind.ts", "../profiles/okd/okd.ts"),
  naming("lambdas/front-door/kind.ts", "../profiles/okd/okd.ts"),
  naming("lib/constructs/kind.ts", "../../lambdas/profiles/okd/ports.ts"),
  naming("lib/sandbox/kind.ts", "../../lambdas/profiles/eks/eks.ts"),
  naming("bin/connect/kind.ts", "../../lambdas/profiles/okd/okd.ts"),
  importing("lambdas/change/cloud.ts", "@aws-sdk/client-ssm"),
  importing("lambdas/capabilities/drain/slack.ts", "@slack/web-api"),
  importing("lambdas/capabilities/drain/stack.ts", "../../../lib/permissions.ts"),
  importing("lambdas/capabilities/drain/neighbour.ts", "../reboot/task.ts"),
  importing("lambdas/capabilities/reboot/rollout/neighbour.ts", "../../drain/drain-node.ts"),
  importing("lambdas/change/capability.ts", "../capabilities/drain/drain-node.ts"),
  importing("lambdas/engine/change.ts", "../change/node/task.ts"),
  importing("lambdas/steps/caller.ts", "../capabilities/add/add-nodes.ts"),
  importing("lambdas/steps/change.ts", "../change/node/task.ts"),
  importing("lambdas/steps/sandbox.ts", "../../lib/sandbox/demo.ts"),
  importing("lambdas/clients/steps.ts", "../steps/machine.ts"),
  importing("lambdas/front-door/workflow.ts", "../capabilities/add/add-nodes.ts"),
  importing("lambdas/settings.ts", "../lib/permissions.ts"),
  importing("lib/sandbox/workflow.ts", "../../lambdas/capabilities/add/add-nodes.ts"),
  importing("lib/sandbox/steps.ts", "../../lambdas/steps/machine/machine.ts"),
  importing("lib/clients.ts", "../lambdas/clients/clients.ts"),
  replayed("date", "return Date.now();"),
  replayed("new-date", "return new Date();"),
  replayed("random", "return Math.random();"),
  replayed("uuid", "return crypto.randomUUID();"),
  replayed("imported-uuid", "return randomUUID();"),
  replayed("timer", "setTimeout(context, 5);"),
  replayed("fetched", 'return fetch("https://example.com");'),
  lost("step"),
  lost("wait"),
  lost("invoke"),
  lost("waitForCallback"),
  lost("waitForCondition"),
  lost("runInChildContext"),
  lost("parallel"),
  lost("map"),
  realTime("date", "Date.now()"),
  realTime("new-date", "new Date()"),
  realTime("random", "Math.random()"),
  realTime("timer", "setTimeout(used, 5)"),
  realTime("interval", "setInterval(used, 5)"),
  realTime("uuid", "crypto.randomUUID()"),
  {
    path: "lambdas/steps/client.ts",
    source: "export const used = (EC2Client) => new EC2Client({});\n",
    says: "built in lambdas/clients",
  },
  {
    path: "lambdas/front-door/client.ts",
    source: "export const used = (k8s) => new k8s.KubeConfig();\n",
    says: "built in lambdas/clients",
  },
  { path: "lambdas/steps/environment.ts", source: "export const used = process.env.HOME;\n", says: "noProcessEnv" },
  { path: "lib/any.ts", source: "export const used = (value: any) => value;\n", says: "noExplicitAny" },
  { path: "lib/default.ts", source: "export default 1;\n", says: "noDefaultExport" },
  { path: "lib/barrel.ts", source: 'export * from "./any.ts";\n', says: "noBarrelFile" },
  { path: "lib/CamelCase.ts", source: "export const used = 1;\n", says: "useFilenamingConvention" },
  { path: "lib/enum.ts", source: "export enum Used {\n  One,\n}\n", says: "noEnum" },
  { path: "lib/long-file.ts", source: lines(251, "export {};"), says: "noExcessiveLinesPerFile" },
  {
    path: "lib/long-function.ts",
    source: `export const used = (log) => {\n${lines(51, "  log();")}};\n`,
    says: "noExcessiveLinesPerFunction",
  },
  {
    path: "lib/complex.ts",
    source: `export const used = (value) => {\n${branches}  return "";\n};\n`,
    says: "noExcessiveCognitiveComplexity",
  },
];

/** Files that the same rules must leave alone. */
export const allowed: readonly Omit<Violation, "says">[] = [
  {
    path: "lambdas/profiles/list.ts",
    source: `import { okd } from "./okd/okd.ts";

export const profileOf = () => okd;
`,
  },
  {
    path: "lib/constructs/any-kind.ts",
    source: `import { profileOf } from "../../lambdas/profiles/list.ts";

export const ports = () => profileOf().ports;
`,
  },
  {
    path: "lambdas/capabilities/add/add-nodes.ts",
    source: `import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { launch } from "../../steps/instances.ts";

export const addNodes = async (context: DurableContext): Promise<number> => {
  await context.wait({ seconds: 5 });
  return context.step("launch", () => launch(new Date(0)));
};
`,
  },
  {
    path: "lambdas/steps/ec2/instances.ts",
    source: `import { type EC2Client, RunInstancesCommand } from "@aws-sdk/client-ec2";

export const launch = (when: Date): number => when.getTime();
export const run = (ec2: EC2Client) => ec2.send(new RunInstancesCommand({ MinCount: 1, MaxCount: 1 }));
`,
  },
  {
    path: "lambdas/clients/ec2.ts",
    source: `import { EC2Client } from "@aws-sdk/client-ec2";

export const ec2 = () => new EC2Client({});
`,
  },
  {
    path: "lib/sandbox/core/host-clock.ts",
    source: "export const hostClock = () => Date.now();\n",
  },
  {
    path: "lib/sandbox/ec2/times.ts",
    source: "export const isoTime = (ms: number): string => new Date(ms).toISOString();\n",
  },
  {
    path: "lib/permissions.ts",
    source: 'import { nodes } from "../lambdas/commands/nodes.ts";\n\nexport const permissions = [nodes];\n',
  },
  { path: "lambdas/commands/nodes.ts", source: 'export const nodes = "nodes";\n' },
];

/** Modules that import each other; types count too. */
export const cycles: readonly Pick<Violation, "path" | "source">[] = [
  { path: "lib/cycle-a.ts", source: 'import { b } from "./cycle-b.ts";\n\nexport const a = b;\n' },
  { path: "lib/cycle-b.ts", source: 'import { a } from "./cycle-a.ts";\n\nexport const b = a;\n' },
  {
    path: "lib/cycle-of-types-a.ts",
    source: 'import type { B } from "./cycle-of-types-b.ts";\n\nexport interface A {\n  readonly b: B;\n}\n',
  },
  {
    path: "lib/cycle-of-types-b.ts",
    source: 'import type { A } from "./cycle-of-types-a.ts";\n\nexport interface B {\n  readonly a: A;\n}\n',
  },
];

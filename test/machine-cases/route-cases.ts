import { guard, registered } from "./apply-plans.ts";
import { GUARD, type MachineCase } from "./case.ts";
import { recovery, service, withMetadata } from "./windows.ts";

const BEFORE = "C:\\Casement\\before.json";

const asking =
  (what: string) =>
  (now: number): object => ({ do: what, operation: "assist-1", notAfter: now + 600, madeAt: now });

const agent = (change: object = {}) => ({ services: { AmazonSSMAgent: service(change) } });

/** The agent as the guard needs it. */
const guarded = { failureActions: recovery([30, 60, 60]), failureFlag: 1 };

const tasks = { "Casement guard": registered };

/** Cases of route.ps1, which installs the guard on a machine of another owner and takes it away again. */
export const routeCases: readonly MachineCase[] = [
  {
    name: "installs the guard that it carries, and writes down how the machine was before",
    script: "route",
    before: { routes: withMetadata },
    request: asking("install"),
    exitCode: 0,
    result: { script: "route", ok: true, failed: null },
    after: { tasks: { "Casement guard": { state: "Ready" } }, ...{ services: { AmazonSSMAgent: guarded } } },
    left: { [GUARD]: guard[GUARD] ?? "", [BEFORE]: '{"reset":0,"actions":"","flag":0}' },
  },
  {
    name: "writes nothing down on a machine that has a guard",
    script: "route",
    files: { ...guard },
    before: { routes: withMetadata, tasks, ...agent(guarded) },
    request: asking("install"),
    exitCode: 0,
    result: { script: "route", ok: true, failed: null },
    left: { [BEFORE]: null },
  },
  {
    name: "takes task, folder and recovery away again",
    script: "route",
    files: { ...guard, [BEFORE]: '{"reset":86400,"actions":"restart/5000","flag":0}' },
    before: { tasks, ...agent(guarded) },
    request: asking("remove"),
    exitCode: 0,
    result: {
      script: "route",
      ok: true,
      changed: ["remove-task Casement guard", "service-recovery AmazonSSMAgent", "remove-directory C:\\Casement"],
    },
    after: { services: { AmazonSSMAgent: { failureActions: recovery([5]), failureFlag: 0 } } },
    left: { [GUARD]: null, [BEFORE]: null },
    check: ({ tasks: left }) => {
      if (Object.keys(left).length > 0) throw new Error(`tasks are left: ${Object.keys(left).join(", ")}`);
    },
  },
  ...(
    [
      ['{"reset":"1 command= calc.exe","actions":"restart/5000","flag":0}', "words beside a number"],
      ['{"reset":86400,"actions":"run/0 command= calc.exe","flag":0}', "words beside an action"],
      ['{"reset":86400}', "missing fields"],
      ["{", "half a record"],
    ] as const
  ).map(
    ([record, what]): MachineCase => ({
      name: `hands nothing to the service manager from a record with ${what}, and takes the rest away`,
      script: "route",
      files: { ...guard, [BEFORE]: record },
      before: { tasks, ...agent(guarded) },
      request: asking("remove"),
      exitCode: 0,
      result: { script: "route", ok: true, changed: ["remove-task Casement guard", "remove-directory C:\\Casement"] },
      after: { services: { AmazonSSMAgent: guarded } },
      left: { [GUARD]: null, [BEFORE]: null },
    }),
  ),
  {
    name: "takes nothing from a machine that Casement launched",
    script: "route",
    files: { ...guard },
    before: { tasks: { ...tasks, "Casement network": registered } },
    request: asking("remove"),
    exitCode: 1,
    result: {
      ok: false,
      failed: {
        action: "task Casement guard",
        error: "this machine has more of Casement than its guard: Casement launched it",
      },
    },
    after: { tasks: { "Casement guard": { state: "Ready" } } },
  },
  {
    name: "does nothing for a request that came too late",
    script: "route",
    request: (now) => ({ do: "install", operation: "assist-1", notAfter: now - 60, madeAt: now - 600 }),
    exitCode: 1,
    result: { ok: false, failed: { action: "request" } },
    left: { [GUARD]: null },
  },
];

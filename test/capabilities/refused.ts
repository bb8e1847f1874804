import { lookAnswers } from "../../lambdas/capabilities/answers.ts";
import type { Capability } from "../../lambdas/capabilities/capability.ts";
import { command } from "../../lambdas/capabilities/command.ts";
import { capabilities } from "../../lambdas/capabilities/list.ts";
import type { LookAnswers } from "../../lambdas/capabilities/look/look-by.ts";
import { registry } from "../../lambdas/capabilities/registry.ts";
import type { OwnSchedule } from "../../lambdas/capabilities/schedules.ts";
import type { LookName, Request } from "../../lambdas/commands/request.ts";
import type { executions } from "../../lambdas/steps/executions.ts";
import { permissions } from "../../lib/permissions.ts";
import type { Statement } from "../../lib/statement.ts";

/** A look as it would be declared; each case below leaves one thing out, and must not compile. */
const tides = {
  name: "tides",
  also: [],
  arguments: [],
  options: [],
  effect: "look",
  workflow: "look",
  dialog: false,
  summary: "",
  detail: "",
  examples: [],
} as const;

/** Everything that a capability may lack, each refused by the compiler (`npm run types`); nothing calls these. */
export const refused = {
  "a command without a title": () =>
    // @ts-expect-error a title is missing
    command(tides),

  "a title of what the command does not ask": () =>
    // @ts-expect-error the command has no argument of that name
    command({ ...tides, title: ({ harbour }) => harbour }),

  "a look without an answer": (): LookAnswers<LookName | "tides", Request | { readonly command: "tides" }> =>
    // @ts-expect-error the answer to tides is missing
    lookAnswers,

  "an answer that reads what is not asked": (): LookAnswers<"nodes", Request> => ({
    // @ts-expect-error the request of nodes names no pool
    nodes: async ({ request }) => ({ text: request.pool, blocks: [] }),
  }),

  "a command of a function that does not exist": () => {
    const commands = [command({ ...tides, workflow: "read-tides", title: () => "" })];
    // @ts-expect-error no capability has the function read-tides
    return registry([...capabilities, { commands }]);
  },

  "a schedule of a function that does not exist": () => {
    const schedules = [{ name: "tides", every: "5 minutes", starts: "read-tides", logs: "" }] as const;
    // @ts-expect-error no capability has the function read-tides
    return registry([...capabilities, { schedules }]);
  },

  "a function that starts one that does not exist": () => {
    const workflows = { "read-tides": { hours: 1, account: "look", starts: ["read-tide"] } } as const;
    // @ts-expect-error no capability has the function read-tide
    return registry([...capabilities, { workflows }]);
  },

  "a start of a function that does not exist": ({ start }: ReturnType<typeof executions>) =>
    // @ts-expect-error no capability has the function read-tides
    start("read-tides", "name", {}),

  "a schedule that starts nothing and has no handler": (): Readonly<Record<OwnSchedule | "tides", () => void>> =>
    // @ts-expect-error the handler of tides is missing
    ({ people: () => undefined, "front-door": () => undefined }),

  "a function without permissions": (): Readonly<
    Record<keyof typeof permissions | "read-tides", readonly Statement[]>
  > =>
    // @ts-expect-error the permissions of read-tides are missing
    permissions,

  "a schedule without its sentence for the log": (): Capability =>
    // @ts-expect-error what the log says is missing
    ({ schedules: [{ name: "tides", every: "5 minutes", starts: "look" }] }),
};

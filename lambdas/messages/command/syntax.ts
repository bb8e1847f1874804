import { type Command, isRollout, type Request, type RolloutRequest, type Targets } from "../../commands/command.ts";
import { formOf } from "../../commands/form.ts";
import { code } from "../slack/text.ts";

/** Form in which a command is typed, as code for a message. */
export const shownForm = (command: Command): string => typeThis(formOf(command));

/** Command to type, as code, with `{win}` for its first word: the next step of most messages. */
export const typeThis = (...words: readonly (string | number)[]): string =>
  code(words.join(" ")).replace("`", "`{win} ");

/** Nodes named in a title; more are counted. */
const MOST_NAMED = 3;

const targetsOf = (targets: Targets): string => {
  if (targets.kind === "pool") return `pool ${targets.pool}`;
  return targets.nodes.length > MOST_NAMED ? `${targets.nodes.length} nodes` : targets.nodes.join(", ");
};

const rolloutOf = ({ targets, due }: RolloutRequest): string => {
  if (targets.kind === "all") return "what is due";
  return due ? `what is due of ${targetsOf(targets)}` : targetsOf(targets);
};

const titles: { readonly [C in Request["command"]]: (request: Extract<Request, { command: C }>) => string } = {
  help: () => "Help",
  nodes: () => "List the nodes",
  node: ({ node }) => `Describe ${node}`,
  why: ({ node }) => `Find what is wrong with ${node}`,
  add: ({ pool, count, dryRun }) =>
    `${dryRun ? "Dry run: add" : "Add"} ${count} ${count === 1 ? "node" : "nodes"} to ${pool}`,
  remove: ({ node, dryRun }) => `${dryRun ? "Dry run: remove" : "Remove"} ${node}`,
  cordon: ({ node, dryRun }) => `${dryRun ? "Dry run: cordon" : "Cordon"} ${node}`,
  uncordon: ({ node, dryRun }) => `${dryRun ? "Dry run: uncordon" : "Uncordon"} ${node}`,
  drain: ({ node, dryRun }) => `${dryRun ? "Dry run: drain" : "Drain"} ${node}`,
  reboot: (request) =>
    `${request.dryRun ? "Dry run: reboot" : "Reboot"} ${isRollout(request) ? rolloutOf(request) : request.node}`,
  assist: ({ node, end, dryRun }) =>
    `${dryRun ? "Dry run: " : ""}${end ? "end the assistance of" : "assist"} ${node}`.replace(/^./, (first) =>
      first.toUpperCase(),
    ),
  guard: ({ targets, dryRun }) => `${dryRun ? "Dry run: guard" : "Guard"} the metadata route of ${targetsOf(targets)}`,
  freeze: ({ pool }) => `Freeze ${pool ?? "the cluster"}`,
  thaw: ({ pool }) => `Thaw ${pool ?? "the cluster"}`,
  hold: ({ targets }) => `Hold ${targetsOf(targets)}`,
  unhold: ({ targets }) => `Unhold ${targetsOf(targets)}`,
  prove: ({ node }) => `Prove ${node}`,
  operations: () => "List the operations",
  doctor: () => "Run the doctor",
  audit: ({ of }) => (of === null ? "Show the audit" : `Show the audit of ${of}`),
  authority: () => "Update the kubelets' client authority",
  approve: ({ operation }) => `Approve ${operation}`,
  deny: ({ operation }) => `Deny ${operation}`,
  pause: ({ operation }) => `Pause ${operation}`,
  resume: ({ operation }) => `Resume ${operation}`,
  cancel: ({ operation }) => `Cancel ${operation}`,
};

/** Names a request in a few words, not escaped: "Add 2 nodes to web". */
export const titleOf = (request: Request): string => (titles[request.command] as (request: Request) => string)(request);

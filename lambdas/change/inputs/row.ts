import type { Configuration } from "../../configuration/configuration.ts";
import { readApplied } from "../../engine/apply-plan.ts";
import { atMost, RECORDS_AT_ONCE, readOnce } from "../../engine/chunks.ts";
import { kindOf, MINUTE } from "../../engine/durable.ts";
import { type Input, type InputContent, valueFor } from "../../inputs/input.ts";
import type { Action, MachinePlan } from "../../machine/plan.ts";
import { type StageName, stages, waitsOf } from "../../stages.ts";
import type { FleetOperation, FleetRow, Member, Planner, Trial } from "../fleet/row.ts";
import type { DueNode, Wish } from "./due.ts";
import { proofs } from "./proofs.ts";
import { readContent } from "./read.ts";

/** Minutes after which no machine may begin, however many batches there are. */
const PLAN_MINUTES = 60;

const HOUR = 60 * MINUTE;

/** An input whose content machines get in one operation. */
export interface InputChange {
  readonly input: Input;
  /** Identity of the content. */
  readonly sha256: string;
  readonly configuration: Configuration;
  /** The wish of a person by which the content was read; missing if the schedule has read it. */
  readonly wish?: Pick<Wish, "isRequested" | "mayAccept">;
  /** Index of the first node's record, if the operation gives other inputs before. */
  readonly firstIndex?: number;
  /** Makes the names of steps and commands unique, if the operation gives several inputs; by default none is changed. */
  readonly nameOf?: (name: string) => string;
}

/** The parts of a row that depend on who started the operation. */
export type StartedParts = Pick<FleetRow<DueNode>, "choose" | "onHeld" | "onClaimed" | "endOf">;

/** Stage of the nodes that get an input. */
export const stageOf = ({ rule }: Input): StageName => stages[rule][0].name;

/**
 * Minutes of the change and of its proof. A configuration that an execution of the last release has stored has none.
 */
function minutesOf({ input: { rule }, configuration }: InputChange): {
  readonly change: number;
  readonly proof: number;
} {
  const own: Readonly<Record<string, number>> = { ...configuration.deadlines[rule] };
  const [stage] = stages[rule];
  return { change: own[stage.name] ?? stage.minutes, proof: own.proof ?? waitsOf(rule).proof ?? stage.minutes };
}

type InputMember = Member<DueNode>;

const same = (name: string): string => name;

/** Makes the request with actions for machines whose records are equal. */
function requestFor({ steps, operation }: FleetOperation, name: string, actions: readonly Action[]): Promise<object> {
  const plan: MachinePlan = {
    format: 2,
    operation,
    madeAt: Math.floor(steps.now() / 1000),
    notAfter: Math.floor((steps.now() + PLAN_MINUTES * MINUTE) / 1000),
    actions,
  };
  return steps.machine.requestFor(plan, `plans/${operation}/${name.replaceAll(" ", "-")}.json`);
}

const sentTo = async ({ steps }: FleetOperation, { input }: InputChange, { instanceId }: InputMember) =>
  (await steps.machines.given.of(instanceId))?.[input.name];

/** Plans the change, and records what each machine is about to be sent. */
const planner =
  (op: FleetOperation, change: InputChange, contentOf: () => Promise<InputContent>): Planner<DueNode> =>
  async (members, name) => {
    const [first] = members;
    if (!first) throw new Error("a plan needs a machine");
    const content = await contentOf();
    const actions = change.input.actions(content, await sentTo(op, change, first));
    await atMost(RECORDS_AT_ONCE, members, ({ instanceId, lease }) =>
      op.steps.machines.given.send(instanceId, lease.owner, change.input.name, (sent) =>
        valueFor(change.input, content, sent),
      ),
    );
    return requestFor(op, name, actions);
  };

/** Plans the way back to what the first machine had before. */
const undoer =
  (op: FleetOperation, change: InputChange): Planner<DueNode> =>
  async ([first], name) => {
    if (!first) throw new Error("a plan needs a machine");
    const sent = await sentTo(op, change, first);
    const before = sent?.unconfirmed?.before ?? null;
    const stored = before ? await op.steps.inputStore.get(change.input, before.sha256) : { sha256: "", files: [] };
    const keptPaths = (before?.files ?? []).map(({ path }) => path);
    return requestFor(op, name, change.input.actions({ ...stored, keptPaths }, sent));
  };

const trialOf = (op: FleetOperation, change: InputChange, contentOf: () => Promise<InputContent>): Trial<DueNode> => {
  const { input, sha256, configuration, nameOf = same } = change;
  const proof = { op, input, configuration, contentOf, minutes: minutesOf(change).proof };
  return {
    names: {
      plan: nameOf("plan: change first"),
      send: nameOf("change first"),
      settle: nameOf("settle the first node"),
      undo: nameOf("undo"),
    },
    prove: (first) => proofs[input.proof]({ ...proof, first }),
    ...(input.isUndone ? { undo: undoer(op, change) } : {}),
    block: ({ instanceId }, at) => {
      const hours = input.retryHours[at];
      const until = hours === null ? null : op.steps.now() + hours * HOUR;
      return op.steps.inputWatches.of(input.rule).block({ sha256, instanceId, until });
    },
  };
};

async function onChanged(op: FleetOperation, change: InputChange, member: InputMember, content: InputContent) {
  const { steps } = op;
  const { input, sha256 } = change;
  await steps.machines.given.record(member.instanceId, member.lease.owner, input.name, (sent) =>
    valueFor(input, content, sent),
  );
  if (input.annotation === undefined) return;
  const node = await steps.nodes.read(member.name);
  if (node) await steps.nodes.annotate(node, { [input.annotation]: sha256 });
}

/**
 * Does the cluster want another content by now, or none that can be read? The proof on the first node takes minutes, in which
 * people mend what they see. If a service does not answer, that is no reason to stop.
 */
async function isOutdated({ steps }: FleetOperation, { input, sha256, configuration, wish }: InputChange) {
  try {
    const content = await readContent(steps, { isRequested: false, ...wish, input, configuration });
    return content?.sha256 !== sha256;
  } catch (error) {
    return kindOf(error) === "Refused";
  }
}

/** Fleet change that gives nodes the content of an input: one node first, then the rest. */
export function inputRow(op: FleetOperation, change: InputChange, started: StartedParts): FleetRow<DueNode> {
  const { input, sha256, firstIndex = 0, nameOf = same } = change;
  const contentOf = readOnce(() => op.steps.inputStore.get(input, sha256));
  return {
    ...started,
    workflow: input.rule,
    stage: stageOf(input),
    claim: nameOf("begin"),
    firstIndex,
    sending: async () => ({
      script: "apply",
      minutes: minutesOf(change).change,
      plan: planner(op, change, contentOf),
      groupOf: ({ key }) => key,
      read: readApplied,
    }),
    trial: trialOf(op, change, contentOf),
    isOutdated: () => isOutdated(op, change),
    rest: {
      plan: nameOf("plan: change the rest"),
      send: nameOf("change the rest"),
      settle: nameOf("settle the rest"),
    },
    onChanged: async (member) => onChanged(op, change, member, await contentOf()),
    audit: { succeeded: "changed", detail: { change: input.words.change, sha256 } },
  };
}

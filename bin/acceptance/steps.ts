import type { NodeRecord } from "../../lambdas/records/records.ts";
import { ask } from "./ask.ts";
import { deadlineMinutes } from "./bounds.ts";
import { follow } from "./follow.ts";
import { answersTo, shapesOfEnd, shapesOfNode } from "./gather.ts";
import { leftovers } from "./leftovers.ts";
import { pullAll } from "./pull.ts";
import { tryGuard } from "./route.ts";
import type { Run, RunCommand, StepName } from "./run-file.ts";
import { type Scene, StepFailed, within } from "./scene.ts";
import { readStageTimes } from "./stage-times.ts";

/** A running run with its scene. */
export interface RunContext {
  readonly scene: Scene;
  readonly run: Run;
  /** Saves the current state of the run. */
  save(): void;
}

const instanceOf = ({ run }: RunContext): string => {
  if (run.instanceId === null) throw new StepFailed("no instance is known");
  return run.instanceId;
};

const nodeOf = ({ run }: RunContext): string => {
  if (run.nodeName === null) throw new StepFailed("no Node is known");
  return run.nodeName;
};

/** Has the last operation of a command ended without success? Then the command is sent as a new request. */
async function isSpent({ scene, run }: RunContext, command: RunCommand): Promise<boolean> {
  const id = run.operations[command];
  const record = id === undefined ? undefined : await scene.ledger.operation(id);
  return record === undefined || (record.endedAt !== null && record.status !== "succeeded");
}

/** Requests an operation, unless an interrupted run has one that is still usable, and follows it to its end. */
async function operate(
  going: RunContext,
  command: RunCommand,
  text: string,
  workflow: "provision" | "reboot" | "remove",
) {
  const { scene, run, save } = going;
  if (await isSpent(going, command)) {
    // Saved before it is sent: a run that is killed in between repeats the same attempt and gets the same operation.
    if (run.operations[command] !== undefined || run.attempts[command] === undefined)
      run.attempts[command] = (run.attempts[command] ?? 0) + 1;
    delete run.operations[command];
    save();
    run.operations[command] = await ask(scene, run, command, text);
    save();
  }
  const id = run.operations[command] ?? "";
  scene.say(`  operation ${id}`);
  await follow(scene, id, deadlineMinutes(workflow), (nodes) => note(going, command, nodes[0]));
  Object.assign(run.measures, await readStageTimes(scene, workflow, id));
}

/** Saves instance and Node of an `add` as soon as they are known, so that the machine can be removed in any case. */
function note({ run, save }: RunContext, command: RunCommand, node: NodeRecord | undefined): void {
  if (command !== "add" || !node) return;
  if (node.instanceId === run.instanceId && node.nodeName === run.nodeName) return;
  run.instanceId = node.instanceId;
  run.nodeName = node.nodeName;
  save();
}

/** Minutes within which pods of DaemonSets should run on a new node. */
const PODS_MINUTES = 10;

async function podsRun({ scene }: RunContext, nodeName: string): Promise<true | undefined> {
  const fieldSelector = `spec.nodeName=${nodeName}`;
  const { items } = await scene.administrator.core.listPodForAllNamespaces({ fieldSelector });
  return items.every(({ status }) => status?.phase === "Running" || status?.phase === "Succeeded") || undefined;
}

async function add(going: RunContext): Promise<void> {
  const { scene, run } = going;
  await operate(going, "add", `add ${run.pool}`, "provision");
  const [instanceId, nodeName] = [instanceOf(going), nodeOf(going)];
  await within(
    scene,
    PODS_MINUTES,
    () => podsRun(going, nodeName),
    () => `pods on ${nodeName} do not start`,
  );
  Object.assign(run.shapes, await shapesOfNode(scene, run, instanceId, nodeName));
  Object.assign(run.answers, await answersTo(scene));
  run.bootId = (await scene.administrator.core.readNode({ name: nodeName })).status?.nodeInfo?.bootID ?? null;
}

async function pull(going: RunContext): Promise<void> {
  const { scene, run } = going;
  if (scene.images.length === 0)
    scene.say("  left out: name an image with --pull, or images in probe.registries of the configuration");
  await pullAll(scene, run, nodeOf(going), scene.images);
}

async function route(going: RunContext): Promise<void> {
  const { measures, shapes } = await tryGuard(going.scene, going.run, instanceOf(going));
  Object.assign(going.run.measures, measures);
  Object.assign(going.run.shapes, shapes);
  going.scene.say(`  the guard put the route back after ${measures["route.repair"]} s`);
}

const reboot = (going: RunContext): Promise<void> => operate(going, "reboot", `reboot ${nodeOf(going)}`, "reboot");

/** Checks the node with the terminal's own rights, independently of the product's proof. */
async function prove(going: RunContext): Promise<void> {
  const { status, spec } = await going.scene.administrator.core.readNode({ name: nodeOf(going) });
  const isReady = status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
  const bootId = status?.nodeInfo?.bootID ?? null;
  const faults = [
    isReady ? [] : "it is not Ready",
    spec?.unschedulable === true ? "it is cordoned" : [],
    // If the kubelet reports no boot id, this check is skipped; the product's proof compares the boot time.
    bootId && bootId === going.run.bootId ? "its boot id is the one before the reboot" : [],
  ].flat();
  if (faults.length > 0) throw new StepFailed(`${nodeOf(going)} was proven, and yet ${faults.join(", ")}`);
}

/** Removes the machine; if it never became a node, by its instance id. */
const remove = (going: RunContext): Promise<void> =>
  operate(going, "remove", `remove ${going.run.nodeName ?? instanceOf(going)}`, "remove");

/** Minutes for which a service may still list deleted objects. */
const GONE_MINUTES = 10;

async function nothingLeft(going: RunContext): Promise<void> {
  const { scene, run } = going;
  let left: readonly string[] = [];
  const look = async (): Promise<true | undefined> => {
    left = await leftovers(scene, run);
    return left.length === 0 || undefined;
  };
  await within(scene, GONE_MINUTES, look, () => `left after the removal: ${left.join("; ")}`);
  Object.assign(run.shapes, await shapesOfEnd(scene, instanceOf(going)));
}

/** Step → its work. */
export const steps: Readonly<Record<StepName, (going: RunContext) => Promise<void>>> = {
  add,
  pull,
  route,
  reboot,
  prove,
  remove,
  leftovers: nothingLeft,
};

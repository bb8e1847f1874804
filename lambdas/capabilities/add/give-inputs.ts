import { readContent } from "../../change/inputs/read.ts";
import { apply, once } from "../../change/node/task.ts";
import { NO_NODE_CHANGED, Refused } from "../../errors.ts";
import { type Input, type InputContent, valueFor } from "../../inputs/input.ts";
import { clusterInputs } from "../../inputs/list.ts";
import type { MachineInputs, SentInput } from "../../records/machine-record.ts";
import { machineOf, type ProvisionTask } from "./task.ts";

/** The newest content that a machine has confirmed: the one before a content with which a node failed. */
const newestConfirmed = ({ name }: Input, given: ReadonlyMap<string, MachineInputs>): SentInput | undefined =>
  [...given.values()]
    .flatMap((one) => one[name] ?? [])
    .filter(({ unconfirmed }) => unconfirmed === undefined)
    .toSorted((one, other) => other.at.localeCompare(one.at))[0];

/**
 * Reads the content for a new machine, and puts it into the bucket: a lost object would keep the machine waiting.
 * @throws Refused in the words of an addition: nodes are not concerned
 */
async function readForNew({ steps, runtime }: ProvisionTask, input: Input): Promise<InputContent | null> {
  try {
    const content = await readContent(steps, { input, configuration: runtime.configuration, isRequested: false });
    if (content !== null) await steps.inputStore.put(input, content);
    return content;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new Refused(error.message.replace(NO_NODE_CHANGED, "so the new machine did not join"), {
      cause: error,
    });
  }
}

/** Writes an input to the machine; records it before it is sent, and once the machine has it. */
async function give(task: ProvisionTask, input: Input): Promise<void> {
  const { steps, owner } = task;
  const { instanceId } = machineOf(task);
  const { noun } = input.words;
  const { given } = steps.machines;
  const sha256 = await once(task, `read the ${noun}`, async () => {
    const content = await readForNew(task, input);
    if (content === null) return null;
    if (content.refusesNew !== undefined) throw new Refused(content.refusesNew);
    const { blocked } = await steps.inputWatches.of(input.rule).read();
    const proven = blocked?.sha256 === content.sha256 ? newestConfirmed(input, await given.all()) : undefined;
    return proven?.sha256 ?? (input.isWithout(content) ? null : content.sha256);
  });
  if (sha256 === null) return;
  await apply(task, `write the ${noun}`, async () => {
    const content = await steps.inputStore.get(input, sha256);
    const before = (await given.of(instanceId))?.[input.name];
    await given.send(instanceId, owner, input.name, (had) => valueFor(input, content, had));
    return input.actions(content, before);
  });
  await once(task, `record the ${noun}`, async () => {
    const content = await steps.inputStore.get(input, sha256);
    await given.record(instanceId, owner, input.name, (had) => valueFor(input, content, had));
  });
}

/**
 * Gives a new machine what the cluster's administrators decide for machines, before its containerd starts for the first
 * time.
 * @throws StageFailed if an input cannot be read: no node is made without it
 */
export async function giveInputs(task: ProvisionTask): Promise<void> {
  for (const input of clusterInputs) if (input.reads(task.runtime.configuration) !== null) await give(task, input);
}

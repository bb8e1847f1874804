import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { changeByRule } from "../../change/fleet/by-rule.ts";
import { type Bundle, sha256 } from "../../cluster/authorities.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { chunksOf, numbered, readOnce } from "../../engine/chunks.ts";
import { step } from "../../engine/durable.ts";
import { escalate } from "../../engine/escalate.ts";
import type { LineReading } from "../../engine/fleet-batch.ts";
import { observeFleet } from "../../engine/run-fleet.ts";
import { tryingRights } from "../../engine/trying-rights.ts";
import type { FileObservation } from "../../machine/plan.ts";
import { profileOf } from "../../profiles/list.ts";
import { kubeletClientsIn } from "../../records/machine-record.ts";
import { lambdaEntry } from "../../steps/host.ts";
import { idOf } from "../../steps/open-operation.ts";
import type { Steps } from "../../steps/steps.ts";
import { type AuthorityReading, type DueNode, readInPages } from "./due.ts";
import { authorityNewsMessage, authorityUnreadNotice } from "./messages.ts";
import { authorityRow, openingOf, ruleOf } from "./row.ts";

/** Payload with which a tick of the schedule starts the comparison. */
export interface UpdateAuthority {
  /** Id of the event: a tick that is delivered twice starts one comparison. */
  readonly tick: string;
}

/** Minutes for machines to answer an observation. */
const OBSERVE_MINUTES = 5;

/** One tick of the schedule. */
interface Tick {
  readonly ctx: DurableContext;
  readonly steps: Steps;
  readonly tick: string;
}

/** Notifies people that the authority cannot be read, or that it can be read again. */
async function notify(
  { ctx, steps, tick }: Tick,
  { slack }: Configuration,
  { news, why }: AuthorityReading,
): Promise<void> {
  if (!news) return;
  if (news === "bad") await escalate(ctx, steps, "the authority", authorityUnreadNotice(why));
  const post = async (): Promise<void> => {
    await steps.thread.post(slack.channel, authorityNewsMessage(news, why), `authority ${tick}`);
  };
  // Slack may be unavailable: people were notified by SNS as well.
  await step(ctx, "tell the channel", post).catch(() => undefined);
}

function readFile(result: object): LineReading<string> {
  const { ok, error, files } = result as Partial<FileObservation>;
  if (ok === true) return { value: files?.[0]?.sha256 ?? "missing" };
  return { why: error ?? "observe.ps1 does not say why it could not look" };
}

/** One comparison of all nodes with what the cluster publishes. */
interface Comparison extends Tick {
  readonly bundle: Bundle;
}

/** Records nodes that already have the file: an interrupted execution may have changed a node without recording it. */
async function recordSame({ ctx, steps, bundle }: Comparison, same: readonly DueNode[]): Promise<void> {
  const wanted = sha256(bundle.pem);
  const known = readOnce(() => steps.machines.given.all());
  const chunks = same.length > 0 ? chunksOf(same) : [[]];
  for (const [at, chunk] of chunks.entries())
    await step(ctx, numbered("record nodes that have it", at), async () => {
      const given = await known();
      for (const { instanceId } of chunk)
        if (given.get(instanceId)?.kubeletClients?.sha256 !== wanted)
          await steps.machines.given.record(instanceId, "authority:0", "kubeletClients", kubeletClientsIn(bundle));
    });
}

/** Reads the file on each node. @returns nodes whose file differs; a node that does not answer is left out */
async function findDiffering(
  comparison: Comparison,
  nodes: readonly DueNode[],
  path: string,
): Promise<readonly DueNode[]> {
  const { ctx, steps, tick, bundle } = comparison;
  const request = { files: [path] };
  const seen = await observeFleet<string>(
    ctx,
    steps,
    nodes.map(({ instanceId }) => ({ instanceId, request })),
    { owner: `look ${tick}`, name: "look", minutes: OBSERVE_MINUTES, cancelledBy: async () => null, read: readFile },
  );
  const wanted = sha256(bundle.pem);
  const hashOf = ({ instanceId }: DueNode): string | null => {
    const outcome = seen.get(instanceId);
    return outcome?.state === "done" ? outcome.value : null;
  };
  await recordSame(
    comparison,
    nodes.filter((node) => hashOf(node) === wanted),
  );
  return nodes.filter((node) => hashOf(node) !== null && hashOf(node) !== wanted);
}

/**
 * By schedule: when the cluster replaces the authorities by which kubelets verify the API server, gives every node the
 * new ones.
 */
export const updateAuthority =
  (steps: Steps) =>
  async ({ tick }: UpdateAuthority, ctx: DurableContext): Promise<void> => {
    const configuration = await step(ctx, "read the configuration", async () => {
      const { configuration } = await steps.runtime.read(null);
      return configuration;
    });
    const read = await readInPages(ctx, steps, configuration, tick);
    await notify({ ctx, steps, tick }, configuration, read);
    const { bundle, due } = read;
    if (!bundle) return;
    const { path } = profileOf(configuration).kubeletClients(bundle.pem);
    const comparison = { ctx, steps, tick, bundle };
    const differing = due.nodes.length > 0 ? await findDiffering(comparison, due.nodes, path) : [];
    if (due.isWhole) await step(ctx, "note the look", () => steps.authorityWatch.noteComparison());
    if (differing.length === 0) return;
    const opening = openingOf(configuration, tick);
    const rule = ruleOf(steps, opening);
    const op = { ctx, steps, operation: idOf(opening) };
    await changeByRule(op, rule, authorityRow(op, rule, configuration, bundle), differing);
  };

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(tryingRights("update-authority", updateAuthority));

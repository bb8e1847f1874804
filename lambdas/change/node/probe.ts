import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { causeOf, step } from "../../engine/durable.ts";
import { judgeProbe, type ProbeImages, type ProbeResult } from "../../health/probe.ts";
import { linuxProbe, probeNames, windowsProbe } from "../../health/probe-pods.ts";
import type { ProbedNode } from "../../health/probed-node.ts";
import { isPodAddress } from "../../machine/network-address.ts";
import type { WindowsRelease } from "../../machine/windows-builds.ts";
import { noProbeImage } from "../../messages/health/network-troubles.ts";
import type { Steps } from "../../steps/steps.ts";
import type { DurableSteps } from "../operation/op.ts";

/** Reason why no probe is made: the pod on the node would have no other node to be reached from. */
export const noOrigin = "no Linux node is Ready to reach the probe from";

/**
 * Seconds that a probe may take: the node may have to pull a Windows image of gigabytes. A new machine has none of its
 * layers, so its probe takes as long as the admission policy allows its pod.
 */
const WITHIN_SECONDS = { known: 240, new: 570 };

/** Failed probes after which a node is considered dead: after a boot, a first pod may start before the pod network. */
const ATTEMPTS = 2;

/**
 * Seconds before a poll of a probe. A successful probe ends within a minute. After that polls are rarer, because each
 * costs two operations of the execution, which probes up to twelve nodes twice.
 * @param round counted from 1
 */
const pauseBefore = (round: number): number => (round <= 12 ? 5 : 15);

/** The node whose data plane is probed. */
export interface ProbeTarget {
  readonly node: string;
  /** Release of its Windows, which decides the image. */
  readonly windows: WindowsRelease;
  readonly images: ProbeImages;
  /** Address outside of the cluster that its pods must reach: "host:port"; none if it is missing. */
  readonly outside?: string | undefined;
  /** The machine is new: it has no layer of the image yet. */
  readonly isNew?: true;
  /** Unique among probes: letters, digits and hyphens, at most 40. */
  readonly id: string;
  /** Counted from 1: each attempt is reached from another Linux node, where there are several. */
  readonly attempt?: number;
}

/**
 * Probes a node's data plane by a pod on it and a pod on another node that connects to the first; both are deleted
 * afterwards.
 * Without an image, another node or an answer of the API the result is "not-probed", which is no judgement of the node.
 * @param name unique within the execution
 */
export async function probeNode(
  ctx: DurableContext,
  steps: Steps,
  name: string,
  probed: ProbeTarget,
): Promise<ProbeResult> {
  const windowsImage = probed.images[probed.windows];
  const linuxImage = probed.images.linux;
  if (!windowsImage || !linuxImage)
    return { state: "not-probed", why: noProbeImage(windowsImage ? "Linux" : probed.windows) };
  const { id, node, outside } = probed;
  const pods = probeNames(id);
  try {
    const started = await step(ctx, `${name}: start`, async () => {
      const from = steps.probes.origin(await steps.nodes.all(), probed.attempt);
      const pod = windowsProbe({ id, node, image: windowsImage, outside }, probed.isNew);
      if (from !== null) await steps.probes.start(pod);
      return { from, until: steps.now() + WITHIN_SECONDS[probed.isNew ? "new" : "known"] * 1_000 };
    });
    if (started.from === null) return { state: "not-probed", why: noOrigin };
    return await awaitProbe(ctx, steps, name, { ...started, from: started.from, pods, id, image: linuxImage, outside });
  } catch (error) {
    return { state: "not-probed", why: causeOf(error).message };
  } finally {
    await step(ctx, `${name}: remove`, async () => {
      await steps.probes.remove(pods.windows);
      await steps.probes.remove(pods.linux);
    }).catch(() => undefined);
  }
}

/**
 * Probes a node until it works or every attempt has failed. A probe that could not run is not repeated.
 * @param attemptOf the name of an attempt, unique within the execution, and its id
 */
export async function probeRepeatedly(
  { ctx, steps }: DurableSteps,
  target: Omit<ProbeTarget, "id" | "attempt">,
  attemptOf: (attempt: number) => { readonly name: string; readonly id: string },
): Promise<ProbeResult> {
  for (let attempt = 1; ; attempt += 1) {
    const { name, id } = attemptOf(attempt);
    const result = await probeNode(ctx, steps, name, { ...target, id, attempt });
    if (result.state !== "fails" || attempt === ATTEMPTS) return result;
  }
}

/** A pod on the node that waits for a connection. */
interface ProbeWatch {
  /** The node from which a second pod connects. */
  readonly from: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly pods: { readonly windows: string; readonly linux: string };
  readonly id: string;
  /** Image of the second pod. */
  readonly image: string;
  /** Address outside of the cluster that both pods try. */
  readonly outside: string | undefined;
}

/** Has the pod an address to which another node's pod may connect? A kubelet could name any address. */
async function isReachable(steps: Steps, address: string | null): Promise<boolean> {
  if (address === null) return false;
  const { machineNetwork, serviceNetwork } = (await steps.runtime.read(null)).configuration.cluster;
  return isPodAddress(address, [machineNetwork, serviceNetwork]);
}

/** Records the result of a probe that ends now, for `/win why` and for the setup that waits for it. Belongs into a step. */
export async function noteProbe(steps: Steps, probed: Omit<ProbedNode, "probedAt" | "card">): Promise<ProbedNode> {
  const now = { ...probed, probedAt: steps.timestamp() };
  return (await steps.machines.probed.note(now)) ?? now;
}

/**
 * Polls both pods until the probe has a result; creates the second pod as soon as the first has an address.
 * @param name unique within the execution
 */
export async function awaitProbe(
  ctx: DurableContext,
  steps: Steps,
  name: string,
  watched: ProbeWatch,
): Promise<ProbeResult> {
  const { from, until, pods, id, image, outside } = watched;
  for (let round = 1; ; round += 1) {
    await ctx.wait(`${name}: before look ${round}`, { seconds: pauseBefore(round) });
    const result = await step(ctx, `${name}: look ${round}`, async (): Promise<ProbeResult | null> => {
      const windows = await steps.probes.state(pods.windows);
      if (windows === null) return { state: "not-probed", why: "the probe was deleted by others" };
      const linux = await steps.probes.state(pods.linux);
      if (linux === null && windows.exitCode === null && (await isReachable(steps, windows.address)))
        await steps.probes.start(
          linuxProbe({ id, node: from, image, outside }, windows.address ?? "", await steps.probes.user()),
        );
      const isLate = steps.now() >= until;
      const events = isLate && windows.address === null ? await steps.probes.events(pods.windows) : [];
      return judgeProbe({ windows, linux, from, outside, isLate, events });
    });
    if (result !== null) return result;
  }
}

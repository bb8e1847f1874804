import { addNotes } from "../../change/node/notes.ts";
import { awaitProbe, noOrigin } from "../../change/node/probe.ts";
import { nodeOf, once, waitFor } from "../../change/node/task.ts";
import { done, MINUTE, pending, StageFailed } from "../../engine/durable.ts";
import { judgeStart, type ProbeResult, type ProbeStart } from "../../health/probe.ts";
import { probeNames, witnessProbe } from "../../health/probe-pods.ts";
import { dataPlaneWords, probedRelease } from "./data-plane.ts";
import { notTried, ofWitness, witnessToStart } from "./restart-message.ts";
import type { RebootTask } from "./task.ts";

/** Milliseconds in which the pod must start: the node may have to pull a Windows image of gigabytes. */
const STARTS_WITHIN_MS = 4 * MINUTE;

/** Milliseconds for which the pod is tried after the restart: as long as it listens. */
const TRIED_FOR_MS = 3 * MINUTE;

/** Seconds between two polls for the pod's start. */
const PAUSE_SECONDS = 5;

/**
 * Starts a pod on the node that must still work after the restart, if the configuration names images for its Windows
 * release. If the pod does not start, a note says why, and the restart is proven without it.
 */
export async function placeWitness(task: RebootTask): Promise<void> {
  const { steps, operation, index, runtime } = task;
  const windows = await probedRelease(task);
  const { images, outside } = runtime.configuration.probe;
  const image = windows === null ? undefined : images[windows];
  if (image === undefined) return;
  const id = `${operation}-${index}-before`;
  task.witness = id;
  const until = await once(task, "start a pod that stays", async () => {
    await steps.probes.start(witnessProbe({ id, node: nodeOf(task).name, image, outside }));
    return steps.now() + STARTS_WITHIN_MS;
  });
  const start = await waitFor<NonNullable<ProbeStart>>(task, "the pod that stays has started", async () => {
    const found = judgeStart(await steps.probes.state(probeNames(id).windows), steps.now() >= until);
    return found === null ? pending(witnessToStart, { againIn: PAUSE_SECONDS }) : done(found);
  });
  if (start.isStarted) return;
  await removeWitness(task);
  await once(task, "no pod stays", async () => void (await addNotes(task, [notTried(start.why)])));
}

/** Deletes the pod and the one that connects to it. If the API server refuses, both end by their deadline. */
export async function removeWitness(task: RebootTask): Promise<void> {
  const { steps, witness } = task;
  if (witness === null) return;
  task.witness = null;
  const { windows, linux } = probeNames(witness);
  await once(task, "remove the pod that stayed", async () => {
    await steps.probes.remove(windows);
    await steps.probes.remove(linux);
  }).catch(() => undefined);
}

/**
 * Proves that the pod that was started before the restart is still reached, and still reaches a Service.
 * @throws StageFailed if it does not
 */
export async function proveWitness(task: RebootTask): Promise<void> {
  const { ctx, steps, witness: id, runtime } = task;
  const { images, outside } = runtime.configuration.probe;
  const image = images.linux;
  if (id === null || image === undefined) return;
  const tried = await once(task, "try the pod that stayed", async () => ({
    from: steps.probes.origin(await steps.nodes.all()),
    until: steps.now() + TRIED_FOR_MS,
  }));
  const { from } = tried;
  const pods = probeNames(id);
  const result: ProbeResult =
    from === null
      ? { state: "not-probed", why: noOrigin }
      : await awaitProbe(ctx, steps, "the pod that stayed", { ...tried, from, pods, id, image, outside });
  await removeWitness(task);
  if (result.state === "fails") throw new StageFailed("check-fails", ofWitness(dataPlaneWords(task, result)));
  if (result.state === "not-probed")
    await once(
      task,
      "the pod that stayed was not tried",
      async () => void (await addNotes(task, [notTried(result.why)])),
    );
}

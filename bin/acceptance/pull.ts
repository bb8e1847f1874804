import { pullProbe } from "../../lambdas/health/probe-pods.ts";
import { judgePull, type PullResult } from "../../lambdas/health/pull.ts";
import { probes } from "../../lambdas/steps/probes.ts";
import type { Run } from "./run-file.ts";
import { type Scene, StepFailed, within } from "./scene.ts";

/** Minutes for one pull; the pod ends after ten. */
const PULL_MINUTES = 9;

/** Pulls one image on a node, by a pod of this terminal's administrator, which is deleted afterwards. */
async function pullOne(scene: Scene, id: string, nodeName: string, image: string): Promise<PullResult> {
  const pods = probes({ clients: { kubernetes: scene.administrator } });
  const pod = pullProbe(id, nodeName, image);
  const { name } = pod.metadata;
  try {
    await pods.start(pod);
    const late = (await scene.now()) + PULL_MINUTES * 60_000;
    const look = async () => {
      const isLate = (await scene.now()) >= late;
      return judgePull({ pod: await pods.state(name), events: await pods.events(name), isLate }) ?? undefined;
    };
    return await within(scene, PULL_MINUTES + 1, look, () => `${image} was not pulled in time`);
  } finally {
    await pods.remove(name).catch(() => scene.say(`  the pod casement/${name} could not be deleted`));
  }
}

/**
 * Pulls images on the new node, as the cluster's mirrors lead its containerd.
 * @throws StepFailed with the registry's error if one could not be pulled
 */
export async function pullAll(scene: Scene, run: Run, nodeName: string, images: readonly string[]): Promise<void> {
  for (const [at, image] of images.entries()) {
    const result = await pullOne(scene, `${run.id}-${at + 1}`, nodeName, image);
    if (result.state !== "pulled") throw new StepFailed(`${image} was not pulled on ${nodeName}: ${result.why}`);
    scene.say(`  ${image} was pulled`);
  }
}

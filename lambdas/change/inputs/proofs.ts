import type { Configuration } from "../../configuration/configuration.ts";
import { causeOf, done, MINUTE, pending, StageFailed, step, until, untilTime } from "../../engine/durable.ts";
import { pullProbe } from "../../health/probe-pods.ts";
import { judgePull, MOST_PULLS, type ProofImage, type PullResult, proofImages, registryOf } from "../../health/pull.ts";
import { type Input, type InputContent, keyOfFile, type ProvenRegistry, recordedFile } from "../../inputs/input.ts";
import { some } from "../../messages/slack/text.ts";
import { profileOf } from "../../profiles/list.ts";
import { windowsReleaseOf } from "../../steps/cluster/node-facts.ts";
import type { FleetOperation } from "../fleet/row.ts";
import type { DueNode } from "./due.ts";

/** A proof on the first node. */
export interface ProofTask {
  readonly op: FleetOperation;
  readonly input: Pick<Input, "name" | "rule">;
  readonly first: DueNode;
  /** Minutes in which the node must work. */
  readonly minutes: number;
  readonly contentOf: () => Promise<InputContent>;
  /** Configuration with the images that prove registries. */
  readonly configuration: Configuration;
}

/**
 * Proves that the first node works with an input.
 * @returns a remark for people, or null
 * @throws StageFailed with the reason if it does not work
 */
type Prove = (task: ProofTask) => Promise<string | null>;

/** Result of a proof that was not possible: no pod runs on the node whose log could be read. */
const NO_POD = "no pod runs on it";

/**
 * Reads a pod's log on the node, as `kubectl logs` does. The kubelet polls its file once a minute.
 */
const readLog: Prove = async ({ op: { ctx, steps }, first: { name }, minutes }) => {
  const deadline = await step(ctx, "deadline of the proof", async () => steps.now() + minutes * MINUTE);
  const answer = await until(ctx, `a log is read on ${name}`, untilTime(deadline, steps.now), async () => {
    const pods = await steps.nodes.podsOn(name);
    const pod = pods.find(({ status, metadata }) => status?.phase === "Running" && !metadata?.deletionTimestamp);
    if (!pod) return done(NO_POD);
    const refusal = await steps.nodes.logRefusal(pod);
    return refusal === null ? done("") : pending(refusal);
  });
  return answer === NO_POD ? `No pod runs on ${name}, so no log could be read there as a proof.` : null;
};

/** Seconds before a poll of a pull. @param round counted from 1 */
const pauseBefore = (round: number): number => (round <= 6 ? 5 : 15);

/** Failures of pulls that refute an input, with what a person can do. */
const failures = {
  failed: { code: "image-not-pulled", help: "" },
  unauthorized: {
    code: "registry-unauthorized",
    help: "; npm run connect -- registries stores another user and password",
  },
} as const;

/** Error of a pull from ECR whose repository or pull-through cache does not let the node's role in. */
const ecrDenies = /\.dkr\.ecr\S*: 403\b/;
const withoutRight = {
  code: "image-not-pulled",
  help: "; the nodes' role may not pull there, or may not fill the cache: docs/mirrors.md#amazon-ecr",
} as const;

/** The failure by which a pull refutes an input; null if it does not. */
function refutation({ image }: ProofImage, result: PullResult): StageFailed | null {
  if (result.state === "pulled" || result.state === "unknown") return null;
  const { code, help } = ecrDenies.test(result.why) ? withoutRight : failures[result.state];
  return new StageFailed(code, `${image} could not be pulled: ${result.why}${help}`);
}

/** Registries whose file on the first node is not the one that it had before. */
async function changedRegistries({
  op: { steps },
  input,
  first,
  contentOf,
}: ProofTask): Promise<readonly ProvenRegistry[]> {
  const { registries = [], files } = await contentOf();
  const before = (await steps.machines.given.of(first.instanceId))?.[input.name]?.unconfirmed?.before?.files ?? [];
  const had = new Set(before.map(keyOfFile));
  const changed = new Set(files.filter((file) => !had.has(keyOfFile(recordedFile(file)))).map(({ path }) => path));
  return registries.filter(({ path }) => changed.has(path));
}

/** Images that the first node can run: those that the configuration names. The admission policy allows no other. */
async function candidateImages({ op: { steps }, first, configuration }: ProofTask): Promise<readonly string[]> {
  const { probe, pools } = configuration;
  const node = await steps.nodes.read(first.name);
  const release = node ? windowsReleaseOf(node, pools[first.pool ?? ""]) : undefined;
  const own = release ? (probe.images[release] ?? []) : [];
  return [...Object.values(probe.registries), own].flat();
}

/** An image to pull; does the node sign in to every host that it asks? */
interface SignedImage extends ProofImage {
  readonly signsIn: boolean;
}

/**
 * Chooses an image of each registry that changes, and the pause image if its registry does: no pod starts without it, and a
 * mirror may have the one and not the other.
 */
function imagesOf(hosts: readonly string[], candidates: readonly string[], pause: string) {
  const { images, without } = proofImages(hosts, [...candidates, pause]);
  const registry = registryOf(pause);
  const isChosen = !hosts.includes(registry) || images.some(({ image }) => image === pause);
  return { images: isChosen ? images : [{ registry, image: pause }, ...images], without };
}

/** Images to pull on the first node, one of each registry that changes. */
const choose = (task: ProofTask) => {
  const { ctx } = task.op;
  return step(ctx, "choose images for the proof", async () => {
    const registries = await changedRegistries(task);
    const hosts = registries.map(({ host }) => host);
    const candidates = registries.length > 0 ? await candidateImages(task) : [];
    const chosen = imagesOf(hosts, candidates, profileOf(task.configuration).pauseImage);
    const rest = chosen.images.slice(MOST_PULLS).map(({ registry }) => registry);
    const images = chosen.images.slice(0, MOST_PULLS).map((one): SignedImage => {
      const { signsIn = false } = registries.find(({ host }) => host === one.registry) ?? {};
      return { ...one, signsIn };
    });
    return { images, without: [...chosen.without, ...rest] };
  });
};

/** Pulls an image on a node by a pod, which is deleted afterwards. */
async function pull(
  { op, input, first, minutes }: ProofTask,
  { image, signsIn }: SignedImage,
  at: number,
): Promise<PullResult> {
  const { ctx, steps, operation } = op;
  const id = `${operation}-${input.rule}-pull-${at + 1}`;
  const name = `pull ${at + 1}`;
  const pod = `probe-${id}-windows`;
  try {
    const late = await step(ctx, `${name}: start`, async () => {
      await steps.probes.start(pullProbe(id, first.name, image));
      return steps.now() + minutes * MINUTE;
    });
    for (let round = 1; ; round += 1) {
      await ctx.wait(`${name}: before poll ${round}`, { seconds: pauseBefore(round) });
      const result = await step(ctx, `${name}: poll ${round}`, async () => {
        const isLate = steps.now() >= late;
        const [state, events] = [await steps.probes.state(pod), await steps.probes.events(pod)];
        return judgePull({ pod: state, events, isLate, signsIn });
      });
      if (result) return result;
    }
  } catch (error) {
    return { state: "unknown", why: causeOf(error).message };
  } finally {
    await step(ctx, `${name}: remove`, () => steps.probes.remove(pod)).catch(() => undefined);
  }
}

/**
 * Pulls an image of each changed registry on the node. A pull that fails with the registry's own error refutes the
 * input; one that was not possible is a remark.
 */
const pullImages: Prove = async (task) => {
  const { images, without } = await choose(task);
  const pulled: string[] = [];
  const unproven =
    without.length > 0 ? [`Not proven for ${some(without, MOST_PULLS)}: no image to pull is known.`] : [];
  for (const [at, one] of images.entries()) {
    const result = await pull(task, one, at);
    const refuted = refutation(one, result);
    if (refuted) throw refuted;
    if (result.state === "pulled") pulled.push(one.image);
    else unproven.push(`Not proven for ${one.registry}: ${result.why}.`);
  }
  const proven = pulled.length > 0 ? [`Pulled on ${task.first.name}: ${some(pulled, 3)}.`] : [];
  return [...proven, ...unproven].join(" ") || null;
};

/** The plan has verified what it wrote. */
const applied: Prove = async () => null;

/** Proof of each kind. */
export const proofs: Readonly<Record<Input["proof"], Prove>> = { log: readLog, pull: pullImages, applied };

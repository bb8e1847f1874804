import type { Configuration } from "../configuration/configuration.ts";
import type { FoundObjects, Input, InputContent, InputFacts, NeededFact } from "../inputs/input.ts";
import type { inputObjects } from "./cluster/input-objects.ts";
import { isWindows } from "./cluster/node-facts.ts";
import type { nodes } from "./cluster/nodes.ts";
import type { runtime } from "./runtime.ts";
import type { secretFacts } from "./secret-facts.ts";

type Secrets = ReturnType<typeof secretFacts>;
type Nodes = Pick<ReturnType<typeof nodes>, "all" | "pods">;

/**
 * Reads the objects of an input: those that it names, then those that these name.
 * @returns null if the configuration does not apply the input
 * @throws Refused as `inputObjects` does
 */
export async function inputFound(
  objects: Pick<ReturnType<typeof inputObjects>, "read">,
  input: Input,
  configuration: Configuration,
): Promise<FoundObjects | null> {
  const references = input.reads(configuration);
  if (references === null) return null;
  const found = await objects.read(references);
  const named = input.follows?.(found, configuration) ?? [];
  return named.length > 0 ? [...found, ...(await objects.read(named))] : found;
}

/** Images of the pods on Windows nodes. */
async function imagesInUse(cluster: Nodes): Promise<readonly string[]> {
  const names = new Set((await cluster.all()).filter(isWindows).map(({ metadata }) => metadata?.name ?? ""));
  const pods = (await cluster.pods()).filter(({ spec }) => names.has(spec?.nodeName ?? ""));
  const images = pods.flatMap(({ spec }) =>
    [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].flatMap(({ image }) => image ?? []),
  );
  return [...new Set(images)].toSorted();
}

/** Readers of the facts that decide about a content. */
interface ContentReads {
  readonly nodes: Nodes;
  readonly secretFacts: Secrets;
  readonly runtime: Pick<ReturnType<typeof runtime>, "read">;
}

/**
 * Makes an input's content from its objects and what is known of its secret. Pods are read only if the images in use
 * decide about it, and the release only if one of its scripts does.
 * @throws Refused if the objects are damaged or doubtful, or the secret is missing
 */
export async function inputContent(
  input: Input,
  found: FoundObjects,
  facts: Omit<InputFacts, NeededFact | "secret">,
  { nodes: cluster, secretFacts: secrets, runtime: releases }: ContentReads,
): Promise<InputContent> {
  const name = input.secretOf?.(facts.configuration);
  const secret = name === undefined ? undefined : await secrets.read(name);
  let known: InputFacts = { ...facts, ...(secret ? { secret } : {}), images: null, payload: null };
  for (;;) {
    const content = input.content(found, known);
    if (typeof content !== "string") return content;
    if (known[content] !== null) throw new Error(`an input that was given the ${content} asks for them again`);
    if (content === "images") known = { ...known, images: await imagesInUse(cluster) };
    else known = { ...known, payload: (await releases.read(null)).payload.files };
  }
}

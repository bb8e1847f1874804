import { RUNTIME_KEY } from "../../lambdas/configuration/runtime-key.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import type { Journey } from "./journey.ts";

/** The release document that the journey started with, parsed. */
const firstDocument = ({ simulator: { simulation } }: Journey): { configuration: object; payload: object } =>
  JSON.parse(simulation.store.collection<string>("published").get(RUNTIME_KEY) ?? "{}");

/** Publishes a text as the newest release document. */
export const publishText = ({ simulator: { s3 } }: Journey, text: string): string =>
  s3.seed(demo.bucket, RUNTIME_KEY, text);

/** Publishes another configuration, which the front door in this process does not know yet. */
export function release(here: Journey, changes: object): void {
  const document = firstDocument(here);
  publishText(here, JSON.stringify({ ...document, configuration: { ...document.configuration, ...changes } }));
}

/** Publishes the journey's document with another version of one program. */
export function publishVersion(here: Journey, program: string, version: string): void {
  const { payload, ...document } = firstDocument(here);
  const { files, ...manifest } = payload as { readonly files: readonly { readonly name: string }[] };
  const changed = files.map((file) => (file.name === program ? { ...file, version } : file));
  publishText(here, JSON.stringify({ ...document, payload: { ...manifest, files: changed } }));
}

/**
 * A document as the next release may write it: keys that nobody knows today at every level, and another file.
 * @param document any release document, parsed
 */
export function nextRelease(document: unknown): unknown {
  if (Array.isArray(document)) return document.map(nextRelease);
  if (typeof document !== "object" || document === null) return document;
  const grown = Object.entries(document).map(([key, value]) =>
    // Tables of names are not objects with fixed keys: there another key is another pool, role, command or label.
    [
      key,
      ["pools", "people", "policy", "approvals", "labels", "machineTags", "registries"].includes(key)
        ? grownTable(value)
        : nextRelease(value),
    ],
  );
  return { ...Object.fromEntries(grown), addedByTheNextRelease: { on: true } };
}

const grownTable = (table: object): object =>
  Object.fromEntries(Object.entries(table).map(([name, value]) => [name, nextRelease(value)]));

/** Publishes the journey's document as the next release would write it. */
export const publishNextRelease = (here: Journey): string =>
  publishText(here, JSON.stringify(nextRelease(firstDocument(here))));

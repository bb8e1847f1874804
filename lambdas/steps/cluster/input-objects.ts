import { ApiException } from "@kubernetes/client-node";
import { z } from "zod";
import { NO_NODE_CHANGED, Refused } from "../../errors.ts";
import type { FoundObjects, ObjectReference } from "../../inputs/input.ts";
import { bodyOf } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import { everyPage } from "../every-page.ts";

/** An object by its kind and name, or a kind: "ConfigMap casement/inputs", "ImageTagMirrorSet". */
const nameOf = ({ kind, namespace, name }: ObjectReference): string => {
  if (name === undefined) return kind;
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
};

/**
 * Explains a status code with which the API server permanently refuses a read; undefined for any other error.
 * @param reference the object that was read
 */
export function readRefusal(reference: ObjectReference, error: unknown): string | undefined {
  if (!(error instanceof ApiException)) return undefined;
  const name = nameOf(reference);
  if (error.code === 403)
    return `Casement is not allowed to read ${name}: apply the manifest (\`npm run --silent connect -- manifest | kubectl apply -f -\`)`;
  if (error.code !== 404) return undefined;
  return `the cluster has no ${reference.name === undefined ? `kind ${name}` : name}`;
}

/** Status of a missing object; the answer for a missing kind or path names no object (apimachinery, NewNotFound). */
const missingShape = z.object({ details: z.object({ name: z.string() }) });

/** Is the named object missing, although the cluster has its kind? */
const isMissing = ({ name }: ObjectReference, error: unknown): boolean =>
  error instanceof ApiException &&
  error.code === 404 &&
  missingShape.safeParse(bodyOf(error)).data?.details.name === name;

/** A list of the API; `remainingItemCount` without `continue` belongs to a list that was cut on its way. */
const listShape = z.object({
  items: z.array(z.unknown()),
  metadata: z.object({ continue: z.string().optional(), remainingItemCount: z.number().optional() }).default({}),
});

/** Reads the objects from which the inputs of machines follow. */
export const inputObjects = (context: StepContext) => {
  const { core, custom } = context.clients.kubernetes;

  const all = ({ group, version, plural, kind }: ObjectReference): Promise<unknown[]> =>
    everyPage(async (page) => {
      const { data } = listShape.safeParse(await custom.listClusterCustomObject({ group, version, plural, ...page }));
      if (!data || (!data.metadata.continue && data.metadata.remainingItemCount))
        throw new Refused(`the list of ${kind} is incomplete, ${NO_NODE_CHANGED}`);
      return { items: data.items, metadata: data.metadata.continue ? { _continue: data.metadata.continue } : {} };
    });

  const one = (reference: ObjectReference): Promise<unknown> => {
    const { group, version, plural, namespace, name = "" } = reference;
    if (namespace !== undefined) return core.readNamespacedConfigMap({ namespace, name });
    return custom.getClusterCustomObject({ group, version, plural, name });
  };

  /** Reads one object. @throws the client's error */
  const read = async (reference: ObjectReference): Promise<readonly unknown[]> =>
    reference.name === undefined ? all(reference) : [await one(reference)];

  return {
    one,

    /**
     * Reads the objects of each reference; none for an object that may be absent and is missing.
     * @throws Refused if the cluster lacks one, refuses it, or answers with an incomplete list; the client's error if
     * the API server is unavailable
     */
    read: async (references: readonly ObjectReference[]): Promise<FoundObjects> =>
      Promise.all(
        references.map(async (reference) => {
          try {
            return await read(reference);
          } catch (error) {
            if (reference.mayBeAbsent && isMissing(reference, error)) return [];
            const why = readRefusal(reference, error);
            if (why === undefined) throw error;
            throw new Refused(`${why}, ${NO_NODE_CHANGED}`, { cause: error });
          }
        }),
      ),
  };
};

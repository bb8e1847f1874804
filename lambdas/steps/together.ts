import type { Clients } from "../clients/clients.ts";
import { isAbsent } from "./client-errors.ts";
import type { StepContext, Together } from "./context.ts";

/**
 * Remembers answers by their questions, also that something does not exist. A read that fails otherwise is forgotten with all
 * others, because the pages of a list belong together.
 */
function remembering(): Together["remember"] {
  const known = new Map<string, Promise<unknown>>();
  return async <T>(question: string, read: () => Promise<T>): Promise<T> => {
    const answer = (known.get(question) ?? read()) as Promise<T>;
    known.set(question, answer);
    try {
      return await answer;
    } catch (error) {
      if (!isAbsent(error)) known.clear();
      throw error;
    }
  };
}

type Remember = Together["remember"];

/** Beginnings of the names of the client's methods that only read. */
const READS = /^(?:list|read|get)/;

/** The same API of Kubernetes, with each read made once. */
const readOnce = <Api extends object>(api: Api, remember: Remember): Api =>
  new Proxy(api, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return (...given: readonly unknown[]): unknown => {
        const call = (): Promise<unknown> => method.apply(target, given);
        return READS.test(`${String(name)}`) ? remember(`${String(name)} ${JSON.stringify(given)}`, call) : call();
      };
    },
  });

/** The time in a query only leaves expired items out; without it, a query is the same a second later. */
const withoutTime = (key: string, value: unknown): unknown => (key === ":now" ? undefined : value);

function queriedOnce(dynamodb: Clients["dynamodb"], remember: Remember): Clients["dynamodb"] {
  return (action, input) =>
    action === "Query"
      ? remember(`${action} ${JSON.stringify(input, withoutTime)}`, () => dynamodb(action, input))
      : dynamodb(action, input);
}

/**
 * The same context, in which lists of the cluster and of the ledger are read once, and these machines in one call.
 * @param instanceIds at most 50, as many as Systems Manager answers about in one call
 */
export function readingOnce(context: StepContext, instanceIds: readonly string[]): StepContext {
  const { clients } = context;
  const remember = remembering();
  const { core, custom, policy } = clients.kubernetes;
  const kubernetes = {
    ...clients.kubernetes,
    core: readOnce(core, remember),
    custom: readOnce(custom, remember),
    policy: readOnce(policy, remember),
  };
  const dynamodb = queriedOnce(clients.dynamodb, remember);
  return { ...context, clients: { ...clients, dynamodb, kubernetes }, together: { instanceIds, remember } };
}

/**
 * Reads a fact about a machine, in one call for all machines that are read at one time.
 * @param what names the fact
 */
export async function factOf<T>(
  { together }: Pick<StepContext, "together">,
  { instanceId, what }: { readonly instanceId: string; readonly what: string },
  read: (instanceIds: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): Promise<T | undefined> {
  const all = together?.instanceIds ?? [];
  const found =
    together && all.includes(instanceId) ? await together.remember(what, () => read(all)) : await read([instanceId]);
  return found.get(instanceId);
}

/** Names by which people can refer to a node. */
export interface NodeNames {
  readonly name: string;
  readonly instanceId: string | null;
  readonly addresses: readonly string[];
}

/** Result of matching a typed name against the nodes. */
export type Match<T> =
  | { readonly kind: "one"; readonly node: T }
  | { readonly kind: "several"; readonly nodes: readonly T[] }
  | { readonly kind: "none" };

/** Host name in a node's name, which may have a domain; an IP address stays whole. */
export const hostOf = (name: string): string => (/^\d+(?:\.\d+){3}$/.test(name) ? name : (name.split(".")[0] ?? name));

/**
 * Shortens names of nodes for people: the host name, with which a command finds the node too, and the whole name where
 * two nodes have the same host name.
 * @param all the nodes that are named beside each other
 */
export function hostNames(all: readonly string[]): (name: string) => string {
  const byHost = Map.groupBy(new Set(all), hostOf);
  return (name) => ((byHost.get(hostOf(name)) ?? []).length > 1 ? name : hostOf(name));
}

/** Is a typed text the whole name of a node, or its host name? */
export const isNamed = (name: string, typed: string): boolean => typed === name || typed === hostOf(name);

/** Does a name begin with a text? The text may not cut a number: "ip-10-0-3-7" does not begin "ip-10-0-3-70". */
export const beginsWith = (name: string, beginning: string): boolean =>
  name.startsWith(beginning) && !(/\d$/.test(beginning) && /^\d/.test(name.slice(beginning.length)));

const means = <T extends NodeNames>(typed: string): readonly ((node: T) => boolean)[] => [
  (node) => node.name === typed || node.instanceId === typed || node.addresses.includes(typed),
  (node) => hostOf(node.name) === typed,
  (node) => beginsWith(node.name, typed) || (typed.startsWith("i-") && (node.instanceId ?? "").startsWith(typed)),
];

/**
 * Finds the node that a text means: by name, instance id or IP address, else by host name, else by a unique beginning.
 * The beginning of an IP address matches nothing: 10.0.3.7 is not 10.0.3.70.
 * @param typed the text, in lower case
 * @param candidates all existing nodes
 */
export function nodeMatches<T extends NodeNames>(typed: string, candidates: readonly T[]): Match<T> {
  for (const meant of typed === "" ? [] : means<T>(typed)) {
    const [first, ...others] = candidates.filter(meant);
    if (first && others.length > 0) return { kind: "several", nodes: [first, ...others] };
    if (first) return { kind: "one", node: first };
  }
  return { kind: "none" };
}

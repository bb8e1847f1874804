import { type ProxyVariables, proxyOf } from "../../inputs/proxy/go-rules.ts";
import type { ProxyState } from "../../inputs/proxy/node-state.ts";
import { typeThis } from "../../messages/command/syntax.ts";
import { context, section, sections } from "../../messages/slack/blocks.ts";
import { sign } from "../../messages/slack/signs.ts";
import { code, codeBlock, counted, some } from "../../messages/slack/text.ts";
import type { Block, Message } from "../../records/records.ts";

/** Facts of the cluster's proxy. */
export interface ShownProxy {
  /** None without a proxy. */
  readonly variables: ProxyVariables;
  readonly nodes: readonly { readonly name: string; readonly state: ProxyState }[];
  /** Registries and mirrors that nodes ask, with their ports. */
  readonly registries: readonly string[];
}

/** Most names in one line. */
const MOST_NAMES = 10;

const words: Readonly<Record<ProxyState, string>> = {
  missing: `${sign.failed} not written on`,
  pending: `${sign.running} written and not in force, because containerd or the kubelet has run since before, on`,
  unchecked: `${sign.running} written, check pending on`,
  "in-force": `${sign.done} in force on`,
};

const names = (all: readonly string[]): string => some(all.map(code), MOST_NAMES);

const nodeLines = (nodes: ShownProxy["nodes"]): readonly string[] =>
  [...Map.groupBy(nodes, ({ state }) => state)].map(
    ([state, some]) => `${words[state]} ${counted(some.length, "node")}: ${names(some.map(({ name }) => name))}`,
  );

/** Registries by the way on which they are reached. */
function ways({ variables, registries }: ShownProxy): readonly string[] {
  const isProxied = (registry: string): boolean => proxyOf(registry, variables) !== null;
  const [through, direct] = [registries.filter(isProxied), registries.filter((one) => !isProxied(one))];
  return [
    ...(through.length > 0 ? [`Through the proxy: ${names(through)}.`] : []),
    ...(direct.length > 0 ? [`Directly: ${names(direct)}.`] : []),
    "A network in NO_PROXY exempts addresses, never names that resolve to them.",
  ];
}

const title = ({ HTTP_PROXY, HTTPS_PROXY }: ProxyVariables): string => {
  const addresses = [
    ...(HTTP_PROXY ? [`http by ${code(HTTP_PROXY)}`] : []),
    ...(HTTPS_PROXY ? [`https by ${code(HTTPS_PROXY)}`] : []),
  ];
  return addresses.length > 0
    ? addresses.join(", ")
    : "the cluster has none: Windows nodes reach every registry directly.";
};

/** Commands that change the state of a node; none if every node has what it should have. */
function next(nodes: ShownProxy["nodes"]): readonly Block[] {
  const states = new Set(nodes.map(({ state }) => state));
  const commands = [
    ...(states.has("pending") ? [`${typeThis("reboot --due")} brings it in force`] : []),
    ...(states.has("missing") ? [`${typeThis("reconcile")} writes it now`] : []),
  ];
  return commands.length > 0 ? [context(commands.join(" · "))] : [];
}

/** Answer about the cluster's proxy. */
export function proxyMessage(shown: ShownProxy): Message {
  const { variables, nodes } = shown;
  const { NO_PROXY } = variables;
  const isNone = Object.keys(variables).length === 0;
  const told = isNone ? nodes.filter(({ state }) => state !== "in-force") : nodes;
  const lines = [...nodeLines(told), ...(NO_PROXY === undefined ? [] : ways(shown))];
  return {
    text: `Proxy: ${title(variables)}`,
    blocks: [
      section(`*Proxy*: ${title(variables)}`),
      ...(NO_PROXY === undefined ? [] : [section(`Exempt:\n${codeBlock(NO_PROXY.replaceAll(",", " "), 2_500)}`)]),
      ...(lines.length > 0 ? sections(lines) : []),
      ...next(nodes),
    ],
  };
}

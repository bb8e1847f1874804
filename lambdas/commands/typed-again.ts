import type { Option } from "../capabilities/command.ts";
import { commandOf } from "./list.ts";
import { hostOf } from "./node-matches.ts";
import type { Request } from "./request.ts";

/** A request for one node or several, whose fields stand under the names of its options. */
type NodesRequest = Extract<Request, { readonly node: string } | { readonly targets: unknown }>;

/** Field of a request that an option fills. */
export const fieldOf = ({ option, field = option }: Option): string => field;

/** A value as it is typed behind its option; in quotes there is no way to write the quotes themselves. */
const typedValue = (value: unknown): string =>
  /^\w[\w.:-]*$/.test(`${value}`) ? `${value}` : `"${`${value}`.replaceAll('"', "'")}"`;

const wordsOf = (option: Option, value: unknown): string[] => {
  if (value === undefined || value === false) return [];
  return value === true ? [`--${option.option}`] : [`--${option.option}`, typedValue(value)];
};

function namesOf(request: NodesRequest): readonly string[] {
  if (!("targets" in request)) return [hostOf(request.node)];
  const { targets } = request;
  return targets.kind === "pool" ? [targets.pool] : targets.kind === "nodes" ? targets.nodes.map(hostOf) : [];
}

/**
 * Words to type a request again behind its command: its nodes by their host names, and its options but `--dry-run`.
 * @param changed options with another value, by their fields; undefined leaves one out
 */
export function typedAgain(request: NodesRequest, changed: Readonly<Record<string, unknown>> = {}): string[] {
  const fields: Readonly<Record<string, unknown>> = { ...request, dryRun: false, ...changed };
  return [
    ...namesOf(request),
    ...commandOf(request.command).options.flatMap((option) => wordsOf(option, fields[fieldOf(option)])),
  ];
}

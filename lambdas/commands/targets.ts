import type { Command, Request, RolloutRequest } from "./command.ts";
import type { Problem } from "./problem.ts";

/** Fields of a request as they were read; those of several nodes may be among them. */
interface Fields {
  readonly [field: string]: unknown;
  readonly targets?: RolloutRequest["targets"];
}

/** Options that name a node and take something of that node alone. */
const ONLY_OF_ONE: ReadonlySet<string> = new Set(["force", "break-glass", "ec2"]);

/**
 * Shapes the request of a command: one node alone is the request on that node, without what only several nodes need.
 * @returns a problem where an option was given that is for one node alone
 */
export function shaped(
  command: Command,
  fields: Fields,
): { readonly request: Request } | { readonly problem: Problem } {
  const { targets, max, canary, ec2, due, ...others } = fields;
  const rest = { ...others, ...(ec2 === true ? { ec2 } : {}) };
  if (command.workflowOfMany === undefined || targets === undefined) return { request: fields as unknown as Request };
  if (targets.kind === "nodes" && targets.nodes.length === 1 && due !== true)
    return { request: { ...rest, node: targets.nodes[0] } as unknown as Request };
  const option = command.options.find(({ option, field = option }) => ONLY_OF_ONE.has(option) && field in rest);
  if (option) return { problem: { kind: "only-of-one", command, option } };
  const { ec2: _ofOne, due: _typed, ...ofMany } = fields;
  return { request: { ...ofMany, ...(due === true ? { due } : {}) } as unknown as Request };
}

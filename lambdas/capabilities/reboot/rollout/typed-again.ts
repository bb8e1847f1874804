import type { RolloutRequest } from "../../../commands/request.ts";

const targetsOf = ({ targets }: RolloutRequest): readonly string[] =>
  targets.kind === "pool" ? [targets.pool] : targets.kind === "nodes" ? targets.nodes : [];

/** Words to type the command of a rollout again, without `--dry-run`. @param force the pool whose losses are accepted */
export function typedAgain(request: RolloutRequest, force = "force" in request ? request.force : undefined): string[] {
  const { due, max, canary } = request;
  return [
    ...targetsOf(request),
    ...(due ? ["--due"] : []),
    ...(max === undefined ? [] : ["--max", String(max)]),
    ...(canary ? ["--canary"] : []),
    ...(force === undefined ? [] : ["--force", force]),
  ];
}

import { type Budget, conditionOf } from "../model/shapes.ts";

/** First minor version with words for a budget whose numbers do not explain its refusal. */
const EXPLAINS = 36;

const minorOf = (version: string): number => Number(version.split(".")[1]);

/**
 * Words about a budget without a disruption left, which are those of the server's version (k8s
 * pkg/registry/core/pod/storage/eviction.go checkAndDecrement): since 1.36, one whose numbers do not explain it names its condition.
 * @param version of the server: "1.34.2"
 */
export function exhaustedWords({ metadata: { name }, status }: Budget, version: string): string {
  const { desiredHealthy = 0, currentHealthy = 0, conditions } = status ?? {};
  const counted = `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  if (minorOf(version) < EXPLAINS) return counted;
  const { status: allowed, reason, message = "" } = conditionOf(conditions, "DisruptionAllowed") ?? {};
  const explained = allowed === "False" && message !== "";
  const words = `The disruption budget ${name} does not allow evicting pods currently`;
  // The numbers of a budget that could not be computed are not to be trusted.
  if (explained && reason === "SyncFailed") return `${words} because it failed sync: ${message}`;
  if (currentHealthy <= desiredHealthy) return counted;
  return explained ? `${words} (${reason}): ${message}` : words;
}

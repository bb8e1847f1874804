import type { HealthFacts, Source, Values } from "./facts.ts";
import type { Trouble } from "./trouble.ts";

/** Result of one check. */
export type Judgement =
  /** `at`: time of the fact, ISO 8601, if it is not current. */
  | { readonly state: "ok"; readonly at?: string | null }
  | { readonly state: "wrong"; readonly trouble: Trouble }
  | { readonly state: "unknown"; readonly why: string }
  /** The check was not made on purpose, so nothing is known about the node. */
  | { readonly state: "skipped"; readonly why: string; readonly at: string | null };

/** Name of a check; lambdas/messages/node/trouble.ts has its text for people. */
export type CheckName =
  | "instance"
  | "status"
  | "agent"
  | "boot"
  | "clock"
  | "disk"
  | "metadata"
  | "routes"
  | "services"
  | "network"
  | "network-services"
  | "exits"
  | "requests"
  | "registered"
  | "heartbeat"
  | "ready"
  | "cordon"
  | "taints"
  | "guard"
  | "data-plane";

/** One check of a node: a pure function of facts that were collected before. */
export interface NodeCheck {
  readonly name: CheckName;
  /** Sources that the check needs; without one of them its result is "unknown". */
  readonly needs: readonly Source[];
  readonly judge: (facts: HealthFacts) => Judgement;
}

/** Result of a check, with its name. */
export type CheckResult = { readonly name: CheckName } & Judgement;

/** Judgement of a check that found nothing wrong. */
export const OK: Judgement = { state: "ok" };

/** Judgement of a check that found something wrong. */
export const wrong = (trouble: Trouble): Judgement => ({ state: "wrong", trouble });

/** Judgement of a check that lacks a fact. @param why the missing fact, in words */
export const unknownResult = (why: string): Judgement => ({ state: "unknown", why });

/** Makes a check of one source; without that source's facts its result is "unknown". */
export const by = <S extends Source>(
  source: S,
  name: CheckName,
  judge: (value: Values[S], facts: HealthFacts) => Judgement,
): NodeCheck => ({
  name,
  needs: [source],
  judge: (facts) => {
    const found = facts[source];
    return found.known ? judge(found.value as Values[S], facts) : unknownResult(found.why);
  },
});

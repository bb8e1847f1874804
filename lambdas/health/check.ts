import type { HealthFacts, Source, Values } from "./facts.ts";
import type { Trouble } from "./trouble.ts";

/** Judgement of one check. */
export type Judgement =
  /** `at`: time of the fact, ISO 8601, where it is not one of now. */
  | { readonly state: "ok"; readonly at?: string | null }
  | { readonly state: "wrong"; readonly trouble: Trouble }
  | { readonly state: "unknown"; readonly why: string }
  /** Not made by design, which says nothing about the node. */
  | { readonly state: "skipped"; readonly why: string; readonly at: string | null };

/** Name of a check; lambdas/messages/node/trouble.ts says what people call it. */
export type CheckName =
  | "instance"
  | "status"
  | "agent"
  | "boot"
  | "metadata"
  | "routes"
  | "services"
  | "network"
  | "requests"
  | "registered"
  | "heartbeat"
  | "ready"
  | "cordon"
  | "taints"
  | "guard"
  | "data-plane";

/** One check of a node: pure, by facts that were collected before. */
export interface NodeCheck {
  readonly name: CheckName;
  /** Without facts of one of these the check is unknown. */
  readonly needs: readonly Source[];
  readonly judge: (facts: HealthFacts) => Judgement;
}

/** A check that was made. */
export type CheckResult = { readonly name: CheckName } & Judgement;

/** Judgement of a check that found nothing wrong. */
export const OK: Judgement = { state: "ok" };

/** Judgement of a check that found something wrong. */
export const wrong = (trouble: Trouble): Judgement => ({ state: "wrong", trouble });

/** Judgement of a check that lacks a fact. @param why what it lacks, in words */
export const unknownResult = (why: string): Judgement => ({ state: "unknown", why });

/** A check that one source decides; without that source's facts it is unknown. */
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

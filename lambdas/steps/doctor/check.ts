import { ApiException } from "@kubernetes/client-node";
import type { Configuration } from "../../configuration.ts";
import type { PayloadManifest } from "../../desired/payload.ts";
import type { Area, Finding } from "../../messages/doctor/finding.ts";
import type { Profile } from "../../profiles/profile.ts";
import { within } from "../../time-limit.ts";
import { isThrottled, lacksCredentials, serviceOf, wordsOf } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import { slackCode } from "../slack/slack-code.ts";

/** Subject of an examination. */
export interface Subject {
  readonly context: StepContext;
  /** Requester as findings name it: the function, or the person at the terminal. */
  readonly by: string;
  /** The kind of cluster. */
  readonly profile: Profile;
}

/** The same, with what it should be. */
export interface Patient extends Subject {
  readonly configuration: Configuration;
  readonly payload: PayloadManifest;
  /** Image of each pool, for the dry run of a launch. */
  readonly images: Readonly<Record<string, string>>;
}

/** One check of one thing. */
export interface Check<Of extends Subject = Patient> {
  readonly area: Area;
  /** After "could not check": "the subnets". */
  readonly what: string;
  readonly observe: (patient: Of) => Promise<readonly Finding[]>;
}

/**
 * Patience with one check. All checks of a side run side by side behind its first one, so a report takes at most twice as long,
 * within the 20 seconds that a look may take.
 */
const WITHIN_MS = 6_000;

/** IAM's names for "you may not"; S3 answers a HEAD without a body, so all that is left is "Forbidden". */
const DENIED = new Set(["AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "Forbidden", "403"]);

/** The action in IAM's sentence: "… is not authorized to perform: ec2:DescribeSubnets on resource …". */
const actionIn = (message: string, otherwise: string): string =>
  /not authorized to perform: (\S+)/.exec(message)?.[1] ?? otherwise;

/** Was it IAM that refused? */
export const isDenied = (error: unknown): error is Error => error instanceof Error && DENIED.has(error.name);

/** A refusal of IAM's as a finding. */
export const denied = (error: Error, by: string, what: string): Finding => ({
  kind: "denied",
  by,
  action: actionIn(error.message, what),
});

/** Finding of a check that failed: denied, a scope that is missing, or no answer. */
function failed({ area, what }: Pick<Check, "area" | "what">, { context, by }: Subject, error: unknown): Finding {
  const account = context.settings.account ?? by;
  if (isDenied(error)) return denied(error, by, what);
  if (lacksCredentials(error)) return awsAway(error);
  if (slackCode(error) === "missing_scope") {
    const { needed = "" } = (error as { data?: { needed?: string } }).data ?? {};
    return { kind: "scopes-missing", scopes: needed.split(",") };
  }
  if (error instanceof ApiException && error.code === 401) return { kind: "credential-refused", account };
  if (error instanceof ApiException && error.code === 403)
    return { kind: "right-missing", account, does: `read ${what}`, right: wordsOf(error) };
  return noAnswer(area, what, error);
}

/** AWS as a whole cannot be asked. */
export const awsAway = (error: unknown): Finding =>
  lacksCredentials(error) ? { kind: "no-credentials", why: wordsOf(error) } : down("AWS", error);

/** A check that its service gave no answer to. */
function noAnswer(area: Area, what: string, error: unknown): Finding {
  const service = serviceOf(error);
  const throttled = isThrottled(error) ? ({ throttled: true } as const) : {};
  return { kind: "no-answer", area, what, why: wordsOf(error), ...(service ? { service } : {}), ...throttled };
}

/** Runs one check by itself: whatever it throws, and however long it takes, becomes a finding. */
export const isolated = <Of extends Subject>(check: Check<Of>, patient: Of): Promise<readonly Finding[]> =>
  within(WITHIN_MS, check.observe(patient)).catch((error: unknown) => [failed(check, patient, error)]);

/** The first check of a side: when it gets no answer, the side is down and nothing else is asked of it. */
export async function first<Of extends Subject>(
  check: Check<Of>,
  patient: Of,
): Promise<{ readonly up: boolean; readonly findings: readonly Finding[] }> {
  try {
    return { up: true, findings: await within(WITHIN_MS, check.observe(patient)) };
  } catch (error) {
    const finding = failed(check, patient, error);
    return { up: false, findings: [finding.kind === "no-answer" ? down(check.area, error) : finding] };
  }
}

const down = (area: Area, error: unknown): Finding => ({ kind: "down", area, why: wordsOf(error) });

/** Builds the check that a role may make a call of AWS's. @param what the action: "ec2:RebootInstances" */
export const right = (what: string, observe: Check["observe"]): Check => ({ area: "AWS", what, observe });

import { ApiException } from "@kubernetes/client-node";
import type { Configuration } from "../../configuration/configuration.ts";
import type { PayloadManifest } from "../../machine/payload.ts";
import type { Area, Finding } from "../../messages/doctor/finding.ts";
import type { Profile } from "../../profiles/profile.ts";
import { within } from "../../time-limit.ts";
import { isThrottled, lacksCredentials, lacksRight, serviceOf, wordsOf } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import { slackCode } from "../slack/slack-code.ts";

/** Everything that a check of access needs. */
export interface DoctorSubject {
  readonly context: StepContext;
  /** Requester, as findings name it: the function, or the person at the terminal. */
  readonly by: string;
  /** Profile of the kind of cluster. */
  readonly profile: Profile;
}

/** A subject with the configuration and payload that it should match. */
export interface DoctorFacts extends DoctorSubject {
  readonly configuration: Configuration;
  readonly payload: PayloadManifest;
  /** Image id of each pool, for the dry run of a launch. */
  readonly images: Readonly<Record<string, string>>;
}

/** A check of one thing. */
export interface DoctorCheck<Of extends DoctorSubject = DoctorFacts> {
  readonly area: Area;
  /** Noun phrase that follows "could not check": "the subnets". */
  readonly what: string;
  readonly observe: (patient: Of) => Promise<readonly Finding[]>;
}

/**
 * Time limit of one check in milliseconds. All checks of a side run in parallel after its first one, so a report takes
 * at most twice as long, within the 20 seconds that a `/win` look may take.
 */
const WITHIN_MS = 6_000;

/** IAM's error names for a denial. S3 answers a HEAD without a body, so its only name is "Forbidden". */
const DENIED = new Set(["AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "Forbidden", "403"]);

/** The action named in IAM's message: "… is not authorized to perform: ec2:DescribeSubnets on resource …". */
const actionIn = (message: string, otherwise: string): string =>
  /not authorized to perform: (\S+)/.exec(message)?.[1] ?? otherwise;

/** Did IAM deny the call? */
export const isDenied = (error: unknown): error is Error => error instanceof Error && DENIED.has(error.name);

/** Turns an IAM denial into a finding. */
export const denied = (error: Error, by: string, what: string): Finding => ({
  kind: "denied",
  by,
  action: actionIn(error.message, what),
});

/** Turns a failed check into a finding: denied, a missing scope, or no answer. */
function failed(
  { area, what }: Pick<DoctorCheck, "area" | "what">,
  { context, by }: DoctorSubject,
  error: unknown,
): Finding {
  const account = context.settings.account ?? by;
  if (isDenied(error)) return denied(error, by, what);
  if (lacksCredentials(error)) return awsAway(error);
  if (slackCode(error) === "missing_scope") {
    const { needed = "" } = (error as { data?: { needed?: string } }).data ?? {};
    return { kind: "scopes-missing", scopes: needed.split(",") };
  }
  if (error instanceof ApiException && error.code === 401) return { kind: "credential-refused", account };
  if (lacksRight(error)) return { kind: "right-missing", account, does: `read ${what}`, right: wordsOf(error) };
  return noAnswer(area, what, error);
}

/** The finding that AWS as a whole cannot be reached. */
export const awsAway = (error: unknown): Finding =>
  lacksCredentials(error) ? { kind: "no-credentials", why: wordsOf(error) } : down("AWS", error);

/** The finding that a service did not answer a check. */
function noAnswer(area: Area, what: string, error: unknown): Finding {
  const service = serviceOf(error);
  const throttled = isThrottled(error) ? ({ throttled: true } as const) : {};
  return { kind: "no-answer", area, what, why: wordsOf(error), ...(service ? { service } : {}), ...throttled };
}

/** Runs one check in isolation: an error or a time-out becomes a finding. */
export const isolated = <Of extends DoctorSubject>(check: DoctorCheck<Of>, patient: Of): Promise<readonly Finding[]> =>
  within(WITHIN_MS, check.observe(patient)).catch((error: unknown) => [failed(check, patient, error)]);

/** Runs the first check of a side. If it gets no answer, the side is down and its other checks are skipped. */
export async function first<Of extends DoctorSubject>(
  check: DoctorCheck<Of>,
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

/** Builds the check that a role may call an API action of AWS. @param what the action: "ec2:RebootInstances" */
export const right = (what: string, observe: DoctorCheck["observe"]): DoctorCheck => ({ area: "AWS", what, observe });

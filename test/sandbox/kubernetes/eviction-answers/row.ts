import type { KubeObject } from "../../../../lib/sandbox/kubernetes/model/object.ts";
import type { StillCluster } from "../cluster.ts";

// Words and figures of a kube-apiserver 1.34.4 with its controller manager, asked in November 2026.

/** One pod of a case; the first is the one to be evicted. */
export interface PodInput {
  readonly name?: string;
  readonly is?: "ready" | "unready" | "succeeded" | "failed" | "pending" | "unscheduled" | "terminating";
  /** Seconds of its own grace; 30 when left out. */
  readonly grace?: number;
  readonly metadata?: Partial<KubeObject["metadata"]>;
}

/** The request; left out means the plain eviction of the first pod by an administrator. */
export interface AskedInput {
  readonly name?: string;
  readonly namespace?: string;
  readonly query?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  /** The whole body; null sends none. */
  readonly body?: unknown;
  readonly as?: "nobody" | "evictor" | "badToken";
}

/** The answer: a Status (`{uid}` and `{version}` stand for the pod's own), or text. */
export interface Answered {
  readonly status: number;
  readonly body: unknown;
  /** Headers that must be there; Retry-After must be absent when it is not named. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Seconds of the server's time until the answer; at once when left out. */
  readonly seconds?: number;
}

/** One case: what there is, what is asked, the answer, and what there is afterwards. */
export interface Row {
  readonly situation: string;
  readonly pods?: readonly PodInput[];
  /** Specs of budgets, named b0, b1; each selects the pods unless it says otherwise. */
  readonly budgets?: readonly Readonly<Record<string, unknown>>[];
  /** Ask before the budget's controller has seen the budget. */
  readonly atOnce?: true;
  /** Prepares what the fields above cannot say. */
  readonly before?: (cluster: StillCluster) => Promise<void>;
  readonly asked?: AskedInput;
  readonly answer: Answered;
  /** The first pod afterwards: gone, as it was, or terminating with so many seconds of grace. */
  readonly pod?: "gone" | "untouched" | { readonly grace: number };
  /** Fields of the first budget's status afterwards, `why` the reason of its condition. */
  readonly budget?: Readonly<Record<string, unknown>> & { readonly why?: string };
}

export const ZERO = "00000000-0000-0000-0000-000000000000";
export const wrongUid = { preconditions: { uid: ZERO } };
export const dry = { dryRun: ["All"] };

const status = (fields: object): object => ({ kind: "Status", apiVersion: "v1", metadata: {}, ...fields });

/** The body of every success. */
export const evicted: Answered = { status: 201, body: status({ status: "Success", code: 201 }) };

/** A Status of failure; a server names no reason and no details where it has none. */
export const refused = (code: number, reason: string | undefined, message: string, details?: object): Answered => ({
  status: code,
  body: status({
    status: "Failure",
    message,
    ...(reason ? { reason } : {}),
    ...(details ? { details } : {}),
    code,
  }),
});

export const badRequest = (message: string): Answered => refused(400, "BadRequest", message);

const blocked = (message: string, more: object = {}): Answered =>
  refused(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: "DisruptionBudget", message }],
    ...more,
  });

/** 429 of a budget that has nothing left: waiting helps only when pods become healthy. */
export const exhausted = (needs: number, has: number, name = "b0"): Answered =>
  blocked(`The disruption budget ${name} needs ${needs} healthy pods and has ${has} currently`);

/** 429 of a budget that its controller has not computed, or of a uid that is not met on an unready pod. */
export const processing = (name = "b0"): Answered => ({
  ...blocked(`The disruption budget ${name} is still being processed by the server.`, { retryAfterSeconds: 10 }),
  headers: { "retry-after": "10" },
});

const conflict = (why: string): Answered =>
  refused(409, "Conflict", `Operation cannot be fulfilled on Pod "p": ${why}`, { name: "p", kind: "Pod" });

export const otherUid = conflict(
  `the UID in the precondition (${ZERO}) does not match the UID in record ({uid}). The object might have been deleted and then recreated`,
);
export const otherVersion = conflict(
  "the ResourceVersion in the precondition (1) does not match the ResourceVersion in record ({version}). The object might have been modified",
);

export const twoBudgets = refused(
  500,
  undefined,
  "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
);

export const notFound = (name: string): Answered =>
  refused(404, "NotFound", `pods "${name}" not found`, { name, kind: "pods" });

export const forbidden = (name: string, why: string, causes?: readonly object[]): Answered =>
  refused(403, "Forbidden", `pods "${name}" is forbidden: ${why}`, {
    name,
    kind: "pods",
    ...(causes ? { causes } : {}),
  });

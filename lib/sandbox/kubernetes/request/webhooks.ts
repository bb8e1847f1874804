import { sleep } from "../../core/clock.ts";
import type { FaultKind, FaultValues } from "../../core/faults.ts";
import type { Simulation } from "../../core/simulation.ts";
import { ApiFailure } from "../model/failure.ts";
import { fields } from "./faults.ts";

// A validating admission webhook that the cluster's owner has installed, as faults: there is none without them. Words and codes
// are those of a 1.34.4 server (k8s.io/apiserver/pkg/admission/plugin/webhook/errors and …/validating/dispatcher.go).

const NAME = "admission.example.com";

/** Milliseconds that the server waits for a webhook: the default of timeoutSeconds. */
const TIMEOUT = 10_000;

const POST = `Post "https://admission.example.svc:443/?timeout=${TIMEOUT / 1_000}s"`;

/** Milliseconds that the server waits for this webhook, and its answer; undefined admits the request. */
interface Outcome {
  readonly after: number;
  readonly failure?: () => ApiFailure;
}

const denied = (code: number, reason: string, why: string) => (): ApiFailure =>
  new ApiFailure(code, reason, `admission webhook "${NAME}" denied the request: ${why}`);

const notCalled = (why: string) => (): ApiFailure => {
  const message = `failed calling webhook "${NAME}": failed to call webhook: ${POST}: ${why}`;
  return new ApiFailure(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
};

const outcomes: Readonly<Record<string, readonly [sentence: string, outcome: Outcome]>> = {
  "webhook-denies": [
    "An admission webhook denies the change: 400 without a reason.",
    { after: 0, failure: denied(400, "", "webhook says no") },
  ],
  "webhook-postpones": [
    "An admission webhook denies the change with code 429, without details.",
    { after: 0, failure: denied(429, "TooManyRequests", "webhook says later") },
  ],
  "webhook-slow": [
    "An admission webhook does not answer within its 10 seconds (failurePolicy Fail): 500.",
    { after: TIMEOUT, failure: notCalled("context deadline exceeded") },
  ],
  "webhook-slow-ignored": [
    "An admission webhook does not answer within its 10 seconds (failurePolicy Ignore): the change is made late.",
    { after: TIMEOUT },
  ],
  "webhook-down": [
    "An admission webhook refuses connections (failurePolicy Fail): 500 at once.",
    { after: 0, failure: notCalled("dial tcp 172.30.0.99:443: connect: connection refused") },
  ],
};

/** Faults of an admission webhook that can be injected. */
export const webhookFaults = (values: FaultValues): FaultKind[] =>
  Object.entries(outcomes).map(([kind, [sentence]]) => ({ kind, sentence, fields, values }));

const changing = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/**
 * Lets a change pass the injected webhooks, after authorisation. It decodes nothing: a body that the server would refuse
 * first gets the webhook's answer.
 * @throws ApiFailure 400, 429 or 500 from a webhook
 */
export async function passWebhooks(
  { clock, faults }: Simulation,
  verb: string,
  facts: Readonly<Record<string, string>>,
): Promise<void> {
  if (!changing.has(verb)) return;
  for (const [kind, [, { after, failure }]] of Object.entries(outcomes)) {
    if (!faults.applies(kind, facts)) continue;
    if (after > 0) await sleep(clock, after);
    if (failure) throw failure();
  }
}

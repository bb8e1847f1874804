import type { FaultKind } from "../core/faults.ts";
import type { Simulation } from "../core/simulation.ts";
import { endpointError } from "./dialects.ts";

const fields = {
  service: "ec2, ssm, s3, secretsmanager, lambda, dynamodb, events",
  action: "API action: RunInstances",
};

const AWS_FAULTS: Readonly<Record<string, string>> = {
  "aws-throttle": "AWS refuses the call because there were too many.",
  "aws-5xx": "AWS answers the call with an internal error; nothing was done.",
  "aws-answer-lost": "AWS does what a call asks but answers with an internal error.",
  "aws-slow": "AWS takes ten seconds longer to answer.",
};

/**
 * Builds the faults that can be injected into any call of AWS, whether a function or a machine makes it.
 * @param services names of the services
 */
export const awsFaults = (services: readonly string[]): FaultKind[] =>
  Object.entries(AWS_FAULTS).map(([kind, sentence]) => ({ kind, sentence, fields, values: { service: services } }));

/** Milliseconds that "aws-slow" adds to a call (assumed). */
const SLOW = 10_000;

/** Applies the injected faults to this call. @throws AwsError in the service's words */
export async function applyFaults(
  { delay, faults }: Simulation,
  facts: { readonly service: string; readonly action: string },
): Promise<void> {
  if (faults.applies("aws-throttle", facts)) throw endpointError(facts.service, "throttled");
  if (faults.applies("aws-5xx", facts)) throw endpointError(facts.service, "broken");
  if (faults.applies("aws-slow", facts)) await delay(SLOW);
}

/** Loses the answer of a call that was carried out, where such a fault is injected. @throws AwsError in the service's words */
export function loseAnswer({ faults }: Simulation, facts: { readonly service: string; readonly action: string }): void {
  if (faults.applies("aws-answer-lost", facts)) throw endpointError(facts.service, "broken");
}

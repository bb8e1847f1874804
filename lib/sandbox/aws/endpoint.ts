import { AwsError, type AwsService } from "../core/aws-service.ts";
import type { Simulation } from "../core/simulation.ts";
import { json, type WireRequest, type WireResponse } from "../core/wire.ts";
import type { Access } from "./access.ts";
import { applyFaults, awsFaults, loseAnswer } from "./aws-faults.ts";
import { endpointError } from "./dialects.ts";
import { faultOf, type Key, type Signature, signatureOf } from "./signature.ts";
import { type TokenBuckets, tokenBuckets } from "./throttle.ts";

/** Parts from which the endpoint is built. */
export interface EndpointOptions {
  readonly simulation: Simulation;
  readonly region: string;
  /** The host's time in milliseconds: real clients date signatures by their own clock. */
  readonly hostNow: () => number;
  /** Access key id → secret and principal. */
  readonly keys: ReadonlyMap<string, Key>;
  readonly services: readonly AwsService[];
  readonly access: Access;
}

/** The one endpoint of every AWS service of the simulator. */
export interface AwsEndpoint {
  answer(request: WireRequest): Promise<WireResponse>;
}

interface SignedCall {
  readonly service: AwsService;
  readonly action: string;
  readonly principal: string;
}

/** Facts that are known of a request when it ends, for the record of calls. */
type Known = { service: string; action: string; principal: string };

async function faultOrThrottle(
  { simulation }: EndpointOptions,
  buckets: TokenBuckets,
  call: SignedCall,
  request: WireRequest,
): Promise<void> {
  const facts = { service: call.service.name, action: call.action };
  await applyFaults(simulation, facts);
  const limits = call.service.limits?.(call.action, request) ?? [];
  if (!buckets.take(limits)) throw endpointError(facts.service, "throttled");
}

function checkedClaim(
  options: EndpointOptions,
  request: WireRequest,
  guess: string,
): Signature & { principal: string } {
  const claim = signatureOf(request);
  if (typeof claim === "string") throw endpointError(guess, claim);
  const key = options.keys.get(claim.keyId);
  const fault = faultOf(request, claim, key, { region: options.region, hostNow: options.hostNow() });
  if (fault || !key) throw endpointError(claim.service, fault ?? "unknown-key");
  return { ...claim, principal: key.principal };
}

/** Guesses the service of an unsigned request, only to refuse it in that service's words. */
const guessService = (request: WireRequest): string => {
  if (request.headers["x-amz-target"]) return "json";
  if (/^\/20\d\d-\d\d-\d\d\//.test(request.url)) return "lambda";
  return request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") ? "ec2" : "s3";
};

const unknownService: AwsService = {
  name: "unknown",
  action: () => "unknown",
  answer: async () => json({}, 404),
  refuse: (error) =>
    json({ __type: error.code, message: error.message }, error.status, "application/x-amz-json-1.1", {
      "x-amzn-errortype": error.code,
    }),
};

const knownError = (error: unknown, service: string): AwsError =>
  error instanceof AwsError ? error : endpointError(service, "broken");

/**
 * Builds the endpoint: verifies the signature, finds service and action, applies faults, throttles, asks the service
 * and records the call. Unexpected errors become an internal error and are reported by `onBug`.
 * @param onBug receives an error that is not an AwsError; the client sees only an internal error
 */
export function awsEndpoint(options: EndpointOptions, onBug: (error: unknown) => void = console.error): AwsEndpoint {
  const { simulation, services, access } = options;
  const buckets = tokenBuckets(simulation.clock);
  simulation.faults.declare(...awsFaults(services.map(({ name }) => name)));
  const find = (name: string): AwsService | undefined => services.find((service) => service.name === name);

  const call = async (request: WireRequest, known: Known): Promise<WireResponse> => {
    known.service = guessService(request);
    const claim = checkedClaim(options, request, known.service);
    known.service = claim.service;
    known.principal = claim.principal;
    const service = find(claim.service);
    if (!service) throw new AwsError("UnknownOperationException", `There is no service ${claim.service} here.`, 404);
    known.action = service.action(request);
    await faultOrThrottle(options, buckets, { service, action: known.action, principal: claim.principal }, request);
    const response = await service.answer(known.action, request, access.callerFor(claim.principal));
    loseAnswer(simulation, { service: service.name, action: known.action });
    return response;
  };

  const refusal = (error: unknown, known: Known): { response: WireResponse; code: string } => {
    if (!(error instanceof AwsError)) onBug(error);
    const refused = knownError(error, known.service);
    return { response: (find(known.service) ?? unknownService).refuse(refused), code: refused.code };
  };

  return {
    answer: async (request) => {
      const known: Known = { service: "unknown", action: "unknown", principal: "anonymous" };
      const result = await call(request, known).then(
        (response) => ({ response, code: errorOf(response) }),
        (error: unknown) => refusal(error, known),
      );
      simulation.calls.record({ ...known, status: result.response.status, error: result.code });
      // The header uses the host's clock, as signatures do: real clients correct their clock by it.
      const date = new Date(options.hostNow()).toUTCString();
      const id = { "x-amzn-requestid": simulation.random.uuid(), date };
      return { ...result.response, headers: { ...id, ...result.response.headers } };
    },
  };
}

/** Finds the error code of a response: some services return a refusal instead of throwing an AwsError. */
const errorOf = (response: WireResponse): string | null =>
  response.status < 400 ? null : (response.headers["x-amzn-errortype"] ?? String(response.status));

import type { WireRequest, WireResponse } from "./wire.ts";

/** The signer of a request, and the rights of this caller. */
export interface Caller {
  /** Function name ("provision-node"), person, or "instance/i-…" for a machine with the node role. */
  readonly principal: string;
  /**
   * Throws `AwsError("AccessDenied…")` in words like AWS's own unless a statement of the caller's permissions allows
   * every one of the resources. `context` holds condition keys: "aws:RequestTag/casement:cluster", "ec2:CreateAction", …
   */
  require(action: string, resources: readonly string[], context?: Context): void;
}

/** Condition keys of a request with their values; a list for keys with several values (aws:TagKeys). */
export type Context = Readonly<Record<string, string | readonly string[]>>;

/** A token bucket that a request draws on: the same `bucket` name is the same bucket. */
export interface Limit {
  readonly bucket: string;
  readonly capacity: number;
  readonly refillPerSecond: number;
  /** Tokens this request takes. */
  readonly cost: number;
}

/** A refusal in the words of the service; each service writes it in its own protocol. */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;
  constructor(code: string, message: string, status = 400) {
    super(message);
    this.name = "AwsError";
    this.code = code;
    this.status = status;
  }
}

/** One AWS service of the simulator. The endpoint in front verifies the signature, applies faults, throttles and records. */
export interface AwsService {
  /** The name in a signature's credential scope: ec2, ssm, s3, secretsmanager, lambda, dynamodb, events. */
  readonly name: string;
  /** Names the API action that a request asks for ("RunInstances"); throws AwsError when there is none such. */
  action(request: WireRequest): string;
  /** Limits by which the endpoint throttles this request; a service without limits leaves it out. */
  limits?(action: string, request: WireRequest): readonly Limit[];
  answer(action: string, request: WireRequest, caller: Caller): Promise<WireResponse>;
  /** The error as this service writes errors. */
  refuse(error: AwsError): WireResponse;
}

import type { Clock } from "./clock.ts";

/** One call that the simulator answered, in the shape of the control API's GET /calls. */
export interface Call {
  readonly seq: number;
  /** ISO 8601, sandbox time. */
  readonly at: string;
  /** ec2, ssm, s3, secretsmanager, lambda, dynamodb, kubernetes, slack, front-door, registry … */
  readonly service: string;
  /**
   * API action (RunInstances, chat.update); for Kubernetes, verb and resource (patch nodes); for a registry, method and
   * URL.
   */
  readonly action: string;
  /** Name of the function, person or machine that called; "anonymous" when unknown. */
  readonly principal: string;
  /** 0 where the network gave no answer. */
  readonly status: number;
  readonly error: string | null;
}

/** Recorded calls, newest last; the oldest are forgotten above the limit. */
export interface Calls {
  record(call: Omit<Call, "seq" | "at">): void;
  /** At most 1,000 calls with seq > after, oldest first. */
  after(seq: number, service?: string): Call[];
}

const REMEMBERED = 50_000;
const PAGE = 1_000;

/** Builds the record of calls; it lives in memory only, a restart begins a new one. */
export function callRecord(clock: Clock): Calls {
  let calls: Call[] = [];
  let seq = 0;
  return {
    record: (call) => {
      seq += 1;
      calls.push({ seq, at: new Date(clock.now()).toISOString(), ...call });
      if (calls.length > REMEMBERED * 1.1) calls = calls.slice(-REMEMBERED);
    },
    after: (from, service) =>
      calls.filter((call) => call.seq > from && (service === undefined || call.service === service)).slice(0, PAGE),
  };
}

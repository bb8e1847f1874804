import { z } from "zod";
import { type AwsCall, jsonRequest } from "./aws-call.ts";

/** A key of KMS as the doctor reads it. */
export interface KeyFacts {
  /** "Enabled", or why the key cannot be used: "Disabled", "PendingDeletion" … (API Reference, KeyMetadata). */
  readonly state: string;
  /** "SYMMETRIC_DEFAULT", the only kind that services encrypt with. */
  readonly spec: string;
  /** The key's policy, parsed but not checked. */
  readonly policy: unknown;
}

const described = z.object({ KeyMetadata: z.object({ KeyState: z.string(), KeySpec: z.string() }) });
const policyAnswer = z.object({ Policy: z.string() });

/** Reads state, kind and policy of a key (API DescribeKey and GetKeyPolicy). */
export const keyReader =
  (call: AwsCall) =>
  async (arn: string): Promise<KeyFacts> => {
    const ask = (action: string): ReturnType<AwsCall> =>
      call(jsonRequest("kms", `TrentService.${action}`, { KeyId: arn }));
    const [metadata, policy] = await Promise.all([ask("DescribeKey"), ask("GetKeyPolicy")]);
    const { KeyState, KeySpec } = described.parse(metadata).KeyMetadata;
    return { state: KeyState, spec: KeySpec, policy: JSON.parse(policyAnswer.parse(policy).Policy) };
  };

import { AwsError } from "../core/aws-service.ts";
import type { Random } from "../core/random.ts";

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64");

/** A fresh checkpoint token; only the newest of an execution is accepted. */
export const newToken = (arn: string, random: Random): string => encoded({ arn, nonce: random.hex(16) });

/** The operation that a callback id identifies. */
export interface CallbackReference {
  readonly arn: string;
  readonly operation: string;
}

/** The id by which the outside completes a callback: opaque, and good for one operation only. */
export const newCallbackId = (reference: CallbackReference, random: Random): string =>
  encoded({ ...reference, nonce: random.hex(16) });

/** @throws AwsError InvalidParameterValueException when no callback was ever called so */
export function callbackReference(id: string): CallbackReference {
  try {
    const { arn, operation } = JSON.parse(Buffer.from(id, "base64").toString("utf8"));
    if (typeof arn === "string" && typeof operation === "string") return { arn, operation };
  } catch {
    // No id that this service made: refused below.
  }
  throw new AwsError("InvalidParameterValueException", "Invalid callback id");
}

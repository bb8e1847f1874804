import { z } from "zod";
import type { Fault } from "./rule-faults.ts";

/**
 * ARN of a customer-managed key. The id of a multi-Region key has another form (KMS developer guide, "How multi-Region
 * keys work").
 */
export const keyArn = z
  .string()
  .regex(
    /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/([0-9a-f-]{36}|mrk-[0-9a-f]{32})$/,
    "must be the ARN of a key: arn:aws:kms:…:key/…",
  );

/** A service uses only keys of its own region; with another volume key, EC2 ends the instance during launch. */
export const keyFaults = ({
  aws: { volumeKey, key },
  cluster: { region },
}: {
  readonly aws: { readonly volumeKey?: string | undefined; readonly key?: string | undefined };
  readonly cluster: { readonly region: string };
}): Fault[] =>
  Object.entries({ volumeKey, key }).flatMap(([name, arn]) => {
    const [, , , keyRegion = region] = arn?.split(":") ?? [];
    if (keyRegion === region) return [];
    return [{ path: ["aws", name], message: `is in ${keyRegion}, and the cluster is in ${region}` }];
  });

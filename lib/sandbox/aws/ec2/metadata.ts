import type { InstanceMetadataOptionsRequest } from "@aws-sdk/client-ec2";
import { AwsError } from "../../core/aws-service.ts";
import type { MetadataOptions } from "./records.ts";

const invalid = (message: string): AwsError => new AwsError("InvalidParameterValue", message);

/**
 * Reads one of the allowed values, or the default.
 * @throws AwsError InvalidParameterValue for any other
 */
export const oneOf = <Value extends string>(
  name: string,
  value: string | undefined,
  allowed: readonly Value[],
  otherwise: Value,
): Value => {
  if (value === undefined) return otherwise;
  const known = allowed.find((candidate) => candidate === value);
  if (known === undefined)
    throw invalid(`Value (${value}) for parameter ${name} is invalid. Valid values: ${allowed.join(", ")}.`);
  return known;
};

/** API Reference, InstanceMetadataOptionsRequest: integers from 1 to 64. */
const MOST_HOPS = 64;

/**
 * Reads metadata options and merges them into the present ones.
 * @throws AwsError InvalidParameterValue for values that EC2 does not accept
 */
export function metadataFrom(options: InstanceMetadataOptionsRequest, before: MetadataOptions): MetadataOptions {
  const hopLimit = options.HttpPutResponseHopLimit ?? before.hopLimit;
  if (!Number.isInteger(hopLimit) || hopLimit < 1 || hopLimit > MOST_HOPS)
    throw invalid(`Value (${hopLimit}) for parameter httpPutResponseHopLimit is invalid. Expecting 1 to ${MOST_HOPS}.`);
  return {
    tokens: oneOf("httpTokens", options.HttpTokens, ["optional", "required"], before.tokens),
    endpoint: oneOf("httpEndpoint", options.HttpEndpoint, ["enabled", "disabled"], before.endpoint),
    tags: oneOf("instanceMetadataTags", options.InstanceMetadataTags, ["enabled", "disabled"], before.tags),
    hopLimit,
  };
}

/** Defaults of an image that does not ask for IMDSv2 (User Guide, "Order of precedence for instance metadata options"). */
export const defaultMetadata: MetadataOptions = {
  tokens: "optional",
  hopLimit: 1,
  endpoint: "enabled",
  tags: "disabled",
};

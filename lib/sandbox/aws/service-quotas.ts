import { z } from "zod";
import { AwsError, type AwsService } from "../core/aws-service.ts";
import { VCPU_QUOTA } from "./ec2/capacity.ts";
import { jsonAction, jsonService } from "./json-protocol.ts";

/** Value of the default that AWS gives a new account (EC2 User Guide, "On-Demand Instance quotas"). */
const DEFAULT_VCPUS = 5;

const shape = z.strictObject({ ServiceCode: z.string(), QuotaCode: z.string() });

/** Builds the part of Service Quotas that tells one quota (API Reference, GetServiceQuota and GetAWSDefaultServiceQuota). */
export const serviceQuotas = (): AwsService => {
  const telling = (action: string, value: number) =>
    jsonAction(shape, ({ ServiceCode, QuotaCode }, caller) => {
      caller.require(`servicequotas:${action}`, ["*"]);
      if (ServiceCode !== "ec2" || QuotaCode !== "L-1216C47A")
        throw new AwsError(
          "NoSuchResourceException",
          "The request failed because the specified resource does not exist.",
        );
      return { Quota: { ServiceCode, QuotaCode, QuotaName: "Running On-Demand Standard instances", Value: value } };
    });
  return jsonService("servicequotas", "ServiceQuotasV20190624", {
    GetServiceQuota: telling("GetServiceQuota", VCPU_QUOTA),
    GetAWSDefaultServiceQuota: telling("GetAWSDefaultServiceQuota", DEFAULT_VCPUS),
  });
};

import { AwsError, type AwsService } from "../core/aws-service.ts";
import type { InstanceRole } from "../core/ports.ts";
import type { Simulation } from "../core/simulation.ts";
import type { WireRequest, WireResponse } from "../core/wire.ts";
import type { Access } from "./access.ts";
import { applyFaults } from "./aws-faults.ts";

/** Services that machines call, and the access that permits it. */
export interface InstanceRoleOptions {
  readonly access: Access;
  readonly s3: AwsService;
  readonly secretsManager: AwsService;
  readonly ecr: AwsService;
  readonly simulation: Simulation;
}

const request = (method: string, url: string, headers: Record<string, string>, body = ""): WireRequest => ({
  method,
  url,
  headers,
  body: Buffer.from(body),
});

const path = (bucket: string, key: string, version: string): string =>
  `/${bucket}/${key.split("/").map(encodeURIComponent).join("/")}?versionId=${encodeURIComponent(version)}`;

/**
 * The node role as machines use it: permissions are checked, faults apply and calls are recorded as at the endpoint, but
 * nothing is signed, because a simulated machine has no other identity.
 */
export function instanceRole({ access, s3, secretsManager, ecr, simulation }: InstanceRoleOptions): InstanceRole {
  const ask = async (
    service: AwsService,
    action: string,
    instanceId: string,
    what: WireRequest,
  ): Promise<WireResponse> => {
    const principal = `instance/${instanceId}`;
    const record = (status: number, error: string | null): void =>
      simulation.calls.record({ service: service.name, action, principal, status, error });
    try {
      await applyFaults(simulation, { service: service.name, action });
      const response = await service.answer(action, what, access.callerFor(principal));
      record(response.status, null);
      return response;
    } catch (error) {
      if (error instanceof AwsError) record(error.status, error.code);
      throw error;
    }
  };
  return {
    readObject: async (instanceId, bucket, key, version) => {
      const { body } = await ask(s3, "GetObject", instanceId, request("GET", path(bucket, key, version), {}));
      return Buffer.from(body as Uint8Array);
    },
    readSecret: async (instanceId, secretId, version) => {
      const headers = { "x-amz-target": "secretsmanager.GetSecretValue" };
      const what = request("POST", "/", headers, JSON.stringify({ SecretId: secretId, VersionId: version }));
      const { body } = await ask(secretsManager, "GetSecretValue", instanceId, what);
      return String(JSON.parse(String(body)).SecretString ?? "");
    },
    registryPassword: async (instanceId, region) => {
      const headers = { authorization: `AWS4-HMAC-SHA256 Credential=role/${region}/ecr/aws4_request` };
      const { body } = await ask(ecr, "GetAuthorizationToken", instanceId, request("POST", "/", headers, "{}"));
      return String(JSON.parse(String(body)).authorizationData[0].authorizationToken);
    },
  };
}

import { AwsError } from "../core/aws-service.ts";
import type { Cloud } from "../core/ports.ts";
import type { RegistryRefusal } from "../registries/registries.ts";
import type { Access } from "./access.ts";

/** ECR user guide, "Private registry": account, region and repository of an image's address. */
const ECR = /^https:\/\/(\d{12})\.dkr\.ecr\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\/v2\/(.+)\/(?:manifests|blobs)\//;

/** Permissions that a pull needs besides the token (ECR user guide, "Required IAM permissions for pulling an image"). */
const READS = ["ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"];

/**
 * ECR as a node's containerd meets it: the kubelet's credential provider asks for a token with the instance's role
 * (kubernetes/cloud-provider-aws, cmd/ecr-credential-provider). Without a token, containerd pulls anonymously. The provider
 * goes by the image's name: a mirror in ECR is asked with a token only where hosts.toml has it as a header.
 */
export const imageRegistry =
  (access: Access, cloud: Cloud): RegistryRefusal =>
  ({ url, header }, instanceId) => {
    const [, account, region, repository] = ECR.exec(url) ?? [];
    if (!cloud.instance(instanceId)?.instanceProfileArn || repository === undefined) return undefined;
    const node = access.callerFor(`instance/${instanceId}`);
    const isAllowed = (action: string, resource: string): boolean => {
      try {
        node.require(action, [resource]);
        return true;
      } catch (error) {
        if (error instanceof AwsError) return false;
        throw error;
      }
    };
    const isMirror = new URL(url).searchParams.has("ns");
    const hasToken = isMirror ? "Authorization" in header : isAllowed("ecr:GetAuthorizationToken", "*");
    if (!hasToken) return { status: 401, demandsPassword: true };
    const arn = `arn:aws:ecr:${region}:${account}:repository/${repository}`;
    return READS.every((action) => isAllowed(action, arn)) ? undefined : { status: 403 };
  };

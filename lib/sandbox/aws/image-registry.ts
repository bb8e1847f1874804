import { AwsError } from "../core/aws-service.ts";
import type { Cloud } from "../core/ports.ts";
import type { Access } from "./access.ts";

/** Checks whether a node's containerd can pull an image; returns the error in the words of kubelet and registry. */
export type Pull = (instanceId: string, image: string) => string | undefined;

/** ECR user guide, "Private registry": account, region and repository of an image's name. */
const ECR = /^(\d{12})\.dkr\.ecr\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\/([^:@]+)/;

/** Permissions that a pull needs besides the token (ECR user guide, "Required IAM permissions for pulling an image"). */
const READS = ["ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"];

/**
 * ECR as a node's kubelet meets it: its credential provider asks for a token with the instance's role
 * (kubernetes/cloud-provider-aws, cmd/ecr-credential-provider). Without a token, containerd pulls anonymously.
 */
export const imageRegistry =
  (access: Access, cloud: Cloud): Pull =>
  (instanceId, image) => {
    const [, account, region, repository] = ECR.exec(image) ?? [];
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
    const failed = `failed to pull and unpack image "${image}": failed to resolve reference "${image}"`;
    if (!isAllowed("ecr:GetAuthorizationToken", "*"))
      return `${failed}: pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials`;
    const arn = `arn:aws:ecr:${region}:${account}:repository/${repository}`;
    return READS.every((action) => isAllowed(action, arn)) ? undefined : `${failed}: unexpected status: 403 Forbidden`;
  };

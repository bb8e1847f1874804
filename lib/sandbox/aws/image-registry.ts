import { AwsError, type Caller } from "../core/aws-service.ts";
import type { Cloud } from "../core/ports.ts";
import type { Simulation } from "../core/simulation.ts";
import type { Collection } from "../core/store.ts";
import type { RegistryAnswer, RegistryRequest } from "../registries/exchange.ts";
import type { RegistryRefusal } from "../registries/registries.ts";
import type { Access } from "./access.ts";
import type { Ecr } from "./ecr.ts";

/** ECR user guide, "Private registry": account, region and repository of an image's address. */
const ECR =
  /^https:\/\/(\d{12})\.dkr[.-]ecr(?:-fips)?\.([a-z0-9-]+)\.(?:amazonaws\.com(?:\.cn)?|on\.(?:aws|amazonwebservices\.com\.cn))\/v2\/(.+)\/(?:manifests|blobs)\//;

/** Permissions that a pull needs besides the token (ECR user guide, "Required IAM permissions for pulling an image"). */
const READS = ["ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"];

/**
 * Permissions that the first pull through a cache needs besides (ECR user guide, "IAM permissions required to sync an
 * upstream registry with an Amazon ECR private registry").
 */
const IMPORTS = ["ecr:BatchImportUpstreamImage", "ecr:CreateRepository"];

/** Parts of ECR as a node's containerd meets it. */
export interface ImageRegistryOptions {
  readonly simulation: Simulation;
  readonly access: Access;
  readonly cloud: Cloud;
  readonly passwords: Pick<Ecr, "judge">;
}

type IsAllowed = (action: string, resource: string) => boolean;

const allowedTo =
  (node: Caller): IsAllowed =>
  (action, resource) => {
    try {
      node.require(action, [resource]);
      return true;
    } catch (error) {
      if (error instanceof AwsError) return false;
      throw error;
    }
  };

/** Judges the header of a request. An expired password gets a 403 without a challenge (awslabs/soci-snapshotter issue 1148). */
function refusalOfHeader({ header }: RegistryRequest, region: string, { judge }: Pick<Ecr, "judge">) {
  const [shown] = header.Authorization ?? [];
  if (shown === undefined) return { status: 401, demandsPassword: true };
  const judged = judge(shown, region);
  if (judged === "valid") return undefined;
  return judged === "expired" ? { status: 403 } : { status: 401, demandsPassword: true };
}

/** Judges who asks for a repository; undefined for a caller who is let in. */
function unauthorized(request: RegistryRequest, region: string, isAllowed: IsAllowed, passwords: Pick<Ecr, "judge">) {
  if (isMirrored(request) || "Authorization" in request.header) return refusalOfHeader(request, region, passwords);
  return isAllowed("ecr:GetAuthorizationToken", "*") ? undefined : { status: 401, demandsPassword: true };
}

/** Is a registry asked as a mirror of another? */
const isMirrored = ({ url }: RegistryRequest): boolean => new URL(url).searchParams.has("ns");

/**
 * ECR as a node's containerd meets it: the kubelet's credential provider asks for a token with the instance's role
 * (kubernetes/cloud-provider-aws, cmd/ecr-credential-provider). Without a token, containerd pulls anonymously. The provider
 * goes by the image's name: containerd sends a token to a mirror in ECR only if hosts.toml has it as a header.
 *
 * The repositories of a mirror are those of a pull-through cache: the first pull imports the image and creates its
 * repository.
 */
export function imageRegistry(options: ImageRegistryOptions): RegistryRefusal {
  const imported = options.simulation.store.collection<true>("ecr-repositories");
  return (request, instanceId) => answerOf({ ...options, imported }, request, instanceId);
}

function answerOf(
  { access, cloud, passwords, imported }: ImageRegistryOptions & { readonly imported: Collection<true> },
  request: RegistryRequest,
  instanceId: string,
): RegistryAnswer | undefined {
  const [, account, region = "", repository] = ECR.exec(request.url) ?? [];
  if (!cloud.instance(instanceId)?.instanceProfileArn || repository === undefined) return undefined;
  const arn = `arn:aws:ecr:${region}:${account}:repository/${repository}`;
  const isAllowed = allowedTo(access.callerFor(`instance/${instanceId}`));
  const refused = unauthorized(request, region, isAllowed, passwords);
  if (refused) return refused;
  const needed = isMirrored(request) && !imported.has(arn) ? [...READS, ...IMPORTS] : READS;
  if (needed.some((action) => !isAllowed(action, arn))) return { status: 403 };
  if (needed !== READS) imported.set(arn, true);
  return undefined;
}

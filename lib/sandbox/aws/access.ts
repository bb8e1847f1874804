import { createHash } from "node:crypto";
import type { ResourceStatement, Statement } from "../../statement.ts";
import { AwsError, type Caller, type Context } from "../core/aws-service.ts";
import { type Decision, decide, type Requester } from "./policy.ts";

/** Builds the callers that the simulated services ask for permissions. */
export interface Access {
  /** ARN of a principal, as IAM's refusals and STS name it. */
  arnOf(principal: string): string;
  /**
   * @param principal name of a function or person, or "instance/i-…" for a machine with the node role
   */
  callerFor(principal: string): Caller;
  /** A function's role as Lambda itself uses it, to write logs or keep dead letters: not from the function's code. */
  serviceFor(principal: string): Caller;
  /** An AWS service that acts without a role: only the policy of the resource decides. */
  serviceItself(name: Requester): Caller;
}

/** Codes of a denial: EC2 and S3 have their own, JSON services return AccessDeniedException. */
const denials: Readonly<Record<string, { code: string; status: number; prefix?: string }>> = {
  ec2: { code: "UnauthorizedOperation", status: 403, prefix: "You are not authorized to perform this operation. " },
  iam: { code: "UnauthorizedOperation", status: 403, prefix: "You are not authorized to perform this operation. " },
  s3: { code: "AccessDenied", status: 403 },
  lambda: { code: "AccessDeniedException", status: 403 },
};

/** IAM User Guide, "Troubleshoot access denied error messages". */
const reasons: Readonly<Record<Exclude<Decision, "allowed">, (action: string) => string>> = {
  "not allowed": (action) => `because no identity-based policy allows the ${action} action`,
  "denied by identity": () => "with an explicit deny in an identity-based policy",
  "denied by resource": () => "with an explicit deny in a resource-based policy",
};

/**
 * Ends the message of a refusal by EC2: details that only `sts:DecodeAuthorizationMessage` reads, encoded anew in each
 * answer (STS API reference, DecodeAuthorizationMessage; hashicorp/terraform-provider-aws, issue 29710).
 */
function encodedFor(answer: string): string {
  const parts = ["1", "2", "3", "4"].map((part) =>
    createHash("sha512").update(`${answer} ${part}`).digest("base64url"),
  );
  return `. Encoded authorization failure message: ${parts.join("")}`;
}

interface Denial {
  readonly who: string;
  readonly action: string;
  readonly resource: string;
  readonly decision: Exclude<Decision, "allowed">;
  /** Tells this refusal from others. */
  readonly number: number;
}

function denial({ who, action, resource, decision, number }: Denial): AwsError {
  const { code, status, prefix } = denials[action.split(":")[0] ?? ""] ?? {
    code: "AccessDeniedException",
    status: 400,
  };
  const words = `User: ${who} is not authorized to perform: ${action} on resource: ${resource} ${reasons[decision](action)}`;
  const encoded = prefix ? encodedFor(`${number} ${words}`) : "";
  return new AwsError(code, `${prefix ?? ""}${words}${encoded}`, status);
}

/** Facts and policies by which access is decided. */
export interface AccessOptions {
  readonly accountId: string;
  readonly region: string;
  /** Statements per principal; machines hold those of "node". */
  readonly permissions: Readonly<Record<string, readonly Statement[]>>;
  /** Statements of resources' own policies. */
  readonly resourcePolicies?: readonly ResourceStatement[];
  /** Name prefix of roles and functions: "casement-prod-west". */
  readonly rolePrefix: string;
}

/** Context that every request of the simulator brings: AWS clients use TLS 1.2 at least. */
const encrypted: Context = { "aws:SecureTransport": "true", "s3:TlsVersion": "1.3" };

/**
 * Builds the simulator's IAM.
 * @returns callers whose `require` throws AwsError in each service's own words unless every resource is allowed
 */
export function access(options: AccessOptions): Access {
  const { accountId, region, permissions, resourcePolicies = [], rolePrefix } = options;
  let refusals = 0;
  const asking =
    (who: string, identity: readonly Statement[], circumstances: Context, requester?: Requester): Caller["require"] =>
    (action, resources, context = {}) => {
      for (const resource of resources) {
        const question = { action, resource, context: { ...circumstances, ...context } };
        const decision = decide(identity, resourcePolicies, question, requester);
        if (decision === "allowed") continue;
        refusals += 1;
        throw denial({ who, action, resource, decision, number: refusals });
      }
    };
  const roleOf = (principal: string) => {
    const [, instanceId] = /^instance\/(i-[0-9a-f]+)$/.exec(principal) ?? [];
    return { instanceId, role: instanceId ? "node" : principal };
  };
  const arnOf = (principal: string): string => {
    const { instanceId, role } = roleOf(principal);
    return `arn:aws:sts::${accountId}:assumed-role/${rolePrefix}-${role}/${instanceId ?? role}`;
  };
  const roleCaller = (principal: string, more: Context): Caller => {
    const { instanceId, role } = roleOf(principal);
    const circumstances: Context = {
      ...encrypted,
      "aws:PrincipalAccount": accountId,
      "aws:RequestedRegion": region,
      // Credentials of an instance's metadata service carry its ARN (Service Authorization Reference, ec2:SourceInstanceARN).
      ...(instanceId ? { "ec2:SourceInstanceARN": `arn:aws:ec2:${region}:${accountId}:instance/${instanceId}` } : more),
    };
    return { principal, require: asking(arnOf(principal), permissions[role] ?? [], circumstances) };
  };
  // Lambda developer guide, "Using source function ARN to control function access behavior": requests of a function's code.
  const functionArn = (name: string): string => `arn:aws:lambda:${region}:${accountId}:function:${rolePrefix}-${name}`;
  return {
    arnOf,
    callerFor: (principal) => roleCaller(principal, { "lambda:SourceFunctionArn": functionArn(principal) }),
    serviceFor: (principal) => roleCaller(principal, {}),
    serviceItself: (name) => ({ principal: name, require: asking(name, [], encrypted, name) }),
  };
}

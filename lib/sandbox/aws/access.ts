import type { ConditionOperator, Conditions, Statement } from "../../statement.ts";
import { AwsError, type Caller, type Context } from "../core/aws-service.ts";
import { like } from "./wildcard.ts";

/** One question to IAM: may this be done to that, under these circumstances? */
export interface Question {
  /** "ec2:RunInstances" */
  readonly action: string;
  /** ARN, or "*" for actions that take no resource. */
  readonly resource: string;
  readonly context: Context;
}

/** Who may do what: builds the callers that services of the ground ask. */
export interface Access {
  /**
   * @param principal name of a function or person, or "instance/i-…" for a machine with the node role
   */
  callerFor(principal: string): Caller;
}

/** Policy variables in a condition's value (IAM User Guide, "Policy variables"); an unknown one matches nothing. */
const filled = (value: string, context: Context): string =>
  value.replace(/\$\{([^}]+)\}/g, (_, key: string) => {
    const known = context[key];
    return typeof known === "string" ? known : "\u0000";
  });

type Compare = (pattern: string, value: string) => boolean;
const equal: Compare = (pattern, value) => pattern === value;

interface Operator {
  readonly compare: Compare;
  readonly negated?: boolean;
  /** What a key that is absent from the request means. */
  readonly absent: boolean;
  /** Every value of the request must match, not just any. */
  readonly every?: boolean;
}

/** IAM User Guide, "IAM JSON policy elements: Condition operators" and "Set operators". */
const operators: Readonly<Record<Exclude<ConditionOperator, "Null">, Operator>> = {
  StringEquals: { compare: equal, absent: false },
  StringNotEquals: { compare: equal, negated: true, absent: true },
  StringLike: { compare: like, absent: false },
  StringEqualsIfExists: { compare: equal, absent: true },
  ArnLike: { compare: like, absent: false },
  ArnEquals: { compare: like, absent: false },
  Bool: { compare: (pattern, value) => pattern.toLowerCase() === value.toLowerCase(), absent: false },
  "ForAllValues:StringEquals": { compare: equal, absent: true, every: true },
  "ForAllValues:StringLike": { compare: like, absent: true, every: true },
  "ForAnyValue:StringEquals": { compare: equal, absent: false },
};

const listed = (value: string | readonly string[]): readonly string[] => (typeof value === "string" ? [value] : value);

/** Condition keys are compared without regard to case. */
const valuesFor = (context: Context, key: string): readonly string[] | undefined => {
  const name = Object.keys(context).find((candidate) => candidate.toLowerCase() === key.toLowerCase());
  const value = name === undefined ? undefined : context[name];
  return value === undefined ? undefined : listed(value);
};

function conditionHolds(name: ConditionOperator, key: string, wanted: readonly string[], context: Context): boolean {
  const values = valuesFor(context, key);
  if (name === "Null") return (values === undefined) === (wanted[0] === "true");
  const operator = operators[name];
  if (values === undefined) return operator.absent;
  const matches = (value: string): boolean =>
    wanted.some((pattern) => operator.compare(filled(pattern, context), value)) !== (operator.negated ?? false);
  return operator.every ? values.every(matches) : values.some(matches);
}

const conditionsHold = (conditions: Conditions, context: Context): boolean =>
  Object.entries(conditions).every(([name, keys]) =>
    Object.entries(keys).every(([key, wanted]) =>
      conditionHolds(name as ConditionOperator, key, listed(wanted), context),
    ),
  );

/**
 * IAM's decision by identity-based policies: default deny, and only allowing statements exist here.
 * @returns whether any statement allows the action on the resource in that context
 */
export const allows = (statements: readonly Statement[], question: Question): boolean =>
  statements.some(
    (statement) =>
      statement.actions.some((action) => like(action, question.action, "i")) &&
      statement.resources.some((resource) => like(resource, question.resource)) &&
      conditionsHold(statement.conditions ?? {}, question.context),
  );

/** How a denial is called: EC2 and S3 have their own codes, JSON services answer AccessDeniedException. */
const denials: Readonly<Record<string, { code: string; status: number; prefix?: string }>> = {
  ec2: { code: "UnauthorizedOperation", status: 403, prefix: "You are not authorized to perform this operation. " },
  iam: { code: "UnauthorizedOperation", status: 403, prefix: "You are not authorized to perform this operation. " },
  s3: { code: "AccessDenied", status: 403 },
  lambda: { code: "AccessDeniedException", status: 403 },
};

function denial(arn: string, action: string, resource: string): AwsError {
  const { code, status, prefix } = denials[action.split(":")[0] ?? ""] ?? {
    code: "AccessDeniedException",
    status: 400,
  };
  const words = `User: ${arn} is not authorized to perform: ${action} on resource: ${resource} because no identity-based policy allows the ${action} action`;
  return new AwsError(code, `${prefix ?? ""}${words}`, status);
}

/** What access is decided by. */
export interface AccessOptions {
  readonly accountId: string;
  readonly region: string;
  /** Statements per principal; machines hold those of "node". */
  readonly permissions: Readonly<Record<string, readonly Statement[]>>;
  /** Name prefix of the roles: "casement-prod-west". */
  readonly rolePrefix: string;
}

/**
 * Builds the ground's IAM.
 * @returns callers whose `require` throws AwsError in each service's own words unless every resource is allowed
 */
export function access(options: AccessOptions): Access {
  const { accountId, region, permissions, rolePrefix } = options;
  const callerFor = (principal: string): Caller => {
    const [, instanceId] = /^instance\/(i-[0-9a-f]+)$/.exec(principal) ?? [];
    const role = instanceId ? "node" : principal;
    const arn = `arn:aws:sts::${accountId}:assumed-role/${rolePrefix}-${role}/${instanceId ?? role}`;
    const circumstances: Context = {
      "aws:PrincipalAccount": accountId,
      "aws:RequestedRegion": region,
      "aws:SecureTransport": "true",
      ...(instanceId ? { "ec2:SourceInstanceARN": `arn:aws:ec2:${region}:${accountId}:instance/${instanceId}` } : {}),
    };
    const require: Caller["require"] = (action, resources, context = {}) => {
      for (const resource of resources) {
        const question = { action, resource, context: { ...circumstances, ...context } };
        if (!allows(permissions[role] ?? [], question)) throw denial(arn, action, resource);
      }
    };
    return { principal, require };
  };
  return { callerFor };
}

import { Annotations, Duration, Stack } from "aws-cdk-lib";
import { type Policy, PolicyDocument, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Alias, Architecture, type CfnFunction, Code, Function as Lambda, Runtime } from "aws-cdk-lib/aws-lambda";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { LIVE, RIGHTS } from "../../lambdas/configuration/aliases.ts";
import { type FunctionShape, functionOf, type PrincipalName } from "../functions.ts";
import { servicePermissionsFor } from "../role-permissions.ts";
import type { ResourceStatement, Statement } from "../statement.ts";
import { deadLetterQueue } from "./dead-letters.ts";
import { acknowledgeWildcards, permissionsPolicy, policyStatement, resourceStatement } from "./permissions-policy.ts";
import { RETAINED_ONCE_DEPLOYED } from "./retained.ts";

/** Properties of one function. */
export interface HandlerFunctionProps {
  /** Principal whose permissions the function's role holds. */
  readonly principal: PrincipalName;
  readonly cluster: string;
  readonly description: string;
  readonly shape: Pick<FunctionShape, "timeoutSeconds" | "memoryMiB" | "executionSeconds">;
  /** Folder of the bundle. */
  readonly bundle: string;
  readonly environment: Record<string, string>;
  readonly logRetention: RetentionDays;
  /** Left out: outside any VPC, with the internet before it. */
  readonly network?: { readonly subnetIds: string[]; readonly securityGroupIds: string[] };
  readonly reservedConcurrency?: number;
  /** Its invocations are asynchronous: a failed event goes to a dead-letter queue. */
  readonly asynchronous: boolean;
}

/**
 * A start that Lambda could not deliver for so long is given up: the one who watches a node's execution counts it as
 * never begun after fifteen minutes, and the sweep an operation after twenty.
 */
const MAXIMUM_EVENT_AGE = Duration.minutes(10);
const RETRIES = 2;

/**
 * Executions are asked about for as long as their operation may be in people's minds; two weeks are Lambda's default
 * and the time in which a repeated start finds the first one.
 */
const EXECUTION_HISTORY = Duration.days(14);

/** A handler with its own role and log, and, if events start it, its dead-letter queue. */
export class HandlerFunction extends Construct {
  readonly lambda: Lambda;
  readonly role: Role;
  readonly deadLetters: Queue | undefined;
  /** Durable functions alone: what others call. A running execution stays on the version that it began on. */
  readonly live: Alias | undefined;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: HandlerFunctionProps) {
    super(scope, id);
    const { shape, network } = props;
    this.deadLetters = props.asynchronous ? deadLetterQueue(this, "DeadLetters") : undefined;
    this.logGroup = new LogGroup(this, "Log", {
      retention: props.logRetention,
      removalPolicy: RETAINED_ONCE_DEPLOYED,
    });
    this.role = this.#ownRole(props);
    this.lambda = new Lambda(this, "Function", {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: "index.handler",
      code: Code.fromAsset(props.bundle),
      // Grants of constructs that use the function change nothing: the reviewed list alone does.
      role: this.role.withoutPolicyUpdates(),
      logGroup: this.logGroup,
      environment: props.environment,
      timeout: Duration.seconds(shape.timeoutSeconds),
      memorySize: shape.memoryMiB,
      currentVersionOptions: { removalPolicy: RETAINED_ONCE_DEPLOYED },
      ...(props.reservedConcurrency ? { reservedConcurrentExecutions: props.reservedConcurrency } : {}),
      ...(this.deadLetters ? { deadLetterQueue: this.deadLetters } : {}),
      ...this.#runs(shape, props.asynchronous),
    });
    if (network) (this.lambda.node.defaultChild as CfnFunction).vpcConfig = network;
    this.live = shape.executionSeconds ? this.#alias(props.principal) : undefined;
    const why = "Durable from its first version on; docs/decisions/0001 says what a change of that takes.";
    if (this.live) Annotations.of(this.lambda).acknowledgeInfo("aws-lambda:Function.DurableConfig", why);
  }

  /** Lambda refuses to make a function whose role does not let its service work: these rights come with the role. */
  #ownRole({ principal, cluster, network }: HandlerFunctionProps): Role {
    const { account, region } = Stack.of(this);
    const statements = servicePermissionsFor(principal, {
      account,
      region,
      cluster,
      functionsInVpc: network !== undefined,
      logGroups: { [principal]: this.logGroup.logGroupName },
      queues: { [principal]: this.deadLetters?.queueName },
    });
    const role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
      inlinePolicies: {
        service: new PolicyDocument({ statements: statements.map((statement) => policyStatement(statement)) }),
      },
    });
    acknowledgeWildcards(role, statements);
    return role;
  }

  #runs({ executionSeconds }: HandlerFunctionProps["shape"], asynchronous: boolean) {
    if (executionSeconds)
      return {
        durableConfig: { executionTimeout: Duration.seconds(executionSeconds), retentionPeriod: EXECUTION_HISTORY },
      };
    return asynchronous ? { maxEventAge: MAXIMUM_EVENT_AGE, retryAttempts: RETRIES } : {};
  }

  #alias(principal: PrincipalName): Alias {
    const { currentVersion: version } = this.lambda;
    if (functionOf(principal)?.triesItsRights) new Alias(this, "Rights", { aliasName: RIGHTS, version });
    const live = new Alias(this, "Live", { aliasName: LIVE, version });
    live.configureAsyncInvoke({ maxEventAge: MAXIMUM_EVENT_AGE, retryAttempts: RETRIES });
    return live;
  }

  /** Lets the handler do this and nothing else; new code goes live only once it may do what it does. */
  permit(statements: readonly Statement[]): Policy {
    const policy = permissionsPolicy(this, this.role, statements);
    this.live?.node.addDependency(policy);
    return policy;
  }

  /** Gives the queue of dead letters its own policy: the statements that allow and those that deny. */
  guard(statements: readonly ResourceStatement[]): void {
    for (const statement of statements) this.deadLetters?.addToResourcePolicy(resourceStatement(statement));
  }
}

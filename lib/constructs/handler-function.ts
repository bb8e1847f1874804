import { Annotations, Duration, Stack } from "aws-cdk-lib";
import { type Policy, PolicyDocument, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Alias, Architecture, type CfnFunction, Code, Function as Lambda, Runtime } from "aws-cdk-lib/aws-lambda";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct, type IDependable } from "constructs";
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
  readonly shape: Pick<FunctionShape, "timeoutSeconds" | "memoryMiB" | "executionSeconds" | "aliases">;
  /** Folder of the bundle. */
  readonly bundle: string;
  readonly environment: Record<string, string>;
  readonly logRetention: RetentionDays;
  /** The customer's key for log and dead letters, if one is configured. */
  readonly key: IKey | undefined;
  /** If it is left out, the function is outside any VPC and reaches the internet directly. */
  readonly network?: { readonly subnetIds: string[]; readonly securityGroupIds: string[] };
  readonly reservedConcurrency?: number;
  /** True if its invocations are asynchronous: then a failed event goes to a dead-letter queue. */
  readonly asynchronous: boolean;
}

/**
 * Lambda drops a start that it could not deliver for this long. It must be dropped before others conclude that it never
 * began: the watcher of a node's execution after fifteen minutes, and the sweep of an operation after twenty.
 */
const MAXIMUM_EVENT_AGE = Duration.minutes(10);
const RETRIES = 2;

/**
 * Time for which Lambda keeps ended executions, and in which a repeated start finds the first one. An operation may wait
 * 35 days for its window, and the execution that continues it then reads the result of the one that left it.
 */
const EXECUTION_HISTORY = Duration.days(40);

/** A handler with its own role and log, and with a dead-letter queue if it is invoked asynchronously. */
export class HandlerFunction extends Construct {
  readonly lambda: Lambda;
  readonly role: Role;
  readonly deadLetters: Queue | undefined;
  /** Only for durable functions: the alias that others call. A running execution stays on its first version. */
  readonly live: Alias | undefined;
  readonly logGroup: LogGroup;
  /** Aliases of the functions that call this one and wait for its answer. */
  readonly #callers: readonly Alias[];

  constructor(scope: Construct, id: string, props: HandlerFunctionProps) {
    super(scope, id);
    const { shape, network } = props;
    this.deadLetters = props.asynchronous ? deadLetterQueue(this, "DeadLetters", props.key) : undefined;
    this.logGroup = new LogGroup(this, "Log", {
      retention: props.logRetention,
      ...(props.key ? { encryptionKey: props.key } : {}),
      removalPolicy: RETAINED_ONCE_DEPLOYED,
    });
    this.role = this.#ownRole(props);
    this.lambda = new Lambda(this, "Function", {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: "index.handler",
      code: Code.fromAsset(props.bundle),
      // Constructs that use the function cannot change its policy: it comes only from the reviewed list.
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
    this.#callers = (shape.aliases ?? []).map((aliasName) => this.#callerAlias(aliasName));
    const why = "Durable from its first version on; docs/decisions/0001 says what a change of that takes.";
    if (this.live) Annotations.of(this.lambda).acknowledgeInfo("aws-lambda:Function.DurableConfig", why);
  }

  /** Creates the role with the rights of the Lambda service: without them Lambda refuses to create the function. */
  #ownRole({ principal, cluster, network, key }: HandlerFunctionProps): Role {
    const { account, region } = Stack.of(this);
    const statements = servicePermissionsFor(principal, {
      account,
      region,
      cluster,
      functionsInVpc: network !== undefined,
      logGroups: { [principal]: this.logGroup.logGroupName },
      queues: { [principal]: this.deadLetters?.queueName },
      key: key?.keyArn,
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

  #callerAlias(aliasName: string): Alias {
    return new Alias(this, `For-${aliasName}`, { aliasName, version: this.lambda.currentVersion });
  }

  /** The aliases by which other functions call this one, or the function itself: what is new goes live with them. */
  get called(): readonly IDependable[] {
    const aliases = [...(this.live ? [this.live] : []), ...this.#callers];
    return aliases.length > 0 ? aliases : [this.lambda];
  }

  /** Gives the handler exactly these permissions. New code goes live only after its policy is in place. */
  permit(statements: readonly Statement[]): Policy {
    const policy = permissionsPolicy(this, this.role, statements);
    for (const alias of [this.live, ...this.#callers]) alias?.node.addDependency(policy);
    return policy;
  }

  /** Gives the dead-letter queue its policy of allowing and denying statements. */
  guard(statements: readonly ResourceStatement[]): void {
    for (const statement of statements) this.deadLetters?.addToResourcePolicy(resourceStatement(statement));
  }
}

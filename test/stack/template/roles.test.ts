// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the policy variable is IAM's, not ours.
import { Validations } from "aws-cdk-lib";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, it, vi } from "vitest";
import { functionNames } from "../../../lib/functions.ts";
import { principals } from "../../../lib/permissions.ts";
import type { Place } from "../../../lib/place.ts";
import { type PolicyHolder, UNDELIVERED } from "../../../lib/resource-policies.ts";
import { permissionsFor, resourcePoliciesFor } from "../../../lib/role-permissions.ts";
import type { Statement } from "../../../lib/statement.ts";
import { exampleWith, type Loose } from "../example.ts";
import { plain, type Synthesised, synthesised } from "./synthesised.ts";

const subnets = ["subnet-0a10000000000000a", "subnet-0b10000000000000b"];

const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

/** A statement of the reviewed list as a template spells it. */
const spelled = ({ sid, effect, actions, resources, conditions }: Statement): Loose => ({
  Sid: sid,
  Effect: effect ?? "Allow",
  Action: actions,
  Resource: resources,
  ...(conditions ? { Condition: conditions } : {}),
});

const spelledPrincipal = (principal: string): unknown => (principal === "*" ? { AWS: "*" } : { Service: principal });

const statementsOf = (document: unknown): Loose[] =>
  ((plain(document) as Loose).Statement as Loose[]).map((statement) => ({
    ...statement,
    Action: listed(statement.Action),
    Resource: listed(statement.Resource),
  }));

/** A synthesised stack, read by whose permissions are whose. */
function read(made: Synthesised, functionsInVpc: boolean, key?: string) {
  const roles = made.ofType("AWS::IAM::Role");
  const policies = made.ofType("AWS::IAM::Policy");
  const lambdas = made.ofType("AWS::Lambda::Function");
  const only = (type: string, prefix = ""): string =>
    made.ofType(type).find(({ id }) => id.startsWith(prefix))?.id ?? "";
  /** "provision-node" is what begins with ProvisionNode; the release's function is its publisher. */
  const of = (principal: string, type: string, part: string): string => {
    const prefix = principal === "release" ? "releasepublisher" : principal.replaceAll("-", "");
    return made.ofType(type).find(({ id }) => id.toLowerCase().startsWith(`${prefix}${part}`))?.id ?? "";
  };
  const each = (wanted: readonly string[], name: (principal: string) => string) =>
    Object.fromEntries(wanted.map((principal) => [principal, name(principal)]));
  const withFunctions = [...functionNames, "release"];
  const roleIds: Record<string, string> = {
    ...each(withFunctions, (name) => of(name, "AWS::IAM::Role", "role")),
    publisher: roles.find(({ id }) => id.startsWith("EventsPublisher"))?.id ?? "",
    node: roles.find(({ id }) => id.startsWith("NodeIdentity"))?.id ?? "",
  };
  const place: Place = {
    account: "111122223333",
    region: "us-west-2",
    cluster: "prod-west",
    bucket: `<${only("AWS::S3::Bucket")}>`,
    table: `<${only("AWS::DynamoDB::Table")}>`,
    topic: `<${only("AWS::SNS::Topic")}.TopicName>`,
    topicKey: key ?? `<${only("AWS::KMS::Key")}.Arn>`,
    key,
    clusterId: "prod-west-x7k2p",
    subnets,
    instanceTypes: ["m6i.xlarge", "m5.xlarge"],
    metadataTokens: ["required"],
    machineTags: [],
    imageRepositories: ["arn:aws:ecr:*:111122223333:repository/*"],
    imageCaches: [],
    instanceProfile: `<${only("AWS::IAM::InstanceProfile")}>`,
    nodeGroup: `<${only("AWS::EC2::SecurityGroup", "NodeNetwork")}.GroupId>`,
    functionsInVpc,
    names: {
      ...each(withFunctions, (name) => `<${of(name, "AWS::Lambda::Function", "function")}>`),
      node: `<${roleIds.node}>`,
    },
    logGroups: each(withFunctions, (name) => `<${of(name, "AWS::Logs::LogGroup", "log")}>`),
    queues: each([...functionNames, UNDELIVERED], (name) =>
      name === UNDELIVERED
        ? `<${only("AWS::SQS::Queue", "EventsUndelivered")}.QueueName>`
        : `<${of(name, "AWS::SQS::Queue", "deadletters")}.QueueName>`,
    ),
  };
  const inline = (role: string): Loose[] =>
    ((roles.find(({ id }) => id === role)?.Properties.Policies ?? []) as Loose[]).flatMap(({ PolicyDocument }) =>
      statementsOf(PolicyDocument),
    );
  const attached = (role: string): Loose[] =>
    policies
      .filter(({ Properties }) => (plain(Properties.Roles) as string[]).includes(`<${role}>`))
      .flatMap(({ Properties }) => statementsOf(Properties.PolicyDocument));
  /** Everything that a role allows and denies: what came with it, and what was added to it. */
  const held = (role: string): Loose[] => [...inline(role), ...attached(role)];
  return { ...made, roles, policies, lambdas, roleIds, place, held };
}

const inVpc = { functionsNetwork: { subnets: ["subnet-0a1000000000000ff"], wayOut: "nat-0a10000000000000a" } };
const key = "arn:aws:kms:us-west-2:111122223333:key/1a2b3c4d-1a2b-3c4d-5e6f-1a2b3c4d5e6f";
const outside = read(synthesised(), false);
const inside = read(synthesised(exampleWith(inVpc)), true);
const withKey = read(synthesised(exampleWith({ key })), false, key);
const stacks = [
  ["outside a VPC", outside],
  ["inside a VPC", inside],
  ["outside a VPC, with the customer's key,", withKey],
] as const;

describe.for(stacks)(
  "roles of a stack whose functions are %s",
  ([, { roles, policies, roleIds, place, held, ...made }]) => {
    const expected = permissionsFor(place);

    it("are one per principal of the reviewed list, and none besides", () => {
      expect(Object.keys(roleIds).toSorted()).toEqual(principals.toSorted());
      expect(roles.map(({ id }) => id).toSorted()).toEqual(Object.values(roleIds).toSorted());
    });

    it.for(principals)("%s holds the statements of the reviewed list, and no others", (name) => {
      expect(held(roleIds[name] ?? "")).toEqual(expected[name].map(spelled));
    });

    it("hold no policy that is not in the template", () => {
      for (const { Properties } of roles) expect(Properties).not.toHaveProperty("ManagedPolicyArns");
      for (const { Properties } of policies) {
        expect(Properties.Roles).toHaveLength(1);
        expect(Properties).not.toHaveProperty("Users");
      }
      for (const type of ["AWS::IAM::ManagedPolicy", "AWS::IAM::RolePolicy", "AWS::IAM::User"])
        expect(made.ofType(type)).toEqual([]);
    });

    it("fit into what IAM takes for the inline policies of a role", () => {
      for (const id of Object.values(roleIds)) expect(JSON.stringify(held(id)).length).toBeLessThan(10_240);
    });

    it("say why wherever an allowing statement's resource holds a star", () => {
      const unexplained = Object.values(expected)
        .flat()
        .filter(({ resources, effect, why }) => !effect && resources.some((one) => one.includes("*")) && !why);
      expect(unexplained).toEqual([]);
    });
  },
);

describe("policies of resources", () => {
  const { place, ofType } = outside;
  const expected = resourcePoliciesFor(place);
  const holders: readonly (readonly [string, string, PolicyHolder[]])[] = [
    ["AWS::S3::BucketPolicy", "Bucket", ["bucket"]],
    ["AWS::SNS::TopicPolicy", "Topics", ["topic"]],
    [
      "AWS::SQS::QueuePolicy",
      "Queues",
      Object.keys(expected).filter((holder): holder is PolicyHolder => holder.startsWith("queue:")),
    ],
  ];

  it.for(holders)("%s: what the reviewed list says, and nothing else", ([type, , wanted]) => {
    const found = ofType(type).flatMap(({ Properties }) => statementsOf(Properties.PolicyDocument));
    const statements = wanted.flatMap((holder) => expected[holder] ?? []);
    const spelledOut = statements.map((one) => ({ ...spelled(one), Principal: spelledPrincipal(one.principal) }));
    expect(found).toHaveLength(spelledOut.length);
    expect(found).toEqual(expect.arrayContaining(spelledOut));
  });

  it("let Slack call the front door's URL and EventBridge's rules the other door, and nobody anything else", () => {
    const arnOf = (attribute: unknown): string => {
      const [, id = ""] = /^<(.+)\.Arn>$/.exec(String(attribute)) ?? [];
      const rule = ofType("AWS::Events::Rule").find((one) => one.id === id);
      return rule ? `arn:aws:events:us-west-2:111122223333:rule/${rule.Properties.Name}` : id;
    };
    const conditionsOf = (asked: Loose): unknown => {
      if (asked.SourceArn) return { ArnLike: { "aws:SourceArn": arnOf(asked.SourceArn) } };
      if (asked.FunctionUrlAuthType)
        return { StringEquals: { "lambda:FunctionUrlAuthType": asked.FunctionUrlAuthType } };
      return { Bool: { "lambda:InvokedViaFunctionUrl": String(asked.InvokedViaFunctionUrl) } };
    };
    const found = ofType("AWS::Lambda::Permission").map(({ Properties }) => {
      const { Action, FunctionName, Principal, ...conditions } = plain(Properties) as Loose;
      return { Action, of: arnOf(FunctionName), Principal, conditions: conditionsOf(conditions) };
    });
    const wanted = (["function:front-door", "function:cloud-events"] as const).flatMap((holder) =>
      (expected[holder] ?? []).map(({ actions, resources, principal, conditions }) => ({
        Action: actions[0],
        of: /<(.+)>/.exec(resources[0] ?? "")?.[1],
        Principal: principal,
        conditions,
      })),
    );
    expect(found).toHaveLength(wanted.length);
    expect(found).toEqual(expect.arrayContaining(wanted));
  });

  it("let alarms use the topic's own key, and leave everybody else to IAM", () => {
    const [own, ...others] = ofType("AWS::KMS::Key");
    const account = {
      Effect: "Allow",
      Principal: { AWS: "arn:<AWS::Partition>:iam::111122223333:root" },
      Action: ["kms:*"],
      Resource: ["*"],
    };
    const alarms = (expected["key:topic"] ?? []).map((one) => ({
      ...spelled(one),
      Principal: spelledPrincipal(one.principal),
    }));
    expect(statementsOf(own?.Properties.KeyPolicy)).toEqual([account, ...alarms]);
    expect(others).toEqual([]);
  });

  it("are on nothing else", () => {
    for (const type of ["AWS::SecretsManager::ResourcePolicy", "AWS::Lambda::LayerVersionPermission"])
      expect(ofType(type)).toEqual([]);
    for (const { Properties } of ofType("AWS::DynamoDB::Table"))
      expect(Properties).not.toHaveProperty("ResourcePolicy");
  });
});

describe("what no role may do", () => {
  const { place, roleIds, held } = outside;
  const everything = Object.values(roleIds).flatMap(held);
  const granting = (action: string): Loose[] =>
    everything.filter(({ Action }) => (Action as string[]).includes(action));

  it("is to end an instance that does not carry our launched tag", () => {
    expect(granting("ec2:TerminateInstances")).toHaveLength(2);
    for (const { Condition } of granting("ec2:TerminateInstances"))
      expect(Condition).toEqual({
        StringEquals: { "aws:ResourceTag/casement:cluster": "prod-west" },
        StringLike: { "aws:ResourceTag/casement:launched": "*" },
      });
  });

  it("is to send a document that is not this cluster's, or to a machine that is not", () => {
    for (const { Resource, Condition } of granting("ssm:SendCommand")) {
      const documents = (Resource as string[]).filter((arn) => arn.includes(":document/"));
      for (const arn of documents) expect(arn).toMatch(/:111122223333:document\/casement-prod-west-[a-z]+-\?{12}$/);
      if (documents.length > 0) continue;
      const { StringEquals } = Condition as { StringEquals: Readonly<Record<string, string>> };
      expect([
        { "ssm:resourceTag/casement:cluster": "prod-west" },
        { "ssm:resourceTag/casement:managed": "prod-west" },
      ]).toContainEqual(StringEquals);
    }
  });

  it("is to reboot a machine through Systems Manager, but for the functions that provision and reboot nodes", () => {
    const allowed = Object.entries(roleIds)
      .filter(([, id]) =>
        held(id).some(
          ({ Action, Resource }) =>
            (Action as string[]).includes("ssm:SendCommand") && JSON.stringify(Resource).includes("-reboot-"),
        ),
      )
      .map(([name]) => name);
    expect(allowed).toEqual(["provision-node", "reboot-node"]);
  });

  it("is to have EC2 reboot a machine, but for the function that reboots nodes, and only one of our launches or an assisted one", () => {
    const holders = Object.entries(roleIds).flatMap(([name, id]) => {
      const found = held(id).filter((one) => JSON.stringify(one).includes("ec2:RebootInstances"));
      return found.map((one) => [name, /aws:ResourceTag\/casement:(launched|managed)/.exec(JSON.stringify(one))?.[1]]);
    });
    expect(holders).toEqual([
      ["reboot-node", "launched"],
      ["reboot-node", "managed"],
    ]);
  });

  it("is to tag an instance after its launch, but for the one that assists machines of other owners, with its one tag", () => {
    const later = Object.entries(roleIds).flatMap(([name, id]) =>
      held(id)
        .filter((one) => JSON.stringify(one).includes('"ec2:CreateTags"'))
        .filter((one) => !JSON.stringify(one).includes('"ec2:CreateAction":"RunInstances"'))
        .map(({ Condition }) => ({ name, Condition })),
    );
    expect(later).toEqual([
      {
        name: "assist-node",
        Condition: expect.objectContaining({ "ForAllValues:StringEquals": { "aws:TagKeys": ["casement:managed"] } }),
      },
    ]);
  });

  it("is to launch into another subnet or behind another group", () => {
    const places = granting("ec2:RunInstances").flatMap(({ Resource }) => Resource as string[]);
    const ids = places.filter((arn) => /:(subnet|security-group)\//.test(arn)).map((arn) => arn.split("/")[1]);
    expect(ids.toSorted()).toEqual([...place.subnets, place.nodeGroup].toSorted());
  });

  it("is to send any event but the one that calls people, or another cluster's", () => {
    expect(granting("events:PutEvents").length).toBeGreaterThan(0);
    for (const { Condition } of granting("events:PutEvents"))
      expect(Condition).toEqual({
        "ForAllValues:StringEquals": {
          "events:source": "casement.prod-west",
          "events:detail-type": "Casement Needs a Human",
        },
        Null: { "events:source": "false", "events:detail-type": "false" },
      });
  });

  it("is to read the secret of another machine", () => {
    const readers = granting("secretsmanager:GetSecretValue").filter(({ Resource }) =>
      String(Resource).includes(":secret:casement/prod-west/join/"),
    );
    expect(readers.map(({ Condition }) => Condition)).toEqual([
      { StringEquals: { "secretsmanager:ResourceTag/casement:instance-arn": "${ec2:SourceInstanceARN}" } },
    ]);
  });

  it("is, for a node, to read the account's parameters", () => {
    const actions = held(roleIds.node ?? "").flatMap(({ Action }) => Action);
    expect(actions).not.toContain("ssm:GetParameter");
    expect(actions).not.toContain("ssm:GetParameters");
  });
});

describe("cdk-nag", () => {
  const judge = ({ app }: Synthesised): void => {
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    app.synth({ force: true });
  };

  it.for([
    ["outside a VPC", {}],
    ["inside a VPC", inVpc],
    ["with the customer's key", { key }],
  ] as const)("finds nothing that has no reason, %s", ([, aws]) => {
    expect(() => judge(synthesised(exampleWith(aws)))).not.toThrow();
  });

  it("refuses what has no reason", () => {
    const careless = synthesised();
    new Queue(careless.stack, "Careless");
    const silenced = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    expect(() => judge(careless)).toThrow("The SQS queue is not used");
    silenced.mockRestore();
  });

  it("is answered with a reason each time", () => {
    const reasons = outside.app.node
      .findAll()
      .flatMap(({ node }) => node.metadata.filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY))
      .flatMap(({ data }) => Object.values(data as Record<string, string>));
    expect(reasons.length).toBeGreaterThan(10);
    for (const reason of reasons) expect(reason).toMatch(/^(?!.*undefined).{30,}$/);
  });
});

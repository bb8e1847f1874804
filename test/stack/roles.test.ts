// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the policy variable is IAM's, not ours.
import { Validations } from "aws-cdk-lib";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, it, vi } from "vitest";
import { functionNames } from "../../lib/functions.ts";
import { type PrincipalName, permissionsFor } from "../../lib/permissions.ts";
import type { Statement } from "../../lib/statement.ts";
import { exampleWith, type Loose } from "./example.ts";
import { plain, type Resource, type Synthesised, synthesised } from "./synthesised.ts";

const inVpc = { functionsNetwork: { subnets: ["subnet-0a1000000000000ff"], wayOut: "nat-0a10000000000000a" } };
const made = synthesised();
const roles = made.ofType("AWS::IAM::Role");
const policies = made.ofType("AWS::IAM::Policy");

const idOf = (type: string): string => `<${made.ofType(type)[0]?.id}>`;
const functionOf = (name: string): Resource | undefined =>
  made
    .ofType("AWS::Lambda::Function")
    .find(({ id }) => id.toLowerCase().startsWith(`${name.replaceAll("-", "")}function`));
const publisher = roles.find(({ id }) => id.startsWith("EventsPublisher"));
const nodeRole = roles.find(({ id }) => id.startsWith("NodeIdentity"));

/** Principal → what its function or role is called in the template. */
const names: Partial<Record<PrincipalName, string>> = {
  ...Object.fromEntries(functionNames.map((name) => [name, `<${functionOf(name)?.id}>`])),
  node: `<${nodeRole?.id}>`,
};

const place = {
  account: "111122223333",
  region: "us-west-2",
  cluster: "prod-west",
  bucket: idOf("AWS::S3::Bucket"),
  table: idOf("AWS::DynamoDB::Table"),
  subnets: ["subnet-0a10000000000000a", "subnet-0b10000000000000b"],
  nodeGroup: `<${made.ofType("AWS::EC2::SecurityGroup")[0]?.id}.GroupId>`,
  names,
};
const expected = permissionsFor(place);

const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

/** A statement of the reviewed list as a template spells it. */
const spelled = ({ sid, actions, resources, conditions }: Statement): Loose => ({
  Sid: sid,
  Effect: "Allow",
  Action: actions,
  Resource: resources,
  ...(conditions ? { Condition: conditions } : {}),
});

const statementsOf = (document: unknown): Loose[] =>
  ((plain(document) as Loose).Statement as Loose[]).map((statement) => ({
    ...statement,
    Action: listed(statement.Action),
    Resource: listed(statement.Resource),
  }));

/** Everything that a role may do beyond what Lambda's own service does by it. */
const granted = (role: string): Loose[] =>
  policies
    .filter(({ Properties }) => (plain(Properties.Roles) as string[]).includes(`<${role}>`))
    .flatMap(({ Properties }) => statementsOf(Properties.PolicyDocument));

const serviceOf = (role: Resource | undefined): Loose[] =>
  ((role?.Properties.Policies ?? []) as Loose[]).flatMap(({ PolicyDocument }) => statementsOf(PolicyDocument));

const roleIdOf = (name: string): string =>
  String(plain(functionOf(name)?.Properties.Role)).replace(/^<(.+)\.Arn>$/, "$1");

const principals = [...functionNames, "release"] as const;
const roleOf = (name: string): string =>
  name === "release" ? (roles.find(({ id }) => id.startsWith("Release"))?.id ?? "") : roleIdOf(name);

describe("roles", () => {
  it("are one per function, one for the nodes and one that EventBridge publishes with", () => {
    const own = principals.map(roleOf);
    expect(new Set(own).size).toBe(principals.length);
    expect(roles.map(({ id }) => id).toSorted()).toEqual([...own, nodeRole?.id, publisher?.id].toSorted());
  });

  it("let EventBridge publish to the topic that calls people, and nothing else", () => {
    expect(granted(publisher?.id ?? "")).toEqual([
      expect.objectContaining({ Action: ["sns:Publish"], Resource: [idOf("AWS::SNS::Topic")] }),
    ]);
    expect(serviceOf(publisher)).toEqual([]);
  });

  it.for(principals)("%s may do what the reviewed list says, and nothing else", (name) => {
    expect(granted(roleOf(name))).toEqual(expected[name].map(spelled));
  });

  it("nodes may do what the reviewed list says, and nothing else", () => {
    expect(granted(nodeRole?.id ?? "")).toEqual(expected.node.map(spelled));
    expect(serviceOf(nodeRole)).toEqual([]);
  });

  it.for(principals)("%s lends Lambda no more than its own log and dead letters", (name) => {
    const service = serviceOf(roles.find(({ id }) => id === roleOf(name)));
    const sids = service.map(({ Sid }) => Sid);
    const waited = name === "front-door" || name === "release";
    expect(sids).toEqual(waited ? ["WriteOwnLog"] : ["WriteOwnLog", "KeepFailedEvents"]);
    for (const { Resource } of service) expect(Resource).toEqual([expect.stringMatching(/^<\w+\.Arn>$/)]);
  });

  it("fit into what IAM takes for the inline policies of a role", () => {
    for (const { id } of roles) {
      const size = JSON.stringify([...granted(id), ...serviceOf(roles.find((role) => role.id === id))]).length;
      expect(size).toBeLessThan(10_240);
    }
  });

  it("name every action", () => {
    const actions = policies
      .flatMap(({ Properties }) => statementsOf(Properties.PolicyDocument))
      .flatMap((one) => one.Action);
    expect(actions.filter((action) => /[*?]/.test(String(action)))).toEqual([]);
  });

  it("say why wherever a resource holds a star", () => {
    const unexplained = Object.values(expected)
      .flat()
      .filter(({ resources, why }) => resources.some((resource) => resource.includes("*")) && !why);
    expect(unexplained).toEqual([]);
  });
});

describe("what no role may do", () => {
  const everything = roles.flatMap(({ id }) => granted(id));
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
      for (const arn of documents) expect(arn).toMatch(/:111122223333:document\/casement-prod-west-\*$/);
      if (documents.length === 0)
        expect(Condition).toMatchObject({ StringEquals: { "ssm:resourceTag/casement:cluster": "prod-west" } });
    }
  });

  it("is to tag an instance after its launch", () => {
    for (const { Condition } of granting("ec2:CreateTags"))
      expect(Condition).toEqual({ StringEquals: { "ec2:CreateAction": "RunInstances" } });
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
        StringEquals: { "events:source": "casement.prod-west", "events:detail-type": "Casement Needs a Human" },
      });
  });

  it("is to read the secret of another machine", () => {
    const readers = granting("secretsmanager:GetSecretValue").filter(({ Resource }) =>
      String(Resource).includes("join"),
    );
    expect(readers.map(({ Condition }) => Condition)).toEqual([
      { StringEquals: { "secretsmanager:ResourceTag/casement:instance-arn": "${ec2:SourceInstanceARN}" } },
    ]);
  });

  it("is, for a node, to read the account's parameters", () => {
    const actions = granted(nodeRole?.id ?? "").flatMap(({ Action }) => Action);
    expect(actions).not.toContain("ssm:GetParameter");
    expect(actions).not.toContain("ssm:GetParameters");
  });
});

describe("a function in a VPC", () => {
  it("lends its network rights to Lambda alone", () => {
    const placed = synthesised(exampleWith(inVpc));
    const text = JSON.stringify(placed.template.toJSON());
    expect(text.match(/"Sid":"PlugIntoVpc"/g)).toHaveLength(3);
    expect(text.match(/"Sid":"LeaveNetworkToLambda"/g)).toHaveLength(3);
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
    const reasons = made.app.node
      .findAll()
      .flatMap(({ node }) => node.metadata.filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY))
      .flatMap(({ data }) => Object.values(data as Record<string, string>));
    expect(reasons.length).toBeGreaterThan(10);
    for (const reason of reasons) expect(reason).toMatch(/^(?!.*undefined).{30,}$/);
  });
});

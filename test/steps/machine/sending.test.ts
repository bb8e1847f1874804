import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { tokenJoinOf } from "../../../lambdas/cluster/joining.ts";
import { Refused, Retryable } from "../../../lambdas/errors.ts";
import type { MachinePlan } from "../../../lambdas/machine/plan.ts";
import { okd } from "../../../lambdas/profiles/okd/okd.ts";
import { documentLimits } from "../../../lambdas/scripts/documents.ts";
import { joinSecret } from "../../../lambdas/steps/machine/join-secret.ts";
import { documentOf, machine } from "../../../lambdas/steps/machine/machine.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";
import { type Answers, answering, held, holding } from "../answering.ts";
import { type ApiAnswers, apiRefusal, apiServer, clusterSecret } from "../api-server.ts";

const refusal = (name: string) => () => ({ status: 400, body: { __type: name, message: "no agent" } });
const thrown = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);
const on = (answers: Answers) => {
  const { context, asked } = answering({ ...holding, ...answers });
  return { context, verbs: machine(context), sent: () => asked.filter(({ action }) => action !== "GetItem") };
};

describe("A command", () => {
  const order = { script: "apply", request: { a: 1 }, mark: "add-1:0 configure" } as const;

  test("names document, hash, machine, mark and the time in which it must begin", async () => {
    const { verbs, sent } = on({ SendCommand: () => ({ body: { Command: { CommandId: "c-1" } } }) });
    expect(await verbs.send(held, order)).toBe("c-1");
    expect(sent()).toEqual([
      {
        action: "SendCommand",
        input: {
          DocumentName: expect.stringMatching(/^casement-prod-west-apply-1a2b3c/),
          DocumentVersion: "1",
          DocumentHash: "1a2b3c".padEnd(64, "0"),
          DocumentHashType: "Sha256",
          InstanceIds: ["i-0aaa"],
          Parameters: { Request: [Buffer.from('{"a":1}').toString("base64")] },
          Comment: "add-1:0 configure",
          TimeoutSeconds: 120,
        },
      },
    ]);
  });

  test.each<[string, Answers[string], Error]>([
    ["no id", () => ({ body: {} }), new Error("SSM answered SendCommand without a command id")],
    ["a silent agent", refusal("InvalidInstanceId"), new Retryable("SSM does not reach i-0aaa: no agent")],
  ])("with %s is an error", async (_what, answer, error) => {
    const got = await thrown(on({ SendCommand: answer }).verbs.send(held, order));
    expect(got).toEqual(error);
    expect((got as Error).name).toBe(error.name);
  });

  test("is refused as SSM refuses it, and not sent without the lease", async () => {
    const denied = await thrown(on({ SendCommand: refusal("AccessDeniedException") }).verbs.send(held, order));
    expect(denied).toMatchObject({ name: "AccessDeniedException" });
    const { verbs, sent } = on({});
    expect(await thrown(verbs.send({ ...held, owner: "add-2:0" }, order))).toBeInstanceOf(Refused);
    expect(sent()).toEqual([]);
  });

  test("of a script without a document cannot be sent", () => {
    const { settings } = on({}).context;
    expect(() => documentOf(settings, "reboot")).toThrow(new Error("the settings name no document for reboot.ps1"));
  });

  test("is found by its mark on any page, and not by another's", async () => {
    let page = 0;
    const pages = [
      { Commands: [{ CommandId: "c-0", Comment: "other" }], NextToken: "n" },
      { Commands: [{ Comment: "mark" }], NextToken: "m" },
      { Commands: [{ CommandId: "c-1", Comment: "mark" }] },
    ];
    const { verbs, sent } = on({ ListCommands: () => ({ body: pages[page++] ?? {} }) });
    expect(await verbs.sent("i-1", "mark")).toBe("c-1");
    expect(sent()).toMatchObject([{ input: { InstanceId: "i-1", MaxResults: 50 } }, {}, {}]);
    expect(await on({ ListCommands: () => ({ body: {} }) }).verbs.sent("i-1", "mark")).toBeNull();
  });

  test("is cancelled on its machine", async () => {
    const { verbs, sent } = on({ CancelCommand: () => ({ body: {} }) });
    await verbs.cancelCommand("c-1", "i-1");
    expect(sent()).toEqual([{ action: "CancelCommand", input: { CommandId: "c-1", InstanceIds: ["i-1"] } }]);
  });
});

describe("The state of a command", () => {
  const state = (body: object | Answers[string]) =>
    thrown(
      on({
        GetCommandInvocation: typeof body === "function" ? (body as Answers[string]) : () => ({ body }),
      }).verbs.commandState("apply", "c-1", "i-1"),
    );
  const failed = (why: string, code: string) => ({ state: "failed", why, code });

  test.each<[object, object]>([
    [{ Status: "InProgress" }, { state: "running", status: "InProgress" }],
    [
      { Status: "InProgress", StatusDetails: "Delayed" },
      { state: "running", status: "Delayed" },
    ],
    [{}, failed("apply.ps1 ended as Unknown (exit code unknown)", "command-failed")],
    [{ Status: "Failed", ResponseCode: 1 }, failed("apply.ps1 ended as Failed (exit code 1)", "command-failed")],
    [
      { Status: "Failed", ResponseCode: 0, StandardOutputContent: " said " },
      failed("apply.ps1 ended as Failed (exit code 0): said", "command-failed"),
    ],
    [{ Status: "Success" }, failed("apply.ps1 ended without its result line", "result-missing")],
    [
      { Status: "Success", StandardOutputContent: "x--output truncated--" },
      failed("apply.ps1 printed more than SSM keeps: x--output truncated--", "result-missing"),
    ],
    [
      { Status: "Failed", StandardErrorContent: "y".repeat(601) },
      failed(`apply.ps1 ended as Failed (exit code unknown): ${"y".repeat(600)}`, "command-failed"),
    ],
  ])("of %j", async (body, expected) => {
    expect(await state(body)).toEqual(expected);
  });

  test("is not known where SSM refuses to say", async () => {
    expect(await state(refusal("AccessDeniedException"))).toMatchObject({ name: "AccessDeniedException" });
  });
});

describe("Agents", () => {
  const list = (...all: readonly object[]): Answers => ({
    DescribeInstanceInformation: () => ({ body: { InstanceInformationList: all } }),
  });
  const silent = { online: false, lastPingAt: null, version: null };

  test("are online by their last report, one or all", async () => {
    const one = { InstanceId: "i-1", PingStatus: "Online", LastPingDateTime: 60, AgentVersion: "3.3.1" };
    const agent = { online: true, lastPingAt: "1970-01-01T00:01:00.000Z", version: "3.3.1" };
    const { verbs, sent } = on(list(one, { InstanceId: "i-2" }, {}));
    expect(await verbs.agent("i-1")).toEqual(agent);
    expect([...(await verbs.agents())]).toEqual([
      ["i-1", agent],
      ["i-2", silent],
      ["", silent],
    ]);
    expect(sent()).toMatchObject([
      { input: { Filters: [{ Key: "InstanceIds", Values: ["i-1"] }] } },
      { input: { MaxResults: 50 } },
    ]);
  });

  test("that never registered are silent", async () => {
    expect(await on(list()).verbs.agent("i-1")).toEqual(silent);
    expect(await on({ DescribeInstanceInformation: () => ({ body: {} }) }).verbs.agent("i-1")).toEqual(silent);
    expect([...(await on({ DescribeInstanceInformation: () => ({ body: {} }) }).verbs.agents())]).toEqual([]);
  });
});

describe("The request of a plan", () => {
  const plan = (text: string): MachinePlan =>
    ({ format: 2, operation: "add-1", notAfter: 1, madeAt: 0, actions: [{ do: "text", text }] }) as never;
  const large = plan("x".repeat(documentLimits.apply.maxRequest));
  const length = Buffer.from(JSON.stringify({ plan: plan("") })).toString("base64").length;
  const fitting = plan("x".repeat(Math.floor(((documentLimits.apply.maxRequest - length) * 3) / 4)));

  test("holds the plan itself as long as it fits", async () => {
    expect(await on({}).verbs.requestFor(fitting, "plans/x")).toEqual({ plan: fitting });
  });

  test("names a larger one's place in the bucket, version and hash", async () => {
    const { verbs } = on({ "": () => ({ headers: { "x-amz-version-id": "v-1" }, body: "" }) });
    expect(await verbs.requestFor(large, "plans/x")).toEqual({
      bucket: "casement",
      key: "plans/x",
      version: "v-1",
      sha256: createHash("sha256").update(JSON.stringify(large)).digest("hex"),
    });
  });

  test("is refused by a bucket without versions", async () => {
    expect(await thrown(on({ "": () => ({ body: "" }) }).verbs.requestFor(large, "plans/x"))).toEqual(
      new Error("the bucket casement keeps no versions"),
    );
  });
});

describe("The secret with which a machine joins", () => {
  const TOKEN = "POST /api/v1/namespaces/openshift-machine-config-operator/serviceaccounts/node-bootstrapper/token";
  const token = (claims: object | string): ApiAnswers => {
    const text = typeof claims === "string" ? claims : JSON.stringify(claims);
    return { [TOKEN]: { body: { status: { token: `e30.${Buffer.from(text).toString("base64url")}.sig` } } } };
  };
  const join = tokenJoinOf(okd.join);
  if (!join) throw new Error("OKD joins by tokens");
  const make = async (api: ApiAnswers, aws: Answers = {}, key?: string) => {
    const { exchange, requests } = apiServer(api);
    const { context, asked } = answering({ ...clusterSecret(), CreateSecret: () => ({ body: {} }), ...aws }, exchange);
    const configuration = { ...configurationWith(), ...(key ? { key } : {}) };
    const result = await thrown(joinSecret(context).create(join, configuration, "i-1"));
    return { result, requests, sent: asked.filter(({ action }) => action !== "GetSecretValue") };
  };
  const good = token({ jti: "id-1", exp: 600 });

  test("holds a kubeconfig that the machine alone can read, and its token lives ten minutes", async () => {
    const { result, requests, sent } = await make(good);
    expect(result).toEqual({ id: "id-1", expiresAt: "1970-01-01T00:10:00.000Z" });
    expect(requests).toMatchObject([{ body: { spec: { audiences: [], expirationSeconds: 600 } } }]);
    expect(sent).toMatchObject([
      {
        action: "CreateSecret",
        input: {
          Name: "casement/prod-west/join/i-1",
          SecretString: expect.stringContaining("kubeconfig"),
          Tags: [
            { Key: "casement:cluster", Value: "prod-west" },
            { Value: "arn:aws:ec2:us-west-2:111122223333:instance/i-1" },
          ],
        },
      },
    ]);
    expect(sent[0]?.input).not.toHaveProperty("KmsKeyId");
    expect((await make(good, {}, "arn:key")).sent[0]?.input).toMatchObject({ KmsKeyId: "arn:key" });
  });

  test.each([[{ exp: 600 }], [{ jti: "", exp: 600 }], [{ jti: "id-1" }], ["no JSON"]])(
    "is not made with the claims %j",
    async (claims) => {
      const { result, sent } = await make(token(claims));
      expect(result).toEqual(
        new Refused(
          "the API server issues join tokens without an id (jti), so certificate requests of different machines cannot be told apart: Kubernetes 1.30 or newer is required",
          { code: "kubernetes-too-old" },
        ),
      );
      expect((result as Error).name).toBe("Refused:kubernetes-too-old");
      expect(sent).toEqual([]);
    },
  );

  test("is not made without a token", async () => {
    expect((await make({ [TOKEN]: { body: { status: {} } } })).result).toEqual(
      new Error("the API server granted a bootstrap token but did not return it"),
    );
    expect((await make({ [TOKEN]: apiRefusal(403) })).result).toMatchObject({ code: 403 });
  });

  test.each(["ResourceExistsException", "InvalidRequestException"])("removes an older one after %s", async (name) => {
    const { result, sent } = await make(good, { CreateSecret: refusal(name), DeleteSecret: () => ({ body: {} }) });
    expect(result).toEqual(new Retryable("an older secret casement/prod-west/join/i-1 is being deleted"));
    expect(sent[1]).toEqual({
      action: "DeleteSecret",
      input: { SecretId: "casement/prod-west/join/i-1", ForceDeleteWithoutRecovery: true },
    });
  });

  test("is not made where Secrets Manager refuses it", async () => {
    expect((await make(good, { CreateSecret: refusal("AccessDeniedException") })).result).toMatchObject({
      name: "AccessDeniedException",
    });
  });

  test("is deleted, also if it does not exist", async () => {
    const removed = (answer: Answers[string]) =>
      thrown(joinSecret(answering({ DeleteSecret: answer }).context).remove("i-1"));
    expect(await removed(() => ({ body: {} }))).toBeUndefined();
    expect(await removed(refusal("ResourceNotFoundException"))).toBeUndefined();
    expect(await removed(refusal("AccessDeniedException"))).toMatchObject({ name: "AccessDeniedException" });
  });
});

import { SendCommandCommand, type SendCommandCommandInput } from "@aws-sdk/client-ssm";
import { describe, expect, it } from "vitest";
import { documentLimits } from "../../../lambdas/scripts/documents.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { contentOf } from "../../../lib/sandbox/ssm/documents.ts";
import { documents, encoded, nameOf, ssmFixture } from "./fixture.ts";

const fixture = ssmFixture();
const online = fixture.online(1);

const send = async (more: Partial<SendCommandCommandInput>): Promise<string> => {
  const id = await online;
  const input = { DocumentName: nameOf("observe"), InstanceIds: [id], Parameters: encoded({}), ...more };
  return fixture.client.send(new SendCommandCommand(input)).then(
    () => "none",
    (error: Error) => error.name,
  );
};

const sha256 = documents.find((one) => one.script === "observe")?.sha256;

describe("SendCommand", () => {
  it.each<[string, Partial<SendCommandCommandInput>, string]>([
    ["an unknown document", { DocumentName: "casement-none" }, "InvalidDocument"],
    [
      "somebody else's document by its ARN",
      { DocumentName: "arn:aws:ssm:us-west-2:999999999999:document/x" },
      "InvalidDocument",
    ],
    [
      "AWS-RunShellScript, which this account's simulator does not hold",
      { DocumentName: "AWS-RunShellScript" },
      "InvalidDocument",
    ],
    [
      "AWS-RunPowerShellScript without its commands",
      { DocumentName: "AWS-RunPowerShellScript", Parameters: {} },
      "InvalidParameters",
    ],
    [
      "AWS-RunPowerShellScript for longer than two days",
      { DocumentName: "AWS-RunPowerShellScript", Parameters: { commands: ["exit"], executionTimeout: ["172801"] } },
      "InvalidParameters",
    ],
    ["an unknown version", { DocumentVersion: "9" }, "InvalidDocumentVersion"],
    ["a hash that is another's", { DocumentHash: "0".repeat(64), DocumentHashType: "Sha256" }, "InvalidDocument"],
    ["an unknown parameter", { Parameters: { ...encoded({}), Extra: ["x"] } }, "InvalidParameters"],
    ["a missing parameter", { Parameters: {} }, "InvalidParameters"],
    ["two values for a String", { Parameters: { Request: ["e30=", "e30="] } }, "InvalidParameters"],
    ["a value against the pattern", { Parameters: { Request: ['"; Remove-Item C:\\'] } }, "InvalidParameters"],
    [
      "a value that is too long",
      { Parameters: { Request: ["A".repeat(documentLimits.observe.maxRequest + 1)] } },
      "InvalidParameters",
    ],
    ["more than 64 KB", { DocumentName: "short", Parameters: { Request: ["A".repeat(65_500)] } }, "InvalidParameters"],
    ["an instance that never registered", { InstanceIds: ["i-0aaaaaaaaaaaaaaaa"] }, "InvalidInstanceId"],
    ["no instance at all", { InstanceIds: [] }, "InvalidInstanceId"],
    ["a malformed instance id", { InstanceIds: ["i-xyz"] }, "ValidationException"],
    [
      "51 instances",
      { InstanceIds: Array.from({ length: 51 }, (_, n) => `i-${String(n).padStart(17, "0")}`) },
      "ValidationException",
    ],
    ["a delivery time below 30 seconds", { TimeoutSeconds: 29 }, "ValidationException"],
    ["a comment of 101 characters", { Comment: "x".repeat(101) }, "ValidationException"],
    ["a document for Linux", { DocumentName: "linux-only", Parameters: {} }, "UnsupportedPlatformType"],
  ])("refuses %s", async (_, more, code) => {
    expect(await send(more)).toBe(code);
  });

  it("refuses the same instance twice", async () => {
    const id = await online;
    expect(await send({ InstanceIds: [id, id] })).toBe("DuplicateInstanceId");
  });

  it("accepts the right hash", async () => {
    expect(await send({ DocumentHash: sha256 as string, DocumentHashType: "Sha256" })).toBe("none");
  });

  it("needs the permission for the document and for each instance with its tags", async () => {
    const id = await online;
    fixture.asked.length = 0;
    await send({});
    expect(fixture.asked).toEqual([
      {
        action: "ssm:SendCommand",
        resources: [`arn:aws:ssm:${demo.region}:${demo.accountId}:document/${nameOf("observe")}`],
        context: undefined,
      },
      {
        action: "ssm:SendCommand",
        resources: [`arn:aws:ec2:${demo.region}:${demo.accountId}:instance/${id}`],
        context: expect.objectContaining({ "ssm:resourceTag/casement:cluster": demo.cluster.name }),
      },
    ]);
    const denied = fixture.clientFor(["ssm:SendCommand"]);
    const attempt = denied.send(
      new SendCommandCommand({ DocumentName: nameOf("observe"), InstanceIds: [id], Parameters: encoded({}) }),
    );
    await expect(attempt).rejects.toThrow("not authorized to perform: ssm:SendCommand");
  });

  it("has no idempotency token: sent twice, it is two commands", async () => {
    const id = await online;
    const input = { DocumentName: nameOf("observe"), InstanceIds: [id], Parameters: encoded({}) };
    const [one, other] = await Promise.all([
      fixture.client.send(new SendCommandCommand(input)),
      fixture.client.send(new SendCommandCommand(input)),
    ]);
    expect(one.Command?.CommandId).not.toBe(other.Command?.CommandId);
    expect(one.Command).toMatchObject({ Status: "Pending", MaxErrors: "0", TargetCount: 1, TimeoutSeconds: 3600 });
    expect(one.Command?.RequestedDateTime).toBeInstanceOf(Date);
  });
});

describe("a document", () => {
  const taking = (allowedPattern: string): string =>
    JSON.stringify({
      schemaVersion: "2.2",
      parameters: { Request: { type: "String", allowedPattern } },
      mainSteps: [{ action: "aws:runPowerShellScript", name: "run", inputs: { runCommand: ["exit 0"] } }],
    });

  it.for(["^a{0,1001}$", "^a{2000}$", "^a{1,24000}$", "^(?!b)a$", "^(?<=b)a$", "^(a)\\1$"])(
    "is refused with the pattern %s, which the agent's RE2 does not read",
    (pattern) => {
      expect(() => contentOf(taking(pattern))).toThrow("the agent could not read this pattern");
    },
  );

  it.for(["^a{0,1000}$", "^[A-Za-z0-9+/=]*$", "^(?:a|b)+$", "^a{3,}$"])("is taken with the pattern %s", (pattern) => {
    expect(contentOf(taking(pattern)).parameters.Request?.allowedPattern).toBe(pattern);
  });

  it.for(documents)("of $script is read by the agent", ({ content }) => {
    expect(() => contentOf(content)).not.toThrow();
  });
});

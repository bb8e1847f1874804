import { afterEach, expect, test } from "vitest";
import { inHostTime } from "../../../host-time.ts";
import { expectSound } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { look as lookIn } from "../../looking.ts";
import { otherWeb, shortName, web } from "../../others.ts";
import { injectFault } from "../../outside.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const look = (text: string) => lookIn(here, text);

const unanswered = ["kubernetes-5xx", "kubernetes-throttle", "kubernetes-slow"];
const words: Readonly<Record<string, RegExp>> = {
  "kubernetes-5xx": /The Kubernetes API \(`kubernetes\.sandbox\.invalid`\) answered 503\. EC2 shows these machines:/,
  "kubernetes-throttle": /The Kubernetes API \(`[^`]+`\) answered 429\. EC2 shows these machines:/,
  "kubernetes-slow": /The Kubernetes API \(`[^`]+`\) did not answer within 8 s\. EC2 shows these machines:/,
};

test.each(unanswered)(
  "under %s a look names the Kubernetes API and shows EC2's machines, in private, within 20 s",
  inHostTime,
  async (kind) => {
    here = await withSeedNodes();
    injectFault(here, kind);
    const { said, seconds } = await look("/win nodes");
    expect(said).toMatch(words[kind] ?? /never/);
    expect(said).toMatch(new RegExp(`${shortName(web)} +running +${web.instanceId} +\\S+ +web`));
    expect(said).not.toContain("ip-10-0-0-10");
    expect(said).toMatch(/Check the API server; `\/win doctor` shows which services answer/);
    expect(said).not.toContain("/win nodes");
    expect(seconds).toBeLessThan(20);
    await expectSound(here);
  },
);

test("one node is looked up in EC2 while the Kubernetes API is away", async () => {
  here = await withSeedNodes();
  injectFault(here, "kubernetes-5xx");
  const { said } = await look("/win node ip-10-0-3-7");
  expect(said).toContain(web.instanceId);
  expect(said).not.toContain(otherWeb.instanceId);
  expect((await look("/win node ip-10-9-9-9")).said).toContain("EC2 shows no Windows machine of that name");
});

test.each([
  ["aws-throttle", /EC2 answered RequestLimitExceeded\. What EC2 would show is marked `&lt;unknown&gt;`/],
  ["aws-slow", /EC2 did not answer within 8 s\./],
])("under %s of EC2 the nodes are listed by Kubernetes alone", inHostTime, async (kind, sentence) => {
  here = await withSeedNodes();
  injectFault(here, kind, { service: "ec2" });
  const { said, seconds } = await look("/win nodes");
  expect(said).toMatch(sentence);
  expect(said).toMatch(new RegExp(`${shortName(web)} +Ready +\\w+ +10.0.20348[\\s\\S]*All: POOL .&lt;unknown&gt;.`));
  expect(seconds).toBeLessThan(20);
  const one = await look("/win node ip-10-0-3-7");
  expect(one.said).toMatch(/Ownership: +&lt;unknown&gt;/);
  expect(one.said).toMatch(/Ready +True/);
});

test("both away are named, and what helps", inHostTime, async () => {
  here = await withSeedNodes();
  injectFault(here, "kubernetes-5xx");
  injectFault(here, "aws-throttle", { service: "ec2" });
  const { said, seconds } = await look("/win nodes");
  expect(said).toMatch(/The Kubernetes API \(`[^`]+`\) answered 503\. EC2 answered RequestLimitExceeded\./);
  expect(seconds).toBeLessThan(20);
});

test.each(["aws-throttle", "aws-slow"])(
  "under %s of S3 a look fails in private and names S3",
  inHostTime,
  async (kind) => {
    here = await withSeedNodes();
    injectFault(here, kind, { service: "s3" });
    const { said, seconds } = await look("/win operations");
    expect(said).toMatch(
      kind === "aws-slow"
        ? /S3 or DynamoDB is not available: no answer within 5 s/
        : /S3( or DynamoDB)? is not available/,
    );
    expect(said).toContain("`/win doctor` shows which services answer");
    expect(seconds).toBeLessThan(20);
    expect((await here.operations()).filter(({ endedAt }) => endedAt === null)).toEqual([]);
  },
);

import { Readable } from "node:stream";
import { clients } from "../../lambdas/clients/clients.ts";
import type { Transport } from "../../lambdas/clients/transport.ts";
import { steps } from "../../lambdas/steps/steps.ts";

/** Answers of AWS's services, by action; JSON for those that speak it, the text of XML for EC2. */
export type Answers = Record<
  string,
  (input: Record<string, unknown>) => { status?: number; headers?: Record<string, string>; body: object | string }
>;

/** A lease that `holding` says is held. */
export const held = { instanceId: "i-0aaa", owner: "add-1:0", epoch: 1 };

/** The ledger that holds nothing but this lease. */
export const holding: Answers = {
  GetItem: () => ({
    body: {
      Item: {
        pk: { S: "lease#i-0aaa" },
        sk: { S: "lease" },
        instanceId: { S: held.instanceId },
        owner: { S: held.owner },
        epoch: { N: String(held.epoch) },
        held: { BOOL: true },
      },
    },
  }),
};

/** Settings of a function of the sandbox's kind. */
export const settings = {
  region: "us-west-2",
  credentials: { accessKeyId: "AKIA", secretAccessKey: "s" },
  awsEndpoint: "http://aws.sandbox.test",
  cluster: "prod-west",
  bucket: "casement",
  ledgerTable: "casement",
  account: "join" as const,
  slackSecret: "s",
  slackUrl: "http://slack.sandbox.test/api/",
  retentionDays: 400,
  functions: {},
  documents: { apply: "1a2b3c".padEnd(64, "0"), observe: "4d5e6f".padEnd(64, "0") },
};

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Action and input of a request: of JSON services by their header, of EC2 by its form; S3's have no action. */
function askedOf({ headers, body }: Sent): { action: string; input: Record<string, unknown> } {
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const target = headers["x-amz-target"];
  if (target) return { action: target.split(".").at(-1) ?? "", input: JSON.parse(text) };
  const form = Object.fromEntries(new URLSearchParams(text));
  return { action: form.Action ?? "", input: form };
}

/** The verbs on real clients whose services answer as a script says; what was asked is kept. */
export function answering(
  answers: Answers,
  kubernetes: Transport["kubernetes"] = async () => ({ status: 500, headers: {}, body: "" }),
) {
  const asked: { action: string; input: Record<string, unknown> }[] = [];
  const handle = async (request: Sent) => {
    const one = askedOf(request);
    asked.push(one);
    const { status = 200, headers = {}, body } = answers[one.action]?.(one.input) ?? { status: 500, body: {} };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return { response: { statusCode: status, headers, body: Readable.from([Buffer.from(text)]) } };
  };
  const transport = { aws: { handle }, fetch, kubernetes };
  const made = clients(settings, transport as unknown as Transport);
  const context = { clients: made, settings, now: () => 0 };
  return { context, verbs: steps(context), asked };
}

/** An answer of EC2 to an action: the content of its element as XML. */
export const xml =
  (action: string, content = "") =>
  () => ({ body: `<${action}Response>${content}</${action}Response>` });

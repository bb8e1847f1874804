import { X509Certificate } from "node:crypto";
import type { JsonGeneralNames } from "@peculiar/x509";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SigningRequest } from "../../../lib/sandbox/kubernetes/model/shapes.ts";
import { CLIENT, requestFor, SERVING, signingRequest } from "./certificates.ts";
import { NOON, needsControllers, type StillCluster, sandboxOnly, stillCluster } from "./cluster.ts";

const WIN = "ip-10-0-0-50.us-west-2.compute.internal";

let cluster: StillCluster;

beforeEach(async () => {
  cluster = await stillCluster();
});
afterEach(() => cluster.stop());

describe("signing", () => {
  const usages: Record<string, string[]> = {
    [CLIENT]: ["digital signature", "client auth"],
    [SERVING]: ["digital signature", "server auth"],
  };
  const csrs = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

  const approved = async (
    signer: string,
    subject: string,
    names: JsonGeneralNames = [],
    wanted = usages[signer],
  ): Promise<SigningRequest> => {
    needsControllers();
    const { requestPem } = await requestFor(subject, names);
    await cluster.admin(`POST ${csrs}`, signingRequest("r", requestPem, signer, wanted ?? ["client auth"]));
    const { body } = await cluster.admin(`GET ${csrs}/r`);
    const condition = { type: "Approved", status: "True", reason: "Test" };
    await cluster.admin(`PUT ${csrs}/r/approval`, { ...body, status: { conditions: [condition] } });
    const now = async (): Promise<SigningRequest> => (await cluster.admin(`GET ${csrs}/r`)).body;
    const isAnswered = ({ status }: SigningRequest): boolean =>
      status?.certificate !== undefined || (status?.conditions ?? []).some(({ type }) => type === "Failed");
    if (signer.startsWith("kubernetes.io/")) await cluster.until(async () => isAnswered(await now()), "the signer");
    return now();
  };
  const subject = `O=system:nodes, CN=system:node:${WIN}`;

  test("makes a client certificate that the API server accepts", async () => {
    const { status } = await approved(CLIENT, subject);
    const pem = Buffer.from(status?.certificate ?? "", "base64").toString("utf8");
    const certificate = new X509Certificate(pem);
    expect(certificate.subject).toBe(`O=system:nodes\nCN=system:node:${WIN}`);
    sandboxOnly("shows the certificate to the sandbox");
    expect(Date.parse(certificate.validTo)).toBeCloseTo(NOON + 720 * 3_600_000 - 300_000, -4);
    const request = { method: "GET", url: `/api/v1/nodes/${WIN}`, headers: {}, body: new Uint8Array() };
    expect((await cluster.api.answer(request, { clientCertificate: pem })).status).toBe(404);
  });

  test("makes a serving certificate with the requested names", async () => {
    const { status } = await approved(SERVING, subject, [
      { type: "dns", value: WIN },
      { type: "ip", value: "10.0.0.50" },
    ]);
    const pem = Buffer.from(status?.certificate ?? "", "base64").toString("utf8");
    expect(new X509Certificate(pem).subjectAltName).toBe(`DNS:${WIN}, IP Address:10.0.0.50`);
    sandboxOnly("shows the certificate to the sandbox");
    const request = { method: "GET", url: "/version", headers: {}, body: new Uint8Array() };
    expect((await cluster.api.answer(request, { clientCertificate: pem })).status).toBe(401);
  });

  test.each<[string, string, string, JsonGeneralNames, string[] | undefined, string]>([
    [
      "another organisation",
      CLIENT,
      "O=system:masters, CN=system:node:n",
      [],
      undefined,
      "subject organization is not system:nodes",
    ],
    [
      "two organisations",
      CLIENT,
      "O=system:nodes, O=system:masters, CN=system:node:n",
      [],
      undefined,
      "subject organization is not system:nodes",
    ],
    [
      "another name",
      CLIENT,
      "O=system:nodes, CN=admin",
      [],
      undefined,
      "subject common name does not begin with system:node:",
    ],
    [
      "names in a client certificate",
      CLIENT,
      subject,
      [{ type: "dns", value: "a" }],
      undefined,
      "DNS subjectAltNames are not allowed",
    ],
    [
      "usages of both kinds",
      CLIENT,
      subject,
      [],
      ["digital signature", "client auth", "server auth"],
      "usages did not match",
    ],
    ["no names in a serving certificate", SERVING, subject, [], undefined, "DNS or IP subjectAltName is required"],
    [
      "a mail address",
      SERVING,
      subject,
      [
        { type: "dns", value: "a" },
        { type: "email", value: "a@b.c" },
      ],
      undefined,
      "Email subjectAltNames are not allowed",
    ],
  ])("refuses %s and says so on the request", async (_what, signer, name, names, wanted, words) => {
    const { status } = await approved(signer, name, names, wanted);
    expect(status?.certificate).toBeUndefined();
    expect(status?.conditions?.find(({ type }) => type === "Failed")).toMatchObject({
      reason: "SignerValidationFailure",
      message: expect.stringContaining(words),
    });
  });

  test("records the program that decided a kubelet's request, and none for a request with a name of its own", async () => {
    const { requestPem } = await requestFor(subject);
    const deciders = async (metadata: object) => {
      const request = { ...signingRequest("decided", requestPem, "example.com/custom", ["client auth"]), metadata };
      const { body } = await cluster.admin(`POST ${csrs}`, request);
      const status = { conditions: [{ type: "Denied", status: "True", reason: "Test" }] };
      const path = `PUT ${csrs}/${body.metadata.name}/approval?fieldManager=an-approver`;
      const decided = await cluster.admin(path, { ...body, status });
      return (decided.body.metadata.managedFields ?? []).filter((one: { subresource?: string }) => one.subresource);
    };
    const decision = { manager: "an-approver", operation: "Update", subresource: "approval" };
    expect(await deciders({ generateName: "csr-" })).toEqual([expect.objectContaining(decision)]);
    expect(await deciders({ name: "decided" })).toEqual([]);
  });

  test("ignores other signers, and deletes decided requests after an hour", async () => {
    const { status } = await approved("example.com/custom", subject);
    expect(status?.certificate).toBeUndefined();
    await cluster.pass(3_590);
    expect((await cluster.admin(`GET ${csrs}/r`)).status).toBe(200);
    await cluster.pass(20);
    expect((await cluster.admin(`GET ${csrs}/r`)).status).toBe(404);
  });
});

describe("a decision dated by a client whose clock is behind", () => {
  const csrs = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
  const hostTime = new Date(NOON).toISOString();

  const decidedAnHourLater = async (type: "Approved" | "Denied"): Promise<SigningRequest> => {
    await cluster.pass(4_000);
    const { requestPem } = await requestFor(`O=system:nodes, CN=system:node:${WIN}`);
    await cluster.admin(`POST ${csrs}`, signingRequest("r", requestPem, CLIENT, ["digital signature", "client auth"]));
    const { body } = await cluster.admin(`GET ${csrs}/r`);
    const condition = { type, status: "True", reason: "KubectlDecision", lastUpdateTime: hostTime };
    await cluster.admin(`PUT ${csrs}/r/approval`, { ...body, status: { conditions: [condition] } });
    await cluster.pass(60);
    return (await cluster.admin(`GET ${csrs}/r`)).body;
  };

  test("is signed as usual", { timeout: 10_000 }, async () => {
    expect((await decidedAnHourLater("Approved")).status?.certificate).toBeDefined();
  });

  test("keeps a denied request for its hour", { timeout: 10_000 }, async () => {
    expect((await decidedAnHourLater("Denied")).status?.conditions).toMatchObject([{ type: "Denied" }]);
    await cluster.pass(3_600);
    expect((await cluster.admin(`GET ${csrs}/r`)).status).toBe(404);
  });
});

import { CLIENT_SIGNER, SERVING_SIGNER } from "../../../lambdas/cluster/signers.ts";
import "reflect-metadata";
import {
  Attribute,
  BasicConstraintsExtension,
  ChallengePasswordAttribute,
  type JsonName,
  SubjectAlternativeNameExtension,
} from "@peculiar/x509";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judge, type PendingRequest } from "../../../lambdas/steps/cluster/csr-rules.ts";
import {
  address,
  bootstrapper,
  client,
  commonName,
  credential,
  expecting,
  nodeName,
  rightNames,
  rightSubject,
  serving,
  signed,
} from "./signing-requests.ts";

const clientUsages = ["digital signature", "client auth"];
const servingUsages = ["digital signature", "server auth"];
const named = (name: string): JsonName => [{ O: ["system:nodes"] }, { CN: [name] }];
const clientPem = async (wanted: Partial<Parameters<typeof signed>[0]>) =>
  client({ pem: await signed({ subject: rightSubject, ...wanted }) });
const servingPem = async (wanted: Partial<Parameters<typeof signed>[0]>) =>
  serving({ pem: await signed({ subject: rightSubject, names: rightNames, ...wanted }) });

const bytesOf = (pem: string): Buffer => Buffer.from(pem.replace(/-----.*-----/g, ""), "base64");
const pemOf = (der: Uint8Array): string =>
  `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from(der).toString("base64")}\n-----END CERTIFICATE REQUEST-----\n`;
const flipped = (pem: string, at: number): string => {
  const der = bytesOf(pem);
  der[at] = (der[at] ?? 0) ^ 1;
  return pemOf(der);
};

describe("A right request", async () => {
  it.each([
    ["a client request with an EC key", client()],
    ["a client request with key encipherment", client({ usages: ["key encipherment", ...clientUsages] })],
    ["usages in another order", client({ usages: [...clientUsages].reverse() })],
    ["a client request with an RSA key", await clientPem({ key: "rsa" })],
    ["a common name before the organization", await clientPem({ subject: [...rightSubject].reverse() })],
  ])("is approved before the Node exists: %s", (_, pending) => {
    expect(judge(pending, expecting(false))).toEqual({ verdict: "approve" });
  });

  it.each([
    ["a serving request with an EC key", serving()],
    ["a serving request with key encipherment", serving({ usages: ["key encipherment", ...servingUsages] })],
    ["a serving request with an RSA key", await servingPem({ key: "rsa" })],
    ["only the name", await servingPem({ names: rightNames.slice(0, 1) })],
    ["only the address", await servingPem({ names: rightNames.slice(1) })],
  ])("is approved once the Node exists: %s", (_, pending) => {
    expect(judge(pending, expecting(true))).toEqual({ verdict: "approve" });
  });
});

type Case = readonly [what: string, pending: PendingRequest, why: RegExp];

const clientNearMisses: readonly Case[] = [
  ["another machine's join token", client({ credentials: ["JTI=another"] }), /another join token \(JTI=another\)/],
  ["a certificate instead of a token", client({ credentials: ["X509SHA256=00"] }), /another join token/],
  ["our token and another one", client({ credentials: [credential, "JTI=another"] }), /another join token/],
  ["no credential at all", client({ credentials: [] }), /does not show the join token/],
  ["no organization", await clientPem({ subject: [{ CN: [commonName] }] }), /organizations/],
  [
    "a second organization",
    await clientPem({ subject: [{ O: ["system:nodes"] }, { O: ["system:masters"] }, { CN: [commonName] }] }),
    /system:masters/,
  ],
  [
    "the second organization first",
    await clientPem({ subject: [{ O: ["system:masters"] }, { O: ["system:nodes"] }, { CN: [commonName] }] }),
    /system:masters/,
  ],
  [
    "two organizations in one part",
    await clientPem({ subject: [{ O: ["system:nodes", "system:masters"] }, { CN: [commonName] }] }),
    /system:masters/,
  ],
  [
    "the same organization twice",
    await clientPem({ subject: [{ O: ["system:nodes"] }, { O: ["system:nodes"] }, { CN: [commonName] }] }),
    /organizations/,
  ],
  [
    "another organization",
    await clientPem({ subject: [{ O: ["system:masters"] }, { CN: [commonName] }] }),
    /system:masters/,
  ],
  ["an empty organization", await clientPem({ subject: [{ O: [""] }, { CN: [commonName] }] }), /organizations/],
  [
    "the organization in capitals",
    await clientPem({ subject: [{ O: ["System:Nodes"] }, { CN: [commonName] }] }),
    /organizations/,
  ],
  ["an organizational unit", await clientPem({ subject: [...rightSubject, { OU: ["x"] }] }), /subject/],
  [
    "a unit hidden in the organization's part",
    await clientPem({ subject: [{ O: ["system:nodes"], OU: ["x"] }, { CN: [commonName] }] }),
    /subject/,
  ],
  [
    "a common name of two values",
    await clientPem({ subject: [...rightSubject, { CN: ["system:node:other"] }] }),
    /requests the name/,
  ],
  [
    "the same common name twice",
    await clientPem({ subject: [...rightSubject, { CN: [commonName] }] }),
    /requests the name/,
  ],
  ["a name that begins like ours", await clientPem({ subject: named(`${commonName}.evil`) }), /\.evil/],
  ["a name that ends like ours", await clientPem({ subject: named(`system:node:evil.${nodeName}`) }), /evil\./],
  ["only the beginning of our name", await clientPem({ subject: named("system:node:ip-10-0-0-2") }), /ip-10-0-0-2$/],
  ["our name in capitals", await clientPem({ subject: named(`system:node:${nodeName.toUpperCase()}`) }), /IP-10/],
  [
    "our name with its prefix in capitals",
    await clientPem({ subject: named(`System:Node:${nodeName}`) }),
    /System:Node/,
  ],
  ["a space after our name", await clientPem({ subject: named(`${commonName} `) }), /requests the name/],
  [
    "a request from before the launch, of a machine that had the address then",
    client({ createdAt: "2026-11-21T07:49:59.000Z" }),
    /older than the instance/,
  ],
  ["a request without a time", client({ createdAt: "" }), /older than the instance/],
  [
    "a requester other than the bootstrapper",
    client({ username: "system:serviceaccount:default:default" }),
    /was made by/,
  ],
  ["the machine itself as the requester", client({ username: commonName }), /was made by/],
  ["an administrator as the requester", client({ username: "system:admin" }), /was made by/],
  ["server authentication", client({ usages: servingUsages }), /usages/],
  ["both purposes", client({ usages: [...clientUsages, "server auth"] }), /usages/],
  ["a usage too few", client({ usages: ["client auth"] }), /usages/],
  ["no usages", client({ usages: [] }), /usages/],
  ["the same usage twice", client({ usages: ["digital signature", "digital signature"] }), /usages/],
  ["the right to sign certificates", client({ usages: [...clientUsages, "cert sign"] }), /usages/],
  ["our own alternative name", await clientPem({ names: rightNames.slice(0, 1) }), /alternative names/],
  ["our own alternative address", await clientPem({ names: rightNames.slice(1) }), /alternative names/],
  ["an e-mail address", await clientPem({ names: [{ type: "email", value: "a@example.com" }] }), /alternative names/],
  ["a URI", await clientPem({ names: [{ type: "url", value: "https://example.com" }] }), /alternative names/],
  ["an authority's constraints", await clientPem({ extensions: [new BasicConstraintsExtension(true)] }), /more than/],
  ["an attribute", await clientPem({ attributes: [new ChallengePasswordAttribute("x")] }), /more than/],
  [
    "two lists of extensions, of which the first is empty",
    await clientPem({ attributes: [await emptyExtensions()], names: rightNames }),
    /more than|cannot be read/,
  ],
];

/** RFC 2985 §5.4.2: an extension request that asks for nothing. */
async function emptyExtensions(): Promise<Attribute> {
  return new Attribute("1.2.840.113549.1.9.14", [Buffer.from([0x30, 0x00])]);
}

describe("A client request that is nearly right", () => {
  it.each(clientNearMisses)("is left pending and reported: %s", (_, pending, why) => {
    expect(judge(pending, expecting(false))).toEqual({ verdict: "mismatch", why: expect.stringMatching(why) });
  });

  it("is reported in few words, however much it says", async () => {
    const long = await clientPem({ subject: named(`${commonName}.${"x".repeat(5_000)}`) });
    expect(judge(long, expecting(false))).toMatchObject({ why: expect.stringMatching(/^it requests.{289}$/) });
  });

  it("is left pending when a Node of its name exists already", () => {
    expect(judge(client(), expecting(true))).toEqual({
      verdict: "mismatch",
      why: `a Node named ${nodeName} already exists`,
    });
  });
});

const foreign = async (name: (typeof rightNames)[number]) => servingPem({ names: [...rightNames, name] });
const servingNearMisses: readonly Case[] = [
  ["a foreign address", await foreign({ type: "ip", value: "10.0.0.22" }), /10\.0\.0\.22 does not belong/],
  [
    "only a foreign address",
    await servingPem({ names: [{ type: "ip", value: "10.0.0.210" }] }),
    /10\.0\.0\.210 does not/,
  ],
  ["the loopback address", await foreign({ type: "ip", value: "127.0.0.1" }), /127\.0\.0\.1/],
  ["an IPv6 address", await foreign({ type: "ip", value: "::1" }), /does not belong/],
  ["our address written as a name", await foreign({ type: "dns", value: address }), /does not belong/],
  ["a foreign name", await foreign({ type: "dns", value: "kubernetes.default.svc" }), /kubernetes\.default\.svc/],
  ["a wildcard", await foreign({ type: "dns", value: "*.us-west-2.compute.internal" }), /does not belong/],
  ["our name with more after it", await foreign({ type: "dns", value: `${nodeName}.evil` }), /\.evil/],
  ["an e-mail address", await foreign({ type: "email", value: "a@example.com" }), /e-mail/],
  ["a URI", await foreign({ type: "url", value: `https://${nodeName}` }), /URI/],
  ["a directory name", await foreign({ type: "dn", value: "CN=x" }), /another kind of name/],
  ["no alternative names", await servingPem({ names: undefined }), /names no address/],
  ["an empty list of names", await servingPem({ names: [] }), /names no address/],
  [
    "a second list of names",
    await servingPem({ extensions: [new SubjectAlternativeNameExtension([...rightNames])] }),
    /more than/,
  ],
  [
    "a second organization",
    await servingPem({ subject: [{ O: ["system:masters"] }, ...rightSubject] }),
    /system:masters/,
  ],
  ["another node's name", await servingPem({ subject: named("system:node:db-1") }), /system:node:db-1/],
  ["an empty subject", await servingPem({ subject: [] }), /requests the name/],
  ["another node as the requester", serving({ username: "system:node:ip-10-0-0-22" }), /was made by/],
  ["the bootstrapper as the requester", serving({ username: bootstrapper }), /was made by/],
  ["a requester outside the nodes' group", serving({ groups: ["system:authenticated"] }), /group system:nodes/],
  ["client authentication", serving({ usages: clientUsages }), /usages/],
  ["both purposes", serving({ usages: [...servingUsages, "client auth"] }), /usages/],
  ["two PEM blocks", serving({ pem: serving().pem + serving().pem }), /exactly one PEM/],
  ["text before the PEM block", serving({ pem: `x\n${serving().pem}` }), /exactly one PEM/],
  ["a PEM block of another kind", serving({ pem: serving().pem.replaceAll("REQUEST", "") }), /exactly one PEM/],
  ["garbage", serving({ pem: "garbage" }), /exactly one PEM/],
  ["an empty text", serving({ pem: "" }), /exactly one PEM/],
  ["a PEM block of garbage", serving({ pem: pemOf(Buffer.from("garbage")) }), /cannot be read/],
  ["half a request", serving({ pem: pemOf(bytesOf(serving().pem).subarray(0, 90)) }), /cannot be read/],
  [
    "bytes after the request",
    serving({ pem: pemOf(Buffer.concat([bytesOf(serving().pem), Buffer.from([5, 0])])) }),
    /do not add up/,
  ],
  [
    "a tampered signature",
    serving({ pem: flipped(serving().pem, bytesOf(serving().pem).length - 1) }),
    /not signed by its own key/,
  ],
];

describe("A serving request that is nearly right", () => {
  it.each(servingNearMisses)("is left pending and reported: %s", (_, pending, why) => {
    expect(judge(pending, expecting(true))).toEqual({ verdict: "mismatch", why: expect.stringMatching(why) });
  });

  it("is left pending while no Node of its name exists", () => {
    expect(judge(serving(), expecting(false))).toEqual({
      verdict: "mismatch",
      why: `no Node named ${nodeName} exists`,
    });
  });
});

describe("A right request in the wrong place", () => {
  const padded = (pending: PendingRequest): PendingRequest => ({
    ...pending,
    pem: `${pending.pem}${"\n".repeat(8_192)}`,
  });

  it("is refused unread above 8 KB, whatever it holds", () => {
    expect(judge(padded(serving()), expecting(true))).toEqual({
      verdict: "mismatch",
      why: expect.stringMatching(/^it has \d+ characters, and a kubelet's request never has more than 8192$/),
    });
    expect(judge(padded(client()), expecting(false))).toEqual({ verdict: "other" });
  });

  it("is left pending while a strange Node names the machine", () => {
    const identityFault = "several Nodes name the instance i-0aaa: a, b";
    for (const [pending, nodeExists] of [
      [client(), false],
      [serving(), true],
    ] as const)
      expect(judge(pending, { ...expecting(nodeExists), identityFault })).toEqual({
        verdict: "mismatch",
        why: identityFault,
      });
  });
});

describe("A request that is not about this machine", async () => {
  const stranger = "system:node:ip-10-0-9-9.us-west-2.compute.internal";
  it.each([
    ["another machine's client request", await clientPem({ subject: named(stranger) })],
    ["another machine's serving request", { ...(await servingPem({ subject: named(stranger) })), username: stranger }],
    ["a user's certificate of our name", await clientPem({ subject: named(nodeName) })],
    ["a name that is only the prefix", await clientPem({ subject: named("system:node:") })],
    ["the API server's client signer", client({ signerName: "kubernetes.io/kube-apiserver-client" })],
    ["a signer of somebody's own", client({ signerName: "example.com/kubelet-serving" })],
    ["the legacy signer", client({ signerName: "kubernetes.io/legacy-unknown" })],
    ["garbage by the bootstrapper", client({ pem: "garbage" })],
    ["a request without a subject", await clientPem({ subject: [] })],
  ])("is nobody's business here: %s", (_, pending) => {
    expect(judge(pending, expecting(false))).toEqual({ verdict: "other" });
  });

  it("does not pass at the other signer's door", () => {
    expect(judge(client({ signerName: SERVING_SIGNER }), expecting(false)).verdict).toBe("mismatch");
    expect(judge(serving({ signerName: CLIENT_SIGNER }), expecting(true)).verdict).toBe("mismatch");
  });
});

describe("Any change of a right request", () => {
  const der = bytesOf(serving().pem);
  const ecdsaWithSha256 = Buffer.from("300a06082a8648ce3d040302", "hex");
  it("of one bit in what its key signed is never approved", { tags: ["long"] }, () => {
    const header = der.readUInt8(1) === 0x81 ? 3 : 4;
    fc.assert(
      fc.property(fc.integer({ min: header, max: der.lastIndexOf(ecdsaWithSha256) - 1 }), fc.nat(7), (at, bit) => {
        const changed = Buffer.from(der);
        changed[at] = (changed[at] ?? 0) ^ (1 << bit);
        return judge(serving({ pem: pemOf(changed) }), expecting(true)).verdict !== "approve";
      }),
      { numRuns: 500 },
    );
  });

  it("of its requester, signer or usages is never approved", () => {
    const usage = fc.constantFrom("digital signature", "key encipherment", "client auth", "server auth", "any", "");
    const right = new Set(["client auth,digital signature", "client auth,digital signature,key encipherment"]);
    const changes = fc.record(
      { username: fc.string(), signerName: fc.string(), usages: fc.array(usage, { maxLength: 4 }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(changes, (changed) => {
        const usagesRight = !changed.usages || right.has([...changed.usages].sort().join());
        fc.pre(changed.username !== undefined || changed.signerName !== undefined || !usagesRight);
        return judge(client(changed), expecting(false)).verdict !== "approve";
      }),
    );
  });

  it("of the machine that is expected is never approved", () => {
    const name = fc.string({ minLength: 1 }).filter((text) => text !== nodeName);
    fc.assert(
      fc.property(name, (other) => judge(client(), { ...expecting(false), nodeName: other }).verdict !== "approve"),
    );
  });
});

import { describe, expect, test } from "vitest";
import { blocksIn, storedCertificate } from "../../../lambdas/inputs/trust/certificates.ts";
import { issue } from "./issuing.ts";

const NOW = Date.parse("2026-11-26T03:00:00Z");

const root = await issue({ subject: "O=Example, CN=Example Root" });
const between = await issue({ subject: "O=Example, CN=Example Issuing", by: root });

const reasonOf = (pem: string): string | undefined => blocksIn(pem, NOW)[0]?.refused?.reason;

describe("A bundle", () => {
  test("is split into certificates: one signed with its own key belongs to Root, any other to CA", () => {
    const blocks = blocksIn(`# our root\n${root.pem}\n# issues servers' certificates\n${between.pem}`, NOW);
    expect(blocks.map(({ authority }) => authority)).toMatchObject([
      {
        store: "Root",
        thumbprint: root.thumbprint,
        fingerprint: root.fingerprint,
        subject: "O=Example, CN=Example Root",
        issuer: "O=Example, CN=Example Root",
        notAfter: "2045-01-01T00:00:00.000Z",
      },
      { store: "CA", subject: "O=Example, CN=Example Issuing", issuer: "O=Example, CN=Example Root" },
    ]);
  });

  test("puts a certificate that names itself as issuer but was signed with another key into CA", async () => {
    const crossed = await issue({ subject: root.subject, by: root });
    expect(blocksIn(crossed.pem, NOW)[0]?.authority).toMatchObject({ store: "CA" });
  });

  test("keeps the certificate of each block exactly", () => {
    const [block] = blocksIn(root.pem.replaceAll("\n", "\r\n"), NOW);
    expect(storedCertificate(block?.authority?.pem ?? "")).toEqual({
      subject: "O=Example, CN=Example Root",
      base64: root.pem.replaceAll(/-----[^-]*-----|\s/g, ""),
    });
  });

  test("without a block names nothing", () => {
    expect(blocksIn("# nothing yet\n", NOW)).toEqual([]);
  });
});

describe("A certificate is refused", () => {
  test.for([
    ["it expired at 2026-11-26 03:00 UTC", { until: "2026-11-26T03:00:00Z" }],
    ["it is not valid before 2026-11-26 03:01 UTC", { from: "2026-11-26T03:01:00Z" }],
    ["it is not the certificate of an authority (basicConstraints)", { isAuthority: false }],
    ["its RSA key has 1024 bits, fewer than 2048", { rsa: 1_024 }],
    ["it is signed with SHA-1", { by: root, hash: "SHA-1" }],
  ] as const)("because %s", async ([reason, more]) => {
    const { pem, thumbprint } = await issue({ subject: "CN=Bad", ...more });
    expect(blocksIn(pem, NOW)).toMatchObject([{ refused: { reason, certificate: { thumbprint, subject: "CN=Bad" } } }]);
  });

  test("but not because its own key signed it with SHA-1", async () => {
    const old = await issue({ subject: "CN=Old Root", rsa: 2_048, hash: "SHA-1" });
    expect(blocksIn(old.pem, NOW)).toMatchObject([{ authority: { store: "Root" } }]);
  });

  test("while those beside it are taken", async () => {
    const expired = await issue({ subject: "CN=Expired", until: "2026-01-01" });
    const blocks = blocksIn(`${expired.pem}${root.pem}`, NOW);
    expect(blocks.map(({ authority }) => authority?.thumbprint)).toEqual([undefined, root.thumbprint]);
  });
});

describe("A block is refused", () => {
  test("that is a key", () => {
    expect(reasonOf("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")).toBe(
      "a PEM block is a PRIVATE KEY, not a CERTIFICATE",
    );
  });

  test("that holds no certificate", () => {
    expect(reasonOf("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")).toBe(
      "a PEM block cannot be read as a certificate",
    );
  });

  test("that is cut off, before a whole one", () => {
    const blocks = blocksIn(`${root.pem.slice(0, 200)}\n${between.pem}`, NOW);
    expect(blocks).toMatchObject([
      { authority: { thumbprint: between.thumbprint } },
      { refused: { reason: "a PEM block is cut off", certificate: null } },
    ]);
  });
});

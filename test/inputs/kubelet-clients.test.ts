import { expect, test } from "vitest";
import { sha256 } from "../../lambdas/cluster/authorities.ts";
import { kubeletClientsInput, publishedBundle } from "../../lambdas/inputs/kubelet-clients.ts";
import { configurationWith } from "../profiles/okd/facts.ts";
import { issue } from "./trust/issuing.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");
const OBJECT = "ControllerConfig machine-config-controller";

const published = (pem: string) => [[{ spec: { kubeAPIServerServingCAData: Buffer.from(pem).toString("base64") } }]];
const contentOf = (found: readonly (readonly unknown[])[], given: readonly object[] = []) =>
  kubeletClientsInput.content(found, {
    configuration: configurationWith(),
    given: given as never,
    now: NOW,
    isRequested: false,
    accepted: [],
    images: null,
    payload: null,
  });

test("The content is the published bundle, in the kubelet's file", async () => {
  const { pem } = await issue({ subject: "CN=signer" });
  const content = contentOf(published(pem));
  if (typeof content === "string") throw new Error("it needs no further fact");
  expect(content).toEqual({
    sha256: sha256(pem),
    files: [{ path: expect.stringMatching(/^C:\\k\\.*ca.*\.crt$/), text: pem }],
    authorities: [{ subject: "CN=signer", fingerprint: expect.any(String), notAfter: expect.any(String) }],
  });
  expect(kubeletClientsInput.identityOf(content.files)).toBe(sha256(pem));
  expect(kubeletClientsInput.identityOf([])).toBe(sha256(""));
  expect(kubeletClientsInput.actions(content, undefined)).toMatchObject([{ do: "file", path: content.files[0]?.path }]);
  expect(kubeletClientsInput.comparedFile(configurationWith())).toBe(content.files[0]?.path);
});

test("A bundle with fewer authorities than nodes have is refused, with the first that is missing", async () => {
  const [old, fresh] = [await issue({ subject: "CN=old" }), await issue({ subject: "CN=fresh" })];
  const both = contentOf(published(`${old.pem}\n${fresh.pem}`));
  if (typeof both === "string") throw new Error("it needs no further fact");
  const given = [{ authorities: both.authorities }, {}];
  expect(() => contentOf(published(fresh.pem), given)).toThrow(
    `${OBJECT} holds fewer authorities than nodes were given: CN=old, valid until 2045-01-01T00:00:00.000Z, is missing, so no node was changed`,
  );
  expect(contentOf(published(`${old.pem}\n${fresh.pem}`), given)).toEqual(both);
});

test.each([[[]], [[[]]], [[[{}]]], [[[{ spec: {} }]]], [[[{ spec: { kubeAPIServerServingCAData: "" } }]]]])(
  "The objects %j hold no certificate, so no node is changed",
  (found) => {
    expect(() => contentOf(found)).toThrow(
      `${OBJECT}, spec.kubeAPIServerServingCAData, holds no certificate, so no node was changed`,
    );
    expect(publishedBundle(found[0]?.[0])).toBe("");
  },
);

test("The input is always applied, keeps no file, and is never without content", () => {
  const content = { sha256: "x", files: [] };
  expect(kubeletClientsInput.reads(configurationWith())).toMatchObject([{ plural: "controllerconfigs" }]);
  expect([kubeletClientsInput.keeps(content, "C:\\k\\x"), kubeletClientsInput.isWithout(content)]).toEqual([
    false,
    false,
  ]);
});

import { expect, test } from "vitest";
import {
  mirrorsMessage,
  registryMessage,
  type ShownRegistry,
  unknownRegistry,
} from "../../lambdas/capabilities/mirrors/mirrors-message.ts";
import type { FailedRenewal } from "../../lambdas/inputs/mirrors/failed-renewals.ts";
import { readBlocks } from "../journeys/reading.ts";

const NOW = "2026-11-21T14:10:00.000Z";

const registry = (more: Partial<ShownRegistry> = {}): ShownRegistry => ({
  registry: "quay.io",
  folder: "quay.io",
  text: 'server = "https://quay.io"\n\n[host."https://mirror.example.com"]\n  capabilities = ["pull"]\n',
  sha256: "00",
  credentials: [],
  signsIn: false,
  forbidsSource: false,
  isUnencrypted: false,
  sources: [{ source: "quay.io/shop", objects: ["ImageTagMirrorSet shop"] } as never],
  path: "C:\\k\\hosts.toml",
  without: [],
  question: null,
  notRenewed: [],
  ...more,
});

const facts = {
  inexpressible: [],
  unused: [],
  unusedCredentials: [],
  unenforced: { blocked: [], allowed: [] },
  widened: [],
  renewals: [],
  nodes: 3,
  at: NOW,
};

const failed: FailedRenewal = { node: "web-1", kind: "disabled", why: "", since: "2026-11-21T13:10:00.000Z" };
const LAST = "`{win} mirrors &lt;registry&gt;` shows its file · `{win} reconcile` writes it now";

const lineOf = (more: Partial<ShownRegistry>, nodes = 3): string =>
  readBlocks(mirrorsMessage({ ...facts, registries: [registry(more)], nodes }).blocks).split("\n")[1] ?? "";

test("A cluster without mirror sets is called so", () => {
  const { text, blocks } = mirrorsMessage({ ...facts, registries: [] });
  expect(text).toBe("The cluster has no mirror set: Windows nodes pull from every registry directly.");
  expect(readBlocks(blocks)).toBe(`*Registry mirrors*: ${text}\n${LAST}`);
});

test("Registries and managed nodes are counted", () => {
  expect(mirrorsMessage({ ...facts, registries: [registry()], nodes: 1 }).text).toBe(
    "1 registry with mirrors, 1 managed Windows node.",
  );
  expect(mirrorsMessage({ ...facts, registries: [registry(), registry()] }).text).toBe(
    "2 registries with mirrors, 3 managed Windows nodes.",
  );
});

test.each<[Partial<ShownRegistry>, number, string]>([
  [{}, 3, "✅ `quay.io` → `mirror.example.com`, then the registry itself · on all 3 nodes"],
  [{}, 1, "✅ `quay.io` → `mirror.example.com`, then the registry itself · on the node"],
  [{}, 0, "✅ `quay.io` → `mirror.example.com`, then the registry itself · no node to write it to"],
  [
    { without: ["web-1"], forbidsSource: true },
    3,
    "⏳ `quay.io` → `mirror.example.com`, never the registry itself · on 2 of 3 nodes; not yet on `web-1`",
  ],
  [
    { without: ["a", "b", "c", "d", "e", "f"] },
    6,
    "⏳ `quay.io` → `mirror.example.com`, then the registry itself · on 0 of 6 nodes; not yet on `a`, `b`, `c`, `d`, `e` and 1 more",
  ],
  [
    { without: ["web-1"], question: "May it?" },
    3,
    "❓ `quay.io` → `mirror.example.com`, then the registry itself · not written before the question below is answered",
  ],
  [
    { credentials: ["mirror.example.com"], isUnencrypted: true },
    3,
    "✅ `quay.io` → `mirror.example.com`, then the registry itself · with credentials for `mirror.example.com` · ⚠️ unencrypted · on all 3 nodes",
  ],
  [
    { notRenewed: [failed] },
    3,
    "⚠️ `quay.io` → `mirror.example.com`, then the registry itself · on all 3 nodes · password of ECR not renewed on `web-1`",
  ],
])("A registry is one line: %j on %i nodes", (more, nodes, words) => {
  expect(lineOf(more, nodes)).toBe(words);
});

test("What is not as the cluster wants it follows the registries, a line each", () => {
  const fault = {
    object: "ImageTagMirrorSet shop",
    source: "quay.io/shop",
    mirror: null,
    reason: "tag",
    registry: null,
  };
  const unused = { object: "ImageTagMirrorSet shop", source: "quay.io/shop", mirror: "m.example.com/shop" };
  const { blocks } = mirrorsMessage({
    ...facts,
    registries: [registry({ question: "May nodes forbid it?" })],
    renewals: [failed],
    inexpressible: [fault as never],
    unused: [unused as never],
    unusedCredentials: ["old.example.com"],
    unenforced: { blocked: ["bad.example.com"], allowed: ["good.example.com"] },
  });
  expect(readBlocks(blocks).split("\n").slice(2)).toEqual([
    "⚠️ `web-1`, for 60m: The task `Casement registries` is disabled: pulls through ECR fail twelve hours after the last renewal. *Next:* enable the task on the machine, which then renews the password within ten minutes.",
    "❓ May nodes forbid it?",
    "⚠️ ImageTagMirrorSet shop: quay.io/shop cannot be expressed for containerd: it has a tag, but containerd's mirrors hold for a whole registry.",
    "⚠️ ImageTagMirrorSet shop: m.example.com/shop, mirror of quay.io/shop, is left out, because another mirror set forbids it.",
    "⚠️ No node uses the credentials of `old.example.com`: no mirror set names the registry, or it is insecure.",
    "⚠️ The cluster's blocked registries do not hold on Windows nodes: `bad.example.com`.",
    "⚠️ The cluster's allowed registries do not hold on Windows nodes: `good.example.com`.",
    LAST,
  ]);
});

test("Thirty registries are shown at most, and the others are counted", () => {
  const registries = Array.from({ length: 33 }, (_, at) => registry({ registry: `r${at}.example.com` }));
  const words = readBlocks(mirrorsMessage({ ...facts, registries }).blocks);
  expect(words).toContain("`r29.example.com`");
  expect(words).not.toContain("`r30.example.com`");
  expect(words).toContain("and 3 more registries");
});

test("One registry is shown with its objects, its faults and its file", () => {
  const { text, blocks } = registryMessage("quay.io", {
    shown: registry({ question: "May nodes forbid it?", notRenewed: [failed] }),
    faults: [
      {
        object: "ImageTagMirrorSet a",
        source: "quay.io/a",
        mirror: "m/a",
        reason: "path",
        registry: "quay.io",
      } as never,
    ],
    widened: [
      { registry: "quay.io", mirror: "m.example.com", sources: ["quay.io/shop"], pulls: "digest" } as never,
      { registry: "other.io", mirror: "x.example.com", sources: ["other.io/x"], pulls: "all" } as never,
    ],
    nodes: 3,
    at: NOW,
  });
  expect(text).toBe("Mirrors of quay.io");
  const lines = readBlocks(blocks).split("\n");
  expect(lines[0]).toBe("*Mirrors of `quay.io`*");
  expect(lines.slice(3, 7)).toEqual([
    "❓ May nodes forbid it?",
    "From `ImageTagMirrorSet shop`.",
    "containerd knows registries, not repositories: `m.example.com`, mirror of `quay.io/shop`, also serves every other image of the registry that is pulled by digest.",
    "⚠️ ImageTagMirrorSet a: m/a, mirror of quay.io/a cannot be expressed for containerd: it does not end in the source's path, which containerd always appends. Nodes keep the file of quay.io if they have one.",
  ]);
  expect(lines.at(-1)).toBe("`C:\\k\\hosts.toml`");
  expect(readBlocks(blocks)).toContain('server = "https://quay.io"');
  expect(readBlocks(blocks)).not.toContain("x.example.com");
});

test("A registry without mirrors is shown by its faults alone, and one that no set names is called so", () => {
  const { blocks } = registryMessage("quay.io", { shown: undefined, faults: [], widened: [], nodes: 3, at: NOW });
  expect(readBlocks(blocks)).toBe("*Mirrors of `quay.io`*");
  expect(unknownRegistry("quay.io")).toBe(
    "No mirror set concerns `quay.io`: Windows nodes pull from it directly. `{win} mirrors` lists all registries.",
  );
});

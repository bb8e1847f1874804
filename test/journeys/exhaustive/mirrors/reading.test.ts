import { afterEach, expect, test } from "vitest";
import { expectSound } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { look } from "../../looking.ts";
import {
  createSet,
  deleteSet,
  filesOn,
  nodes,
  paged,
  type Replacement,
  reconciles,
  replaceAnswers,
  said,
  startMirroring,
} from "../../mirroring.ts";
import { kubectl } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { openly, privately } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const quay = { source: "quay.io/team", mirrors: ["mirror.example.com/team"] };
const hub = { source: "docker.io", mirrors: ["mirror.example.com/hub"] };
const files = () => nodes.map((node) => filesOn(here, node));
const updated = (times: number) => here.until(() => said(here, "3 nodes updated") >= times, 40, "the change");

/** A cluster whose nodes have the files of two sets. */
async function startWithFiles(): Promise<void> {
  here = await startMirroring();
  await createSet(here, "digest", "team", quay);
  await createSet(here, "tag", "hub", hub);
  await updated(1);
}

const TAGS = "/apis/config.openshift.io/v1/imagetagmirrorsets";
const list = (items: readonly object[], metadata: object) => ({
  status: 200,
  body: { kind: "ImageTagMirrorSetList", apiVersion: "config.openshift.io/v1", metadata, items },
});
const failure = (code: number, reason: string) => ({
  status: code,
  body: { kind: "Status", apiVersion: "v1", status: "Failure", reason, code, message: reason },
});
const gone = "cannot be kept up to date";

const unreadable: readonly (readonly [string, Replacement, RegExp])[] = [
  [
    "lacks a kind",
    (url) => (url.startsWith(TAGS) ? failure(404, "NotFound") : undefined),
    /the cluster has no kind ImageTagMirrorSet, so no node was changed/,
  ],
  [
    "answers with a list that was cut",
    (url) => (url.startsWith(TAGS) ? list([], { remainingItemCount: 4 }) : undefined),
    /the list of ImageTagMirrorSet is incomplete, so no node was changed/,
  ],
  [
    "answers with something else than a list",
    (url) => (url.startsWith(TAGS) ? { status: 200, body: { kind: "Status", status: "Success" } } : undefined),
    /the list of ImageTagMirrorSet is incomplete, so no node was changed/,
  ],
  [
    "has a set whose mirrors are no list",
    (url) =>
      url.startsWith(TAGS)
        ? list([{ metadata: { name: "hub" }, spec: { imageTagMirrors: { source: "docker.io" } } }], {})
        : undefined,
    /ImageTagMirrorSet\/hub: spec\.imageTagMirrors: /,
  ],
];

test.for(unreadable)(
  "a cluster that %s changes no machine and pages once; readable again is said",
  async ([, replacement, why]) => {
    await startWithFiles();
    const before = files();
    const end = replaceAnswers(here, replacement);
    // Another set is edited meanwhile.
    await deleteSet(here, "digest", "team");
    await here.pass(31);
    expect(files()).toEqual(before);
    expect(await reconciles(here)).toHaveLength(1);
    expect(openly(here).filter((one) => one.includes(gone))).toEqual([expect.stringMatching(why)]);
    expect(paged(here)).toEqual([expect.stringMatching(why)]);
    const answer = (await look(here, "/win mirrors")).said;
    expect(answer).toMatch(why);
    end();
    await updated(2);
    expect(said(here, "Registry mirrors are kept up to date again")).toBe(1);
    expect(files().map(Object.keys)).toEqual(nodes.map(() => ["docker.io\\hosts.toml"]));
  },
);

test("a list that expires in the middle is read again from its beginning", async () => {
  await startWithFiles();
  let pages = 0;
  replaceAnswers(here, (url) => {
    if (!url.startsWith(TAGS)) return undefined;
    pages += 1;
    if (pages === 1) return list([], { continue: "next", remainingItemCount: 1 });
    return pages === 2 ? failure(410, "Expired") : undefined;
  });
  await here.pass(11);
  expect(pages).toBeGreaterThan(2);
  expect(files().map((one) => Object.keys(one).length)).toEqual([2, 2, 2]);
  expect(await reconciles(here)).toHaveLength(1);
  expect(paged(here)).toEqual([]);
});

test("an API server that answers 503 for half an hour changes nothing and is not reported as a fault of mirrors", async () => {
  await startWithFiles();
  const before = files();
  const away = injectFault(here, "kubernetes-5xx");
  await here.pass(31);
  expect(files()).toEqual(before);
  expect(await reconciles(here)).toHaveLength(1);
  expect(openly(here).filter((one) => one.includes(gone))).toEqual([]);
  endFault(here, away);
  await deleteSet(here, "tag", "hub");
  await updated(2);
  expect(files().map(Object.keys)).toEqual(nodes.map(() => ["quay.io\\hosts.toml"]));
});

const ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles";

test("a right to read sets that is taken away is named once with the way to give it back", async () => {
  await startWithFiles();
  const roles = here.simulator.kubernetes
    .objects("clusterroles", "rbac.authorization.k8s.io")
    .filter(({ metadata }) => metadata.name.startsWith("casement-"));
  for (const role of roles) {
    const { rules } = role as unknown as { rules: readonly { readonly resources?: readonly string[] }[] };
    const kept = rules.filter(({ resources = [] }) => !resources.includes("imagetagmirrorsets"));
    await kubectl(here, "PATCH", `${ROLES}/${role.metadata.name}`, { rules: kept });
  }
  await deleteSet(here, "tag", "hub");
  await here.pass(21);
  const why = /not allowed to read Image\w+: apply the manifest/;
  expect(openly(here).filter((one) => one.includes(gone))).toEqual([expect.stringMatching(why)]);
  expect(paged(here).filter((one) => why.test(one))).toHaveLength(1);
  expect(await reconciles(here)).toHaveLength(1);
  for (const role of roles) {
    const { rules } = role as unknown as { rules: object };
    await kubectl(here, "PATCH", `${ROLES}/${role.metadata.name}`, { rules });
  }
  await updated(2);
  expect(said(here, "Registry mirrors are kept up to date again")).toBe(1);
});

test("all sets deleted at once change nothing until a person asks; then the files go", async () => {
  await startWithFiles();
  const before = files();
  await deleteSet(here, "digest", "team");
  await deleteSet(here, "tag", "hub");
  await here.pass(21);
  const why = /no mirror set any more, but nodes have the files of 2 registries.*\/win reconcile removes them/;
  expect(files()).toEqual(before);
  expect(openly(here).filter((one) => one.includes(gone))).toEqual([expect.stringMatching(why)]);
  expect(paged(here)).toEqual([expect.stringMatching(why)]);
  await here.type("operator", "/win reconcile --dry-run");
  await here.pass(2);
  expect(privately(here, "operator").join("\n") + openly(here).join("\n")).toContain("3 nodes would be changed");
  expect(files()).toEqual(before);
  await here.type("operator", "/win reconcile");
  await updated(2);
  expect(files()).toEqual([{}, {}, {}]);
  await here.pass(11);
  expect(said(here, "Registry mirrors are kept up to date again")).toBe(1);
  expect(paged(here)).toHaveLength(1);
  await expectSound(here);
});

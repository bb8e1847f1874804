import { afterEach, expect, test } from "vitest";
import { issue } from "../../../inputs/trust/issuing.ts";
import { expectSound } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { look } from "../../looking.ts";
import { nodes, paged, replaceAnswers, said } from "../../mirroring.ts";
import { kubectl } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { openly } from "../../reading.ts";
import {
  bundlePath,
  createMap,
  given,
  nameBundle,
  nameRegistries,
  startTrusting,
  trustedEverywhere,
  trustOnly,
  trustOperations,
  trustThese,
} from "../../trusting.ts";

let here: Journey;
afterEach(() => here.close());

const root = await issue({ subject: "CN=Test Root" });
const other = await issue({ subject: "CN=Test Other" });

const IMAGE = "/apis/config.openshift.io/v1/images/cluster";
const gone = "Trusted authorities cannot be kept up to date";
/** Calls about authorities: an object that several inputs read is named for each of them. */
const pagedAbout = () => paged(here).filter((one) => one.includes(gone));
const everywhere = (...names: readonly string[]) => nodes.map(() => names);

/** A cluster whose nodes have two roots. */
async function startWithRoots(): Promise<void> {
  here = await startTrusting();
  await trustThese(here, root, other);
  await given(here, 1);
}

/** Has the API server refuse to show an object. @returns the way back */
const forbid = async (path: string) => {
  const body = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", code: 403, message: "no" };
  return replaceAnswers(here, (url) => (url.startsWith(path) ? { status: 403, body } : undefined));
};

const unreadable: readonly (readonly [string, () => Promise<() => unknown>, RegExp])[] = [
  [
    "may not read the ConfigMap of the bundle",
    () => forbid(bundlePath),
    /Casement is not allowed to read ConfigMap openshift-config\/user-ca-bundle: apply the manifest/,
  ],
  [
    "may not read the Image configuration",
    () => forbid(IMAGE),
    /Casement is not allowed to read Image cluster: apply the manifest/,
  ],
  [
    "finds no ConfigMap of the name that the Proxy has",
    async () => {
      await nameBundle(here, "renamed");
      return () => nameBundle(here);
    },
    /no ConfigMap openshift-config\/renamed, which spec\.trustedCA of Proxy cluster names, so no node was changed/,
  ],
  [
    "finds no ConfigMap of the name that the Image configuration has",
    async () => {
      await nameRegistries(here, "registries");
      return () => createMap(here, "registries", {});
    },
    /no ConfigMap openshift-config\/registries, which spec\.additionalTrustedCA of Image cluster names/,
  ],
  [
    "finds no bundle in the ConfigMap",
    async () => {
      await createMap(here, "keyless", { "ca.crt": root.pem });
      await nameBundle(here, "keyless");
      return () => nameBundle(here);
    },
    /ConfigMap openshift-config\/keyless, .*, has no key ca-bundle\.crt, so no node was changed/,
  ],
];

test.for(unreadable)(
  "a schedule that %s changes no machine and pages once; readable again is said",
  async ([, begin, why]) => {
    await startWithRoots();
    const end = await begin();
    // The bundle is edited meanwhile.
    await trustOnly(here, other);
    await here.pass(31);
    expect(trustedEverywhere(here)).toEqual(everywhere("Root Other", "Root Root"));
    expect(await trustOperations(here)).toHaveLength(1);
    expect(openly(here).filter((one) => one.includes(gone))).toEqual([expect.stringMatching(why)]);
    expect(pagedAbout()).toEqual([expect.stringMatching(why)]);
    expect((await look(here, "/win authorities")).said).toMatch(why);
    await end();
    await given(here, 2);
    expect(said(here, "Trusted authorities are kept up to date again")).toBe(1);
    expect(trustedEverywhere(here)).toEqual(everywhere("Root Other"));
    expect(pagedAbout()).toHaveLength(1);
  },
);

test("an API server that answers 503 for half an hour takes no authority from a node, and nobody is paged", async () => {
  await startWithRoots();
  const away = injectFault(here, "kubernetes-5xx");
  await here.pass(31);
  expect(trustedEverywhere(here)).toEqual(everywhere("Root Other", "Root Root"));
  expect(said(here, gone)).toBe(0);
  endFault(here, away);
  await trustOnly(here, root);
  await given(here, 2);
  expect(trustedEverywhere(here)).toEqual(everywhere("Root Root"));
});

test("a Proxy that names no bundle any more changes no machine until a person asks; then the authorities go", async () => {
  await startWithRoots();
  await nameBundle(here, "");
  await here.pass(21);
  const why =
    /names no trusted authority any more, but nodes have 2, so no node was changed.*\/win reconcile removes them/;
  expect(trustedEverywhere(here)).toEqual(everywhere("Root Other", "Root Root"));
  expect(openly(here).filter((one) => one.includes(gone))).toEqual([expect.stringMatching(why)]);
  expect(pagedAbout()).toEqual([expect.stringMatching(why)]);
  await here.type("operator", "/win reconcile");
  await given(here, 2);
  expect(trustedEverywhere(here)).toEqual(everywhere());
  await here.pass(11);
  expect(said(here, "Trusted authorities are kept up to date again")).toBe(1);
  await expectSound(here);
});

test("a deleted ConfigMap keeps the authorities on nodes even when a person reconciles", async () => {
  await startWithRoots();
  await kubectl(here, "DELETE", bundlePath);
  await here.type("operator", "/win reconcile");
  await here.pass(11);
  expect(trustedEverywhere(here)).toEqual(everywhere("Root Other", "Root Root"));
  expect(pagedAbout()).toEqual([expect.stringMatching(/no ConfigMap openshift-config\/user-ca-bundle/)]);
});

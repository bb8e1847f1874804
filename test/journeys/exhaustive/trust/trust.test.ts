import { afterEach, expect, test } from "vitest";
import { issue } from "../../../inputs/trust/issuing.ts";
import { expectSound } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { look } from "../../looking.ts";
import { commandsOf, nodes, paged } from "../../mirroring.ts";
import { edge, web } from "../../others.ts";
import { openly } from "../../reading.ts";
import {
  addByHand,
  createMap,
  given,
  nameRegistries,
  startTrusting,
  trustedEverywhere,
  trustedOn,
  trustOnly,
  trustOperations,
  trustThese,
} from "../../trusting.ts";

let here: Journey;
afterEach(() => here.close());

const root = await issue({ subject: "CN=Test Root" });
const other = await issue({ subject: "CN=Test Other" });
const between = await issue({ subject: "CN=Test Issuing", by: root });

const DAY_MS = 24 * 3_600_000;

const everywhere = (...names: readonly string[]) => nodes.map(() => names);

test("authorities reach every node that Casement manages, one node first, each in its store, without a reboot", async () => {
  here = await startTrusting();
  await trustThese(here, root, between);
  await given(here, 1);
  expect(trustedEverywhere(here)).toEqual(everywhere("CA Issuing", "Root Root"));
  expect(trustedOn(here, edge)).toEqual([]);
  const [operation, ...others] = await trustOperations(here);
  expect(others).toEqual([]);
  expect(operation).toMatchObject({ status: "succeeded", origin: { by: "rule", rule: "trust" } });
  expect(commandsOf(here, operation?.id ?? "")).toEqual([1, 2]);
  await here.pass(21);
  expect(await trustOperations(here)).toHaveLength(1);
  const { said } = await look(here, "/win authorities");
  expect(said).toContain("CN=Test Root");
  expect(said.match(/on all 3 nodes/g)).toHaveLength(2);
  expect(paged(here)).toEqual([]);
  await expectSound(here);
});

test("an authority that the bundle drops leaves the nodes, unless another place names it", async () => {
  here = await startTrusting();
  await trustThese(here, root, other);
  await createMap(here, "registries", { "reg.example.com..5000": root.pem });
  await nameRegistries(here, "registries");
  await given(here, 1);
  await trustOnly(here, between);
  await given(here, 2);
  expect(trustedEverywhere(here)).toEqual(everywhere("CA Issuing", "Root Root"));
  expect((await look(here, "/win authorities")).said).toContain("Image cluster, reg.example.com:5000");
  await expectSound(here);
});

test("an authority that a machine had before stays when the cluster drops it", async () => {
  here = await startTrusting();
  addByHand(here, web, root);
  await trustThese(here, root, other);
  await given(here, 1);
  await trustOnly(here, other);
  await given(here, 2);
  expect(trustedEverywhere(here)).toEqual([["Root Other", "Root Root"], ["Root Other"], ["Root Other"]]);
  await expectSound(here);
});

test("refused certificates are named once with their reason, and the others go on", async () => {
  const expired = await issue({ subject: "CN=Test Expired", until: "2026-11-20" });
  const weak = await issue({ subject: "CN=Test Weak", rsa: 1_024 });
  const server = await issue({ subject: "CN=Test Server", isAuthority: false });
  here = await startTrusting();
  await trustThese(here, expired, weak, server, root);
  await given(here, 1);
  expect(trustedEverywhere(here)).toEqual(everywhere("Root Root"));
  await here.pass(11);
  const remarks = openly(here).filter((one) => one.includes("is not given to nodes"));
  expect(remarks).toHaveLength(1);
  for (const why of [
    "CN=Test Expired is not given to nodes: it expired at <!date",
    "CN=Test Weak is not given to nodes: its RSA key has 1024 bits",
    "CN=Test Server is not given to nodes: it is not the certificate of an authority",
  ])
    expect(remarks[0]).toContain(why);
  for (const command of ["/win authorities", "/win doctor"])
    expect((await look(here, command)).said).toContain("CN=Test Weak is not given to nodes");
  expect(paged(here)).toEqual([]);
});

test("an authority that expires is named once for each of 30, 14 and 3 days that are left", async () => {
  here = await startTrusting();
  const until = new Date(Date.now() + 14 * DAY_MS + 15 * 60_000).toISOString();
  const soon = await issue({ subject: "CN=Test Soon", until });
  await trustThese(here, soon, root);
  const reminders = (days: number) =>
    openly(here).filter((one) => one.includes("CN=Test Soon expires at") && one.includes(`within ${days} days: `));
  await given(here, 1);
  await here.pass(11);
  expect([30, 14].map((days) => reminders(days).length)).toEqual([1, 0]);
  await here.pass(21);
  expect([30, 14].map((days) => reminders(days).length)).toEqual([1, 1]);
  expect(reminders(14)[0]).toContain("Add its successor to ConfigMap openshift-config/user-ca-bundle of Proxy cluster");
  expect(paged(here)).toEqual([]);
});

test("an authority that has expired stays on the nodes that have it until the bundle drops it", async () => {
  here = await startTrusting();
  const soon = await issue({ subject: "CN=Test Soon", until: new Date(Date.now() + 12 * 60_000).toISOString() });
  await trustThese(here, soon, root);
  await given(here, 1);
  await here.pass(21);
  expect((await look(here, "/win authorities")).said).toContain("CN=Test Soon is not given to nodes: it expired at");
  expect(trustedEverywhere(here)).toEqual(everywhere("Root Root", "Root Soon"));
  await trustOnly(here, root);
  await given(here, 2);
  expect(trustedEverywhere(here)).toEqual(everywhere("Root Root"));
  await expectSound(here);
});

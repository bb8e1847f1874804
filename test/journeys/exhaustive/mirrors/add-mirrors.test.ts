import { afterEach, expect, test } from "vitest";
import { expectSound, newest, settled } from "../../evidence.ts";
import { asked as askedPeople, impatient, launchedId } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { look } from "../../looking.ts";
import { asked, commandsOf, createSet, editSet, fileFor, reconciles, replaceAnswers } from "../../mirroring.ts";
import { podOn, running } from "../../others.ts";

let here: Journey;
afterEach(() => here.close());

const never = {
  source: "quay.io/team",
  mirrors: ["mirror.example.com/team"],
  mirrorSourcePolicy: "NeverContactSource",
} as const;

const machine = () => here.simulator.machines.describe(launchedId(here));
const hasFile = () => machine()?.files.some(({ path }) => path === fileFor("quay.io")) ?? false;
const containerd = () => machine()?.services.find(({ name }) => name === "containerd")?.state ?? "missing";

test("a new node has the files before its containerd starts, and its first pull asks the mirror", async () => {
  here = await startJourney();
  await createSet(here, "tag", "team", never);
  await here.type("operator", "/win add web");
  await here.until(hasFile, 60, "the file");
  expect(containerd()).not.toBe("Running");
  await settled(here);
  const { operation, nodes } = await newest(here);
  expect(operation.status).toBe("succeeded");
  const [{ nodeName, instanceId } = { nodeName: null, instanceId: null }] = nodes;
  const node = { name: nodeName ?? "", instanceId: instanceId ?? "" };
  here.simulator.kubernetes.create(
    podOn(node, "tool", { spec: { containers: [{ name: "tool", image: "quay.io/team/tool:1" }] } }),
  );
  await here.until(() => running(here, "tool") === 1, 3, "the pod");
  expect(new Set(asked(here, "mirror.example.com"))).toEqual(new Set([instanceId]));
  expect(asked(here, "quay.io")).toEqual([]);
  expect((await look(here, "/win mirrors")).said).toContain("on the node");
  // Its record says what it has: no tick writes it again.
  await here.pass(11);
  expect(await reconciles(here)).toEqual([]);
  await expectSound(here);
});

test("a node that joins while the set changes gets the newest files from the schedule", async () => {
  here = await startJourney();
  await createSet(here, "tag", "team", never);
  await here.type("operator", "/win add web");
  await here.until(hasFile, 60, "the file");
  await editSet(here, "tag", "team", { ...never, mirrors: ["mirror.example.com/new/team"] });
  await settled(here);
  expect((await newest(here)).operation.status).toBe("succeeded");
  await here.until(async () => (await reconciles(here))[0]?.status === "succeeded", 20, "the schedule's change");
  expect(commandsOf(here, (await reconciles(here))[0]?.id ?? "")).toEqual([1]);
  expect((await look(here, "/win mirrors")).said).toMatch(/mirror\.example\.com\/new`.* on the node/);
});

const TAGS = "/apis/config.openshift.io/v1/imagetagmirrorsets";
const notFound = {
  status: 404,
  body: { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404 },
};

test.for([
  [
    "cannot be read",
    async () => {
      replaceAnswers(here, (url) => (url.startsWith(TAGS) ? notFound : undefined));
    },
    /the cluster has no kind ImageTagMirrorSet, so the new machine did not join/,
  ],
  [
    "forbid a registry in a way that containerd cannot express",
    () => createSet(here, "tag", "team", { ...never, mirrors: ["mirror.example.com/elsewhere"] }),
    /quay\.io/,
  ],
] as const)("while mirror sets %s, no node is made, and the failure says why", async ([, happens, why]) => {
  here = await startJourney({ configuration: impatient });
  await happens();
  await here.type("operator", "/win add web");
  const { failure, nodeName } = await askedPeople(here);
  expect(failure?.why).toMatch(why);
  expect(containerd()).not.toBe("Running");
  expect(here.simulator.kubernetes.objects("nodes").some(({ metadata }) => metadata.name === nodeName)).toBe(false);
  await here.press("operator", "terminate-instance");
  await settled(here);
  await expectSound(here);
});

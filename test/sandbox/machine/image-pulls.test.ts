import { afterEach, beforeEach, expect, test } from "vitest";
import { directory, textFile } from "../../../lambdas/machine/actions.ts";
import { at, type KubeObject } from "../../../lib/sandbox/kubernetes/model/object.ts";
import type { Pod } from "../../../lib/sandbox/kubernetes/model/shapes.ts";
import { type ClusterFixture, clusterFixture, joined } from "./cluster-fixture.ts";
import { instance, minutes } from "./fixture.ts";

const facts = instance(1);
const IMAGE = "src.example/team/app:v1";
const REGISTRIES = "C:\\k\\containerd\\registries";

let here: ClusterFixture;
beforeEach(async () => {
  here = await clusterFixture();
  here.api.attach(here.machines.kubelets);
  await joined(here, facts);
});
afterEach(() => here.simulation.store.close());

/** Writes a hosts.toml onto the machine. */
async function mirrored(folder: string, content: string): Promise<void> {
  const path = `${REGISTRIES}\\${folder}`;
  await here.apply(facts.instanceId, [directory(path), textFile(`${path}\\hosts.toml`, content)]);
}

const MIRROR = '[host."https://mirror.example"]\n  capabilities = ["pull", "resolve"]\n';
const NEVER = `server = "https://mirror.example"\n${MIRROR}`;

/** Makes a pod on the node, and lets the kubelet try it for some seconds. */
async function started(container: object = {}, seconds = 23, name = "one"): Promise<Pod> {
  here.api.create({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: {
      nodeName: facts.privateDnsName,
      tolerations: [{ operator: "Exists" }],
      containers: [{ name: "main", image: IMAGE, ...container }],
    },
  } as unknown as KubeObject);
  await here.clock.advance(seconds * 1_000);
  return podNamed(name);
}

const podNamed = (name: string): Pod =>
  here.api.objects("pods").find(({ metadata }) => metadata.name === name) as unknown as Pod;

const waiting = (pod: Pod): unknown => at(pod.status?.containerStatuses?.[0]?.state, "waiting");

/** Events about a pod, as "reason message". */
const told = (name = "one"): string[] =>
  here.api
    .objects("events")
    .filter((event) => at(event, "involvedObject", "name") === name)
    .toSorted((one, other) => Number(one.metadata.resourceVersion) - Number(other.metadata.resourceVersion))
    .map((event) => `${String(at(event, "reason"))} ${String(at(event, "message"))}`);

/** Requests of the node to registries: "HEAD mirror.example 200". */
const asked = (): string[] =>
  here.simulation.calls
    .after(0, "registry")
    .map(({ action, status, error }) => `${action.replace(/https?:\/\/([^/]*).*/, "$1")} ${error ?? status}`);

const fromMirror = ["HEAD", "GET", "GET", "GET"].map((method) => `${method} mirror.example 200`);

test("without a file the image's own registry is asked, and its Events name the pull", async () => {
  expect((await started()).status?.phase).toBe("Running");
  expect(asked()).toEqual(["HEAD", "GET", "GET", "GET"].map((method) => `${method} src.example 200`));
  expect(here.simulation.calls.after(0, "registry")[0]).toMatchObject({
    action: "HEAD https://src.example/v2/team/app/manifests/v1",
    principal: `instance/${facts.instanceId}`,
  });
  expect(told()).toEqual([
    `Pulling Pulling image "${IMAGE}"`,
    expect.stringMatching(
      /^Pulled Successfully pulled image "src.example\/team\/app:v1" in .* Image size: \d+ bytes\.$/,
    ),
    "Started Container started: main",
  ]);
});

test("a declared mirror serves the image, and the source is not asked", async () => {
  here.registries.declare("mirror.example", { repositories: ["team/app"] });
  await mirrored("src.example", MIRROR);
  expect((await started()).status?.phase).toBe("Running");
  expect(asked()).toEqual(fromMirror);
});

test("a mirror that nobody declared does not resolve, and the source serves", async () => {
  await mirrored("src.example", MIRROR);
  expect((await started()).status?.phase).toBe("Running");
  expect(asked().slice(0, 2)).toEqual(["HEAD mirror.example dns", "HEAD src.example 200"]);
});

test("a mirror without the repository answers 404, and the source serves", async () => {
  here.registries.declare("mirror.example", { repositories: ["team/other"] });
  await mirrored("src.example", MIRROR);
  expect((await started()).status?.phase).toBe("Running");
  expect(asked().slice(0, 2)).toEqual(["HEAD mirror.example 404", "HEAD src.example 200"]);
});

test("a forbidden source is not asked: the pod waits in the words of containerd and kubelet, and runs once the mirror is up", async () => {
  here.registries.declare("mirror.example");
  const fault = here.simulation.faults.inject("registry-down", { host: "mirror.example" });
  await mirrored("src.example", NEVER);
  const why = expect.stringContaining(
    'failed to do request: Head "https://mirror.example/v2/team/app/manifests/v1?ns=src.example"',
  );
  expect(waiting(await started())).toEqual({ reason: "ErrImagePull", message: why });
  await here.clock.advance(5_000);
  const message = expect.stringContaining(`Back-off pulling image "${IMAGE}": ErrImagePull: failed to pull and unpack`);
  expect(waiting(podNamed("one"))).toEqual({ reason: "ImagePullBackOff", message });
  expect(told().map((event) => event.slice(0, 40))).toEqual(
    expect.arrayContaining([
      "Failed Error: ErrImagePull",
      `BackOff Back-off pulling image "src.example`.slice(0, 40),
      "Failed Error: ImagePullBackOff",
    ]),
  );
  here.simulation.faults.end(fault?.id ?? "");
  await here.clock.advance(15_000);
  expect(podNamed("one").status?.phase).toBe("Running");
  expect(asked().filter((one) => one.includes("src.example"))).toEqual([]);
});

test("the kubelet waits longer after each failed pull, at most five minutes", async () => {
  here.simulation.faults.inject("registry-denies", { host: "src.example" });
  await started({}, 20 * 60);
  const times = here.simulation.calls.after(0, "registry").map(({ at: time }) => Date.parse(time));
  const waits = times.map((time, index) => Math.round((time - (times[index - 1] ?? time)) / 1_000)).slice(1);
  expect(waits).toEqual([10, 20, 40, 80, 160, 300, 300]);
});

test("a registry that hangs holds the pull until containerd's limit, and nobody else is asked", async () => {
  here.registries.declare("mirror.example");
  here.simulation.faults.inject("registry-hangs", { host: "mirror.example" });
  await mirrored("src.example", MIRROR);
  expect(waiting(await started())).toEqual({ reason: "ContainerCreating" });
  expect(told()).toEqual([`Pulling Pulling image "${IMAGE}"`]);
  await here.clock.advance(minutes(30));
  expect(told().join()).toContain("Failed to pull image");
  expect(new Set(asked())).toEqual(new Set(["HEAD mirror.example hang"]));
});

test("an image that is there is pulled again only with the policy Always, and then by its name alone", async () => {
  await started();
  const before = asked().length;
  await started({ imagePullPolicy: "IfNotPresent" }, 23, "two");
  expect(told("two")[0]).toBe(`Pulled Container image "${IMAGE}" already present on machine`);
  expect(asked()).toHaveLength(before);
  await started({ imagePullPolicy: "Always" }, 23, "three");
  expect(asked().slice(before)).toEqual(["HEAD src.example 200"]);
});

test("Windows' own image is there, and another one is never pulled with the policy Never", async () => {
  const own = { image: "mcr.microsoft.com/windows/servercore:ltsc2022" };
  expect((await started(own)).status?.phase).toBe("Running");
  const reason = "ErrImageNeverPull";
  const message = `Container image "${IMAGE}" is not present with pull policy of Never`;
  expect(waiting(await started({ imagePullPolicy: "Never" }, 23, "two"))).toEqual({ reason, message });
  expect(asked()).toEqual([]);
});

test("an image that no registry has is reported as not found", async () => {
  here.registries.declare("src.example", { repositories: [] });
  const message = expect.stringMatching(/^rpc error: code = NotFound desc = .*: not found$/);
  expect(waiting(await started())).toEqual({ reason: "ErrImagePull", message });
});

test("a damaged file is dropped without a word, and the source is asked", async () => {
  here.registries.declare("mirror.example");
  await mirrored("src.example", `${NEVER}[host."https://mirr`);
  await started();
  expect(asked()[0]).toBe("HEAD src.example 200");
});

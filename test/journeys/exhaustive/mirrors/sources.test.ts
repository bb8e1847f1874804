import { afterEach, expect, test } from "vitest";
import { expectSound } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { look } from "../../looking.ts";
import { createSet, filesOn, nodes, paged, reconciles, said, startMirroring } from "../../mirroring.ts";
import { kubectl } from "../../others.ts";
import { openly, privately } from "../../reading.ts";
import { release } from "../../releases.ts";

let here: Journey;
afterEach(() => here.close());

const quay = { source: "quay.io/team", mirrors: ["mirror.example.com/team"] };
const files = () => nodes.map((node) => Object.keys(filesOn(here, node)).toSorted());
const none = nodes.map(() => []);

/** Starts a cluster whose configuration takes inputs from elsewhere. */
async function startWith(inputs: "none" | "configmap"): Promise<void> {
  here = await startMirroring();
  release(here, { cluster: { ...here.configuration.cluster, inputs } });
}

test("without inputs no machine changes although sets exist, and the commands say what to set", async () => {
  await startWith("none");
  await createSet(here, "tag", "team", quay);
  await here.pass(11);
  const advice =
    "Casement applies no mirror sets and no other settings of the cluster to nodes: set `cluster.inputs` in the configuration to `openshift` or `configmap`";
  await here.type("operator", "/win reconcile");
  await here.pass(1);
  expect([...openly(here), ...privately(here, "operator")].join("\n")).toContain(advice);
  expect((await look(here, "/win mirrors")).said).toContain(advice);
  expect(files()).toEqual(none);
  expect(paged(here)).toEqual([]);
  await expectSound(here);
});

const CONFIG_MAPS = "/api/v1/namespaces/casement/configmaps";
const inputs = (mirrors: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "inputs", namespace: "casement" },
  data: { "mirrors.yaml": mirrors },
});

const good = `---
apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata:
  name: team
spec:
  imageDigestMirrors:
    - source: quay.io/team
      mirrors:
        - mirror.example.com/team
---
apiVersion: config.openshift.io/v1
kind: ImageTagMirrorSet
metadata:
  name: hub
spec:
  imageTagMirrors:
    - source: docker.io
      mirrors: [mirror.example.com/hub]
      mirrorSourcePolicy: NeverContactSource
`;
const BOTH = nodes.map(() => ["docker.io\\hosts.toml", "quay.io\\hosts.toml"]);

test("mirror sets in the ConfigMap reach the nodes, several in one text, and follow its edits", async () => {
  await startWith("configmap");
  await kubectl(here, "POST", CONFIG_MAPS, inputs(good));
  await here.until(() => said(here, "3 nodes updated") === 1, 12, "the change");
  expect(files()).toEqual(BOTH);
  expect((await look(here, "/win mirrors docker.io")).said).toContain("From `ImageTagMirrorSet/hub`.");
  await kubectl(here, "PATCH", `${CONFIG_MAPS}/inputs`, { data: { "mirrors.yaml": good.split("\n---")[0] } });
  await here.until(() => said(here, "3 nodes updated") === 2, 12, "the second change");
  expect(files()).toEqual(nodes.map(() => ["quay.io\\hosts.toml"]));
  await expectSound(here);
});

test.for([
  ["is no YAML", good.replace("spec:", "spec: ["), /ConfigMap casement\/inputs, mirrors\.yaml: line \d+: /],
  [
    "has a misspelt field",
    good.replace("mirrorSourcePolicy", "mirrorSourcePolcy"),
    /line 20: ImageTagMirrorSet\/hub: spec\.imageTagMirrors\.0\.mirrorSourcePolcy: unknown field/,
  ],
  [
    "holds a kind that is no mirror set",
    good.replace("ImageTagMirrorSet", "ConfigMap"),
    /line 13: ConfigMap\/hub: kind: .*is not a mirror set/,
  ],
] as const)("a text that %s changes no machine, and its line is named once", async ([, text, why]) => {
  await startWith("configmap");
  await kubectl(here, "POST", CONFIG_MAPS, inputs(good));
  await here.until(() => said(here, "3 nodes updated") === 1, 12, "the change");
  await kubectl(here, "PATCH", `${CONFIG_MAPS}/inputs`, { data: { "mirrors.yaml": text } });
  await here.pass(16);
  expect(openly(here).filter((one) => one.includes("cannot be kept up to date"))).toEqual([expect.stringMatching(why)]);
  expect(paged(here)).toEqual([expect.stringMatching(why)]);
  expect(files()).toEqual(BOTH);
  expect(await reconciles(here)).toHaveLength(1);
});

test.for([
  [
    "is missing",
    () => kubectl(here, "DELETE", `${CONFIG_MAPS}/inputs`),
    /the cluster has no ConfigMap casement\/inputs, so no node was changed; the trusted authorities and the proxy come/,
  ],
  [
    "has no mirrors any more",
    () => kubectl(here, "PATCH", `${CONFIG_MAPS}/inputs`, { data: { "mirrors.yaml": null } }),
    /no mirror set any more, but nodes have the files of 2 registries/,
  ],
] as const)("a ConfigMap that %s changes no machine, and people are paged once", async ([, lose, why]) => {
  await startWith("configmap");
  await kubectl(here, "POST", CONFIG_MAPS, inputs(good));
  await here.until(() => said(here, "3 nodes updated") === 1, 12, "the change");
  await lose();
  await here.pass(16);
  const once = [expect.stringMatching(why)];
  expect(openly(here).filter((one) => one.includes("cannot be kept up to date"))).toEqual(once);
  expect(paged(here)).toEqual(once);
  expect(files()).toEqual(BOTH);
});

test.for([
  [
    "a tag",
    good.replace("quay.io/team\n", "quay.io/team:1\n"),
    /quay\.io\/team:1 cannot be expressed for containerd: it has a tag/,
  ],
  [
    "a scheme",
    good.replace("- mirror", "- https://mirror"),
    /https:\/\/mirror\.example\.com\/team, mirror of .*: it has a scheme/,
  ],
] as const)(
  "a name with %s, which no API server has refused, is named with its set; the other registries change",
  async ([, text, why]) => {
    await startWith("configmap");
    await kubectl(here, "POST", CONFIG_MAPS, inputs(text));
    await here.until(() => said(here, "3 nodes updated") === 1, 12, "the change");
    expect(files()).toEqual(nodes.map(() => ["docker.io\\hosts.toml"]));
    const remarks = openly(here).filter((one) => one.includes("ImageDigestMirrorSet/team"));
    expect(remarks).toEqual([expect.stringMatching(why)]);
  },
);

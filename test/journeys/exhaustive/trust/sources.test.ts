import { rootCertificates } from "node:tls";
import { afterEach, expect, test } from "vitest";
import { at } from "../../../../lib/sandbox/kubernetes/model/object.ts";
import { issue } from "../../../inputs/trust/issuing.ts";
import { expectSound } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { look } from "../../looking.ts";
import { nodes, paged } from "../../mirroring.ts";
import { kubectl } from "../../others.ts";
import { openly } from "../../reading.ts";
import { release } from "../../releases.ts";
import {
  asked,
  given,
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
const elsewhere = await issue({ subject: "CN=Test Elsewhere" });
const between = await issue({ subject: "CN=Test Issuing", by: root });

const CONFIG_MAPS = "/api/v1/namespaces/casement/configmaps";
const everywhere = (...names: readonly string[]) => nodes.map(() => names);

/** Starts a cluster whose configuration takes inputs from elsewhere; OpenShift's objects name a root all the same. */
async function startWith(inputs: "none" | "configmap", configuration?: object): Promise<void> {
  here = await startTrusting(configuration);
  release(here, { cluster: { ...here.configuration.cluster, inputs } });
  await trustThese(here, elsewhere);
}

const createInputs = (data: Readonly<Record<string, string>>): Promise<void> =>
  kubectl(here, "POST", CONFIG_MAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "inputs", namespace: "casement" },
    data,
  });

const editInputs = (data: Readonly<Record<string, string | null>>): Promise<void> =>
  kubectl(here, "PATCH", `${CONFIG_MAPS}/inputs`, { data });

test("without inputs no machine trusts what OpenShift's objects name", async () => {
  await startWith("none");
  await here.pass(11);
  expect(trustedEverywhere(here)).toEqual(everywhere());
  expect(await trustOperations(here)).toEqual([]);
  expect((await look(here, "/win authorities")).said).toContain("set `cluster.inputs` in the configuration");
  expect(paged(here)).toEqual([]);
  await expectSound(here);
});

test("the bundle of the ConfigMap reaches the nodes, follows its edits, and OpenShift's objects are not read", async () => {
  await startWith("configmap");
  await createInputs({ "ca-bundle.crt": `Example, 2026\n${root.pem}${between.pem}` });
  await given(here, 1);
  expect(trustedEverywhere(here)).toEqual(everywhere("CA Issuing", "Root Root"));
  expect((await look(here, "/win authorities")).said).toContain("ConfigMap casement/inputs, ca-bundle.crt");
  await editInputs({ "ca-bundle.crt": other.pem + between.pem });
  await given(here, 2);
  expect(trustedEverywhere(here)).toEqual(everywhere("CA Issuing", "Root Other"));
  expect(paged(here)).toEqual([]);
  await expectSound(here);
});

test("a new root of the ConfigMap waits for an approval as any other", async () => {
  await startWith("configmap", {});
  await createInputs({ "ca-bundle.crt": root.pem });
  const id = await asked(here);
  expect(openly(here).find((one) => one.includes("[Approve]"))).toContain("ConfigMap casement/inputs, ca-bundle.crt");
  expect(trustedEverywhere(here)).toEqual(everywhere());
  await here.type("approver", `/win approve ${id}`);
  await given(here, 1);
  expect(trustedEverywhere(here)).toEqual(everywhere("Root Root"));
});

test("a bundle with a damaged certificate takes none off nodes until it is mended, and the damage is named once", async () => {
  await startWith("configmap");
  await createInputs({ "ca-bundle.crt": root.pem + other.pem });
  await given(here, 1);
  await editInputs({ "ca-bundle.crt": root.pem + other.pem.replace("-----END CERTIFICATE-----", "") });
  await here.pass(11);
  expect(trustedEverywhere(here)).toEqual(everywhere("Root Other", "Root Root"));
  expect(openly(here).filter((one) => one.includes("a PEM block is cut off"))).toHaveLength(1);
  await editInputs({ "ca-bundle.crt": root.pem });
  await given(here, 2);
  expect(trustedEverywhere(here)).toEqual(everywhere("Root Root"));
});

test("a further damaged certificate is named alone, without the one that was named before", async () => {
  await startWith("configmap");
  const cut = ({ pem }: typeof root) => pem.replace("-----END CERTIFICATE-----", "");
  const weak = await issue({ subject: "CN=Test Past", until: "2026-11-20" });
  await createInputs({ "ca-bundle.crt": root.pem + weak.pem });
  await given(here, 1);
  await editInputs({ "ca-bundle.crt": root.pem + weak.pem + cut(other) });
  await here.pass(11);
  const named = (words: string) => openly(here).filter((one) => one.includes(words));
  expect(named("a PEM block is cut off")).toHaveLength(1);
  expect(named("Test Past")).toHaveLength(1);
});

test("a successor with the same subject and another key is trusted beside its predecessor until that leaves", async () => {
  await startWith("configmap");
  const successor = await issue({ subject: root.subject });
  await createInputs({ "ca-bundle.crt": root.pem });
  await given(here, 1);
  await editInputs({ "ca-bundle.crt": root.pem + successor.pem });
  await given(here, 2);
  expect(trustedEverywhere(here)).toEqual(everywhere("Root Root", "Root Root"));
  await editInputs({ "ca-bundle.crt": successor.pem });
  await given(here, 3);
  expect(trustedEverywhere(here)).toEqual(everywhere("Root Root"));
  const thumbprints = here.simulator.machines.describe(nodes[0]?.instanceId ?? "")?.certificates ?? [];
  expect(thumbprints.map(({ thumbprint }) => thumbprint)).toContain(successor.thumbprint);
  expect(thumbprints.map(({ thumbprint }) => thumbprint)).not.toContain(root.thumbprint);
  await expectSound(here);
});

test("the bundle that the cluster's network operator merges and spreads is never given to a node", async () => {
  here = await startTrusting(undefined, ["network-operator"]);
  const spread = () =>
    here.simulator.kubernetes
      .objects("configmaps")
      .filter(({ metadata }) => metadata.name === "trusted-ca-bundle")
      .map((one) => String(at(one, "data", "ca-bundle.crt")));
  for (const namespace of ["openshift-config", "casement"])
    await kubectl(here, "POST", `/api/v1/namespaces/${namespace}/configmaps`, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: "trusted-ca-bundle",
        namespace,
        labels: { "config.openshift.io/inject-trusted-cabundle": "true" },
      },
    });
  await trustThese(here, root);
  await given(here, 1);
  await here.pass(11);
  expect(spread()).toEqual(Array.from({ length: 3 }, () => expect.stringContaining(root.pem + rootCertificates[0])));
  expect(trustedEverywhere(here)).toEqual(everywhere("Root Root"));
  expect(await trustOperations(here)).toHaveLength(1);
  await trustOnly(here, other);
  await given(here, 2);
  await here.pass(11);
  expect(spread()).toEqual(Array.from({ length: 3 }, () => expect.stringContaining(other.pem + rootCertificates[0])));
  expect(trustedEverywhere(here)).toEqual(everywhere("Root Other"));
  expect(await trustOperations(here)).toHaveLength(2);
  expect(paged(here)).toEqual([]);
  await expectSound(here);
});

test.for([
  [
    "is missing",
    () => kubectl(here, "DELETE", `${CONFIG_MAPS}/inputs`),
    /the cluster has no ConfigMap casement\/inputs, so no node was changed/,
  ],
  [
    "has no bundle any more",
    () => editInputs({ "ca-bundle.crt": null }),
    /names no trusted authority any more, but nodes have one, so no node was changed/,
  ],
] as const)("a ConfigMap that %s takes no authority from a node, and people are paged once", async ([, lose, why]) => {
  await startWith("configmap");
  await createInputs({ "ca-bundle.crt": root.pem });
  await given(here, 1);
  await lose();
  await here.pass(21);
  expect(paged(here)).toHaveLength(1);
  const about = (texts: readonly string[]) => texts.filter((one) => one.includes("rusted authorities"));
  expect(about(openly(here)).filter((one) => one.includes("cannot be kept"))).toEqual([expect.stringMatching(why)]);
  expect(about(paged(here))).toEqual([expect.stringMatching(why)]);
  expect(trustedEverywhere(here)).toEqual(everywhere("Root Root"));
  expect(await trustOperations(here)).toHaveLength(1);
});

import { afterEach, expect, test } from "vitest";
import type { Journey } from "../../journey.ts";
import { createSet, deleteSet, said, startMirroring } from "../../mirroring.ts";
import { batch, kubectl } from "../../others.ts";
import { injectFault } from "../../outside.ts";
import { answerTo, privately } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const report = (): Promise<string> => answerTo(here, "/win doctor");

const quay = { source: "quay.io/team", mirrors: ["mirror.example.com/team"] };

test("a deployment that applies no mirror sets is told how many Windows nodes do not have", async () => {
  here = await startMirroring();
  const { cluster } = here.configuration;
  await here.close();
  here = await startMirroring({ cluster: { ...cluster, inputs: "none" } });
  expect(await report()).toMatch(/all \d\d checks passed \(1 note\)$/m);
  await createSet(here, "digest", "team", quay);
  await createSet(here, "tag", "hub", { source: "docker.io", mirrors: ["mirror.example.com/hub"] });
  const shown = await report();
  expect(shown).toMatch(/all \d\d checks passed \(2 notes\)/);
  expect(shown).toContain("Windows nodes do not have the cluster's 2 mirror sets: `cluster.inputs` is `none`");
  expect(shown).toContain("set `cluster.inputs: openshift` in the configuration");
});

test("a cluster with mirror sets whose configuration names the ConfigMap is told that nodes do not have the sets", async () => {
  here = await startMirroring();
  const { cluster } = here.configuration;
  await here.close();
  here = await startMirroring({ cluster: { ...cluster, inputs: "configmap" } });
  const metadata = { name: "inputs", namespace: "casement" };
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "mirrors.yaml": "" } };
  await kubectl(here, "POST", "/api/v1/namespaces/casement/configmaps", map);
  await createSet(here, "digest", "team", quay);
  expect(await report()).toContain(
    "Windows nodes do not have the cluster's 1 mirror set: `cluster.inputs` is `configmap`",
  );
});

test("what containerd cannot do and what Windows nodes do not enforce is named with its object", async () => {
  here = await startMirroring();
  await kubectl(here, "PATCH", "/apis/config.openshift.io/v1/images/cluster", {
    spec: {
      registrySources: { insecureRegistries: ["plain.example.com:5000"], blockedRegistries: ["bad.example.com"] },
    },
  });
  await createSet(here, "digest", "team", { source: "quay.io/team", mirrors: ["mirror.example.com/other"] });
  const shown = await report();
  expect(shown).toContain("ImageDigestMirrorSet/team: mirror.example.com/other, mirror of quay.io/team cannot be");
  expect(shown).toContain("file of quay.io");
  expect(shown).toMatch(/blocked registries \(`bad\.example\.com`\) do not hold on Windows nodes/);
  expect(shown).toMatch(/Images of `plain\.example\.com:5000` are pulled without a verified certificate/);
});

test("mirror sets that no node may be given are a problem, with the reason", async () => {
  here = await startMirroring();
  await createSet(here, "digest", "team", quay);
  await here.until(() => said(here, "3 nodes updated") === 1, 30, "the files");
  expect(await report()).toMatch(/all \d\d checks passed \(1 note\)$/m);
  await deleteSet(here, "digest", "team");
  expect(await report()).toMatch(
    /mirror sets cannot be read: the cluster has no mirror set any more, .*\/win reconcile/,
  );
});

test("a node that has not had the mirror sets for an hour is named until it has them", async () => {
  here = await startMirroring();
  await here.type("operator", `/win hold ${batch.name} --reason "load test"`);
  await createSet(here, "digest", "team", quay);
  await here.pass(30);
  expect(await report()).not.toContain("mirror sets for more than an hour");
  await here.pass(45);
  expect(await report()).toContain(`\`${batch.name}\` has not had the cluster's mirror sets for more than an hour`);
  await here.type("operator", "/win mirrors");
  await here.pass(1);
  expect(privately(here, "operator").at(-1)).toContain(`on 2 of 3 nodes; not yet on \`${batch.name}\``);
  await here.type("operator", `/win unhold ${batch.name}`);
  await here.pass(10);
  expect(await report()).toMatch(/all \d\d checks passed \(1 note\)$/m);
});

test("mirror sets with which the first node failed are a problem of every node that does not get them", async () => {
  const image = `quay.io/team/tool@sha256:${"0a".repeat(32)}`;
  here = await startMirroring({ probe: { registries: { "quay.io": image } } });
  injectFault(here, "registry-down", { host: "mirror.example.com" });
  await createSet(here, "digest", "team", { ...quay, mirrorSourcePolicy: "NeverContactSource" });
  await here.until(() => said(here, "could not be pulled") > 0, 60, "the failed proof");
  expect(await report()).toMatch(
    /❌ Casement does not write the cluster's mirror sets to .*, because `.*` failed first/,
  );
});

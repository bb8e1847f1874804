import { describe, expect, test } from "vitest";
import type { Configuration } from "../../../lambdas/configuration/configuration.ts";
import { type InputContent, type InputFacts, needsInput, valueFor } from "../../../lambdas/inputs/input.ts";
import { proxyInput } from "../../../lambdas/inputs/proxy/input.ts";
import { variablesIn } from "../../../lambdas/inputs/proxy/variables.ts";
import { type SentInput, sendingInput } from "../../../lambdas/records/machine-record.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

const base = configurationWith();
const configurationOf = (inputs: Configuration["cluster"]["inputs"]): Configuration => ({
  ...base,
  cluster: { ...base.cluster, inputs },
});
const work = { owner: "reconcile-1:0", at: "2026-11-26T03:00:00Z" };
const facts: InputFacts = {
  configuration: configurationOf("openshift"),
  given: [],
  now: 0,
  isRequested: false,
  images: [],
  payload: null,
  accepted: [],
};

const PROXY = "http://proxy.example.com:3128";

function content(status: object, more: Partial<InputFacts> = {}): InputContent {
  const made = proxyInput.content([[{ spec: {}, status }]], { ...facts, ...more });
  if (typeof made === "string") throw new Error(`it needs the ${made}`);
  return made;
}

const fromFile = (yaml: string, more: Partial<InputFacts> = {}) =>
  proxyInput.content([[{ data: { "proxy.yaml": yaml } }]], {
    ...facts,
    configuration: configurationOf("configmap"),
    ...more,
  });

/** Record of a machine that has confirmed a content. */
const confirmed = (wanted: InputContent): SentInput => ({ ...valueFor(proxyInput, wanted, undefined), ...work });

/** Actions in short: "containerd NO_PROXY set", with the number of expected values. */
const short = (wanted: InputContent, sent: SentInput | undefined): string[] =>
  proxyInput.actions(wanted, sent).map((action) => {
    if (action.do !== "service-variable") throw new Error(`${action.do} is no variable`);
    const { service, name, value, expects } = action;
    return [service, name, value === null ? "removed" : "set", ...(expects ? [`expects ${expects.length}`] : [])].join(
      " ",
    );
  });

describe("the content", () => {
  const both = content({
    httpProxy: PROXY,
    httpsProxy: PROXY,
    noProxy: "z.example.com,Registry.example.com, 10.0.0.0/16",
  });

  test("is three variables of containerd and of the kubelet, by their paths in the registry", () => {
    const key = "HKLM:\\SYSTEM\\CurrentControlSet\\Services";
    const names = ["NO_PROXY", "HTTP_PROXY", "HTTPS_PROXY"];
    expect(both.files.map(({ path }) => path)).toEqual(
      names.flatMap((name) => ["containerd", "kubelet"].map((service) => `${key}\\${service}\\Environment\\${name}`)),
    );
    expect(both.files.at(-1)?.text).toBe(PROXY);
  });

  test("always exempts what a node must reach itself, without blanks and without an entry twice", () => {
    const { serviceNetwork, clusterNetwork, machineNetwork, apiServer } = base.cluster;
    const noProxy = both.files[0]?.text.split(",") ?? [];
    const always = ["169.254.169.254", "169.254.170.2", "localhost", "127.0.0.1", ".svc", ".cluster.local"];
    const own = [serviceNetwork, clusterNetwork, machineNetwork, new URL(apiServer).hostname];
    const wanted = new Set([...always, ...own, "z.example.com", "registry.example.com", "10.0.0.0/16"]);
    expect(new Set(noProxy)).toEqual(wanted);
    expect(noProxy).toHaveLength(wanted.size);
  });

  test("is the same for a list in another order, and another one for another entry", () => {
    const of = (noProxy: string) => content({ httpProxy: PROXY, noProxy }).sha256;
    expect(of("b.example.com,a.example.com")).toBe(of("a.example.com,b.example.com"));
    expect(of("a.example.com")).not.toBe(of("b.example.com"));
  });

  test("is empty without a proxy, and a machine without a record then has it", () => {
    const empty = content({ noProxy: "a.example.com" });
    expect(empty.files).toEqual([]);
    expect(needsInput(proxyInput, empty)(undefined)).toBe(false);
    expect(needsInput(proxyInput, both)(undefined)).toBe(true);
  });

  test("has a hole in place of a password, which the machine fills from a version of the secret", () => {
    const status = { httpsProxy: "http://user:canary@proxy.example.com:3128" };
    const secret = { secretId: "casement/prod/proxy", version: "v1", description: "" };
    expect(proxyInput.secretFields?.([[{ status }]], facts.configuration)).toEqual({ https: "user:canary" });
    const made = content(status, { secret });
    expect(made.files.at(-1)).toEqual({
      path: made.files.at(-1)?.path,
      text: "http://<<https>>@proxy.example.com:3128",
      secret: { secretId: "casement/prod/proxy", version: "v1" },
    });
    expect(made.files[0]).not.toHaveProperty("secret");
    expect(JSON.stringify([made, proxyInput.actions(made, undefined)])).not.toContain("canary");
    expect(content(status, { secret: { ...secret, version: "v2" } }).sha256).not.toBe(made.sha256);
    expect(variablesIn(made.files).HTTPS_PROXY).toBe("http://proxy.example.com:3128");
    expect(() => content(status)).toThrow("is not stored for the machines yet, so no node was changed");
  });

  test("that the object no longer has is removed, and one that the file no longer has only when a person asks", () => {
    const given = [confirmed(both)];
    expect(content({}, { given }).files).toEqual([]);
    expect(() => fromFile("", { given })).toThrow("{win} reconcile removes them");
    expect(fromFile("", { given, isRequested: true })).toMatchObject({ files: [] });
    expect(fromFile(`httpProxy: ${PROXY}`)).toMatchObject({ sha256: content({ httpProxy: PROXY }).sha256 });
  });
});

describe("the actions", () => {
  const http = content({ httpProxy: PROXY });
  const https = content({ httpsProxy: PROXY });

  test("set NO_PROXY first, and expect nothing that others set", () => {
    expect(short(http, undefined)).toEqual([
      "containerd NO_PROXY set expects 0",
      "kubelet NO_PROXY set expects 0",
      "containerd HTTP_PROXY set expects 0",
      "kubelet HTTP_PROXY set expects 0",
    ]);
  });

  test("remove what the record names, NO_PROXY last", () => {
    expect(short(content({}), confirmed(http))).toEqual([
      "containerd HTTP_PROXY removed",
      "kubelet HTTP_PROXY removed",
      "containerd NO_PROXY removed",
      "kubelet NO_PROXY removed",
    ]);
  });

  test("expect of an unconfirmed change what was sent", () => {
    const sent = sendingInput(confirmed(http), valueFor(proxyInput, https, undefined), work);
    expect(short(https, sent)).toEqual([
      "containerd NO_PROXY set",
      "kubelet NO_PROXY set",
      "containerd HTTPS_PROXY set expects 1",
      "kubelet HTTPS_PROXY set expects 1",
      "containerd HTTP_PROXY removed",
      "kubelet HTTP_PROXY removed",
    ]);
  });
});

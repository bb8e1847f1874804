import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type RequestOptions, request } from "node:https";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { rootCertificates } from "node:tls";
import { KubeConfig } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../bin/connect/connect.ts";
import type { Terminal } from "../../bin/connect/terminal.ts";
import { payload } from "../../bin/payload/payload.ts";

const root = resolve(import.meta.dirname, "../..");
const place = mkdtempSync(join(tmpdir(), "casement-connect-"));
const folder = join(place, ".sandbox");
let sandbox: ChildProcess;

const pipe: Terminal = { isInteractive: false, note: () => undefined, read: async () => "", ask: async () => "" };
const atSandbox = (...words: string[]) => connect([...words, "--sandbox", folder], {}, pipe);

/** Content of the file that the sandbox wrote for whoever talks to it from outside. */
const endpoints = (): Record<string, string> => JSON.parse(readFileSync(join(folder, "endpoints.json"), "utf8"));

interface Named {
  readonly metadata: { readonly name: string };
}

const csrs = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

/** Asks the cluster as its administrator, as kubectl would. */
async function asAdministrator(method: string, path: string, body?: object) {
  const config = new KubeConfig();
  config.loadFromFile(join(folder, "kubeconfig"));
  const options: RequestOptions = { method, headers: { "content-type": "application/json" } };
  await config.applyToHTTPSOptions(options);
  // biome-ignore lint/suspicious/noExplicitAny: answers are of every shape
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: any }>();
  const outgoing = request(`${config.getCurrentCluster()?.server}${path}`, options, async (incoming) => {
    const text = Buffer.concat(await incoming.toArray()).toString("utf8");
    resolve({ status: incoming.statusCode ?? 0, body: JSON.parse(text) });
  });
  outgoing.on("error", reject);
  outgoing.end(body ? JSON.stringify(body) : undefined);
  return promise;
}

const injectFault = (kind: string, match: object): Promise<Response> =>
  fetch(`${endpoints().control}/faults`, { method: "POST", body: JSON.stringify({ kind, match }) });

beforeAll(async () => {
  sandbox = spawn(process.execPath, [join(root, "bin/sandbox.ts"), "--port", "0", "--fresh"], { cwd: place });
  for (let waited = 0; waited < 600 && !existsSync(join(folder, "endpoints.json")); waited += 1)
    await new Promise((turn) => setTimeout(turn, 100));
});

afterAll(async () => {
  const ended = new Promise((done) => sandbox.once("exit", done));
  sandbox.kill("SIGTERM");
  await ended;
  rmSync(place, { recursive: true, force: true });
});

test("npm run payload fills the bucket of a sandbox that runs, from stand-ins for the publishers", async () => {
  const said: string[] = [];
  const terminal = { say: (line: string) => said.push(line), question: async () => null, write: () => undefined };
  const words = ["--sandbox", folder, "--cache", join(place, "cache"), "--yes"];
  await payload(words, {}, { ...terminal, isTerminal: false, now: Date.now });
  expect(said.at(-1)).toBe(
    `The manifest is ${join(folder, "payload.json")}. The sandbox goes on with its own payload.`,
  );
  const { files } = JSON.parse(readFileSync(join(folder, "payload.json"), "utf8"));
  expect(files).toContainEqual(
    expect.objectContaining({ name: "hybrid-overlay-node.exe", version: "4.21.0-okd-scos.3" }),
  );
});

describe("npm run connect", () => {
  test("says what there is, to --help and behind what it does not understand", async () => {
    const { code, text } = await connect(["credential", "--help"], {});
    expect({ code, text }).toEqual({ code: 0, text: expect.stringContaining("npm run --silent connect -- manifest") });
    await expect(connect(["--colour"], {})).rejects.toThrow(
      /Unknown option '--colour'.*npm run --silent connect -- manifest/s,
    );
  });

  test("says that the bot may do everything in a cluster where the manifest was applied", async () => {
    const { code, text } = await atSandbox();
    expect(text).toContain("prod-west: all 12 checks passed");
    expect(code).toBe(0);
  });

  test("makes a credential for each account, tries and stores them, and prints none; again is fine", async () => {
    for (let times = 0; times < 2; times += 1) {
      const { code, text } = await atSandbox("credential");
      expect(text).toContain("Stored the credentials of the accounts look, act, join.");
      expect(text).not.toMatch(/eyJ/);
      expect(code).toBe(0);
    }
    const { body: requests } = await asAdministrator("GET", csrs);
    expect(requests.items.filter(({ metadata }: Named) => metadata.name.startsWith("casement-connect"))).toEqual([]);
  });

  test("makes one account's credential alone", async () => {
    const { text } = await atSandbox("credential", "--account", "join");
    expect(text).toContain("Stored the credential of the account join.");
  });

  test("takes a token that was made elsewhere, when it is such as the account may make itself", async () => {
    const file = join(place, "given");
    const path = "/api/v1/namespaces/casement/serviceaccounts/act/token";
    const asked = async (spec: object) => {
      const { body } = await asAdministrator("POST", path, { spec });
      writeFileSync(file, body.status.token);
      return atSandbox("credential", "--account", "act", "--token-file", file);
    };
    const boundObjectRef = { apiVersion: "v1", kind: "Secret", name: "act" };
    await expect(asked({ expirationSeconds: 3_600 })).rejects.toThrow(
      /--bound-object-kind Secret --bound-object-name act/,
    );
    await expect(asked({ expirationSeconds: 90_000, boundObjectRef })).rejects.toThrow(/--duration 24h/);
    expect((await asked({ expirationSeconds: 3_600, boundObjectRef })).text).toContain(
      "Stored the credential of the account act",
    );
  });

  test("waits for the policies, and stores nothing when one of them does not hold the account", async () => {
    const bindings = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
    const { body: binding } = await asAdministrator("GET", `${bindings}/casement-signing-requests`);
    await asAdministrator("DELETE", `${bindings}/casement-signing-requests`);
    // The API server goes by it for a second more, of which the sandbox makes ten in one of ours.
    await new Promise((turn) => setTimeout(turn, 500));
    await expect(atSandbox("credential", "--account", "join")).rejects.toThrow(
      /casement-signing-requests is not enforced for the account join: .*npm run --silent connect -- manifest.*nothing was stored/,
    );
    const { uid: _uid, resourceVersion: _version, ...metadata } = binding.metadata;
    await asAdministrator("POST", bindings, { ...binding, metadata });
    expect((await atSandbox("credential", "--account", "join")).code).toBe(0);
  });

  test.each([
    [
      "a token that is none",
      (at: string) => ["--account", "look", "--token-file", at],
      "nobody-knows-it",
      /the account look: the token in .* must be what this makes/,
    ],
    [
      "an authority that did not sign",
      (at: string) => ["--ca-file", at],
      rootCertificates[0] ?? "",
      /is not of the authority in/,
    ],
    ["an authority that is none", (at: string) => ["--ca-file", at], "PEM", /ca must be a certificate in PEM/],
    ["an address without TLS", () => ["--server", "http://127.0.0.1"], "", /server must be an address like https:/],
  ])("keeps the credential that counts when it is given %s", async (_, words, content, why) => {
    const file = join(place, "given");
    writeFileSync(file, content);
    await expect(atSandbox("credential", ...words(file))).rejects.toThrow(why);
    expect(await atSandbox()).toMatchObject({ code: 0 });
  });

  test("stores a credential for an API server that only the functions reach", async () => {
    const { code, text } = await atSandbox("credential", "--server", "https://127.0.0.1:1");
    expect(text).toContain("Stored the credentials");
    expect(text).toContain("The cluster does not respond");
    expect(code).toBe(1);
  });

  test("runs the whole doctor, and goes on while Slack is down", async () => {
    expect(await atSandbox("credential")).toMatchObject({ code: 0 });
    const well = await atSandbox("check");
    expect(well.text).toMatch(/all \d\d checks passed/);
    await injectFault("slack-down", {});
    const { code, text } = await atSandbox("--check");
    expect(text).toMatch(/❌ Slack does not respond: .*\n\s+Remedy: check https:\/\/slack-status.com/);
    expect(text).toContain("Not checked: the channel");
    expect(text).not.toContain("Cluster\n");
    expect(code).toBe(1);
  });

  test("says what to do when AWS does not answer", async () => {
    await injectFault("aws-5xx", { service: "s3" });
    const { code, text } = await atSandbox("check");
    expect(text).toContain("❌ AWS does not respond");
    expect(text).toContain("Not checked: all checks that need a release");
    expect(code).toBe(1);
  });

  test("prints the reviewed manifest with the labels of the pools and the images of probes, and nothing else changed", async () => {
    const { code, text } = await atSandbox("manifest");
    const reviewed = readFileSync(join(root, "lib/manifests/cluster-access.yaml"), "utf8").split("\n");
    const changed = text.split("\n").filter((line, at) => line !== reviewed[at]);
    const windows = ["ltsc2019", "ltsc2022", "ltsc2025"].map(
      (release) => `mcr.microsoft.com/windows/servercore:${release}`,
    );
    const images = [
      ...["docker.io/library/busybox:1.37", "mcr.microsoft.com/oss/kubernetes/pause:3.9", ...windows],
      "registry.example.com/shop/storefront:1.4",
    ].map((image) => `'${image}'`);
    expect(changed).toEqual([`      expression: "['example.com/role']"`, `      expression: "[${images.join(", ")}]"`]);
    expect(code).toBe(0);
  });

  test.each([
    [["dance"], /there is no "dance" here/],
    [["credential", "--account", "admin"], /--account takes look, act, join, not "admin"/],
    [["credential", "--token-file", "t"], /--token-file needs --account/],
    [["--nonsense"], /nonsense/],
    [[], /name the deployment: --configuration FILE/],
    [["--configuration", "nowhere.yaml"], /nowhere\.yaml/],
  ])("refuses %j in words", async (words, expected) => {
    await expect(connect(words, {})).rejects.toThrow(expected);
  });
});

describe("npm run connect -- freeze", () => {
  test("freezes, also until a time, and thaws while neither Slack nor the cluster's API answers", async () => {
    await expect(atSandbox("freeze")).rejects.toThrow('freeze needs --reason "…"');
    await expect(atSandbox("freeze", "--reason", "x", "--for", "soon")).rejects.toThrow("soon is not a valid duration");
    await expect(atSandbox("freeze", "--reason", "x", "--pool", "wbe")).rejects.toThrow(
      'there is no pool "wbe": web, batch, edge',
    );
    const slack = await injectFault("slack-down", {});
    const { id } = (await (await injectFault("kubernetes-5xx", {})).json()) as { readonly id: string };
    const { text } = await atSandbox("freeze", "--reason", "INC-4711", "--for", "4h");
    expect(text).toMatch(/^The cluster is frozen until .* UTC; \/win thaw ends it earlier\./);
    const both = atSandbox("freeze", "--reason", "x", "--for", "4h", "--until", "Mon 06:00");
    await expect(both).rejects.toThrow("use one of them");
    await expect(atSandbox("freeze", "--reason", "x", "--until", "soon")).rejects.toThrow("is no time");
    const until = await atSandbox("freeze", "--reason", "INC-4711", "--pool", "batch", "--until", "Mon 06:00");
    expect(until.text).toMatch(
      /^Pool batch is frozen until \d{4}-\d\d-\d\d 06:00 UTC; \/win thaw batch ends it earlier\./,
    );
    const goesOn = /But the cluster is frozen until .* at a terminal \(INC-4711\)\. To end it: \/win thaw\n$/;
    const batch = (await atSandbox("thaw", "--pool", "batch")).text;
    expect(batch).toMatch(/^Pool batch is no longer frozen\. /);
    expect(batch).toMatch(goesOn);
    const web = (await atSandbox("thaw", "--pool", "web")).text;
    expect(web).toMatch(/^Pool web was not frozen\. Nothing was changed\. /);
    expect(web).toMatch(goesOn);
    expect((await atSandbox("thaw")).text).toBe("The cluster is no longer frozen.\n");
    expect(slack.ok).toBe(true);
    await fetch(`${endpoints().control}/faults/${id}`, { method: "DELETE" });
  });
});

describe("the namespace of the accounts", () => {
  test("stores nothing in a namespace where others could make tokens of the accounts", async () => {
    const bindings = "/apis/rbac.authorization.k8s.io/v1/namespaces/casement/rolebindings";
    const bind = (name: string, role: string, subject: object) =>
      asAdministrator("POST", bindings, {
        metadata: { name },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
        subjects: [subject],
      });
    const tenant = { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "tenant" };
    await bind("view", "cluster-reader", tenant);
    await bind("deployers", "cluster-admin", { kind: "ServiceAccount", name: "deployer", namespace: "casement" });
    expect((await atSandbox("credential")).code).toBe(0);
    await bind("admin", "cluster-admin", tenant);
    await expect(atSandbox("credential")).rejects.toThrow(
      /others hold rights in the namespace casement.*admin: ClusterRole cluster-admin for User tenant.*kubectl delete rolebinding/s,
    );
    for (const name of ["view", "deployers", "admin"]) await asAdministrator("DELETE", `${bindings}/${name}`);
    expect((await atSandbox("credential")).code).toBe(0);
  });

  const clusterBindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
  const bindEverywhere = (name: string, role: string, subject: object) =>
    asAdministrator("POST", clusterBindings, {
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
      subjects: [subject],
    });

  test("stores nothing while a ClusterRoleBinding gives an account more than the manifest", async () => {
    await bindEverywhere("helpful", "cluster-admin", { kind: "ServiceAccount", name: "look", namespace: "casement" });
    await expect(atSandbox("credential")).rejects.toThrow(
      /not in the manifest:\n {2}helpful: ClusterRole cluster-admin for ServiceAccount casement\/look\n.*kubectl edit clusterrolebinding/s,
    );
    await asAdministrator("DELETE", `${clusterBindings}/helpful`);
  });

  test("names who may make tokens of the accounts by a ClusterRoleBinding, and not the cluster's own components", async () => {
    await bindEverywhere("ci", "cluster-admin", { kind: "ServiceAccount", name: "deployer", namespace: "ci" });
    await bindEverywhere("own", "cluster-admin", {
      kind: "ServiceAccount",
      name: "cvo",
      namespace: "openshift-version",
    });
    const { code, text } = await atSandbox("credential");
    expect(code).toBe(0);
    expect(text).toContain("  ci: ClusterRole cluster-admin for ServiceAccount ci/deployer\n");
    expect(text).not.toContain("openshift-version");
    for (const name of ["ci", "own"]) await asAdministrator("DELETE", `${clusterBindings}/${name}`);
    expect((await atSandbox("credential")).text).not.toContain("ClusterRoleBindings let others");
  });

  test("names tokens of the accounts that lie in the cluster", async () => {
    await asAdministrator("POST", "/api/v1/namespaces/casement/secrets", {
      metadata: { name: "join-token-x7k2p", annotations: { "kubernetes.io/service-account.name": "join" } },
      type: "kubernetes.io/service-account-token",
    });
    const { text } = await atSandbox("credential");
    expect(text).toMatch(/also lie in the cluster.*join-token-x7k2p/);
    await asAdministrator("DELETE", "/api/v1/namespaces/casement/secrets/join-token-x7k2p");
  });
});

describe("npm run connect -- registries", () => {
  const typing = (answers: readonly string[], piped = "") => {
    const left = [...answers];
    const hidden: string[] = [];
    const terminal: Terminal = {
      isInteractive: answers.length > 0,
      note: () => undefined,
      read: async () => piped,
      ask: async (question, isHidden) => {
        if (isHidden) hidden.push(question);
        return left.shift() ?? "";
      },
    };
    const run = (...words: string[]) => connect(["registries", ...words, "--sandbox", folder], {}, terminal);
    return { run, hidden };
  };

  test("stores what is typed and what is piped, lists hosts without passwords, and removes them", async () => {
    expect((await typing([]).run()).text).toBe("No registry has a credential.\n");
    const typed = typing(["MIRROR.example.com:5000", "puller", "canary-1"]);
    const stored = await typed.run();
    expect(stored.text).toMatch(/^Stored the credentials of mirror\.example\.com:5000\. .*\/win mirrors/);
    expect(typed.hidden).toEqual(["Password (not shown): "]);
    const piped = JSON.stringify({ "quay.io": { username: "u", password: "canary-2" } });
    const both = await typing([], piped).run("--from-stdin");
    expect(both.text).toContain("Registries with a credential:\n  mirror.example.com:5000\n  quay.io\n");
    expect((await typing([]).run()).text).toBe("Registries with a credential:\n  mirror.example.com:5000\n  quay.io\n");
    const removed = await typing([]).run("--remove", "mirror.example.com:5000", "--remove", "quay.io");
    expect(removed.text).toMatch(/^Removed the credentials of mirror\.example\.com:5000, quay\.io\./);
    expect(`${stored.text}${both.text}${removed.text}`).not.toContain("canary");
  });

  test("changes nothing without a host, and refuses one that is not exact or not stored", async () => {
    expect((await typing([""]).run()).text).toBe("Nothing was changed.\n");
    await expect(typing(["*.example.com"]).run()).rejects.toThrow('"*.example.com" is no host');
    await expect(typing([]).run("--remove", "quay.io")).rejects.toThrow(
      "quay.io has no credential; nothing was removed",
    );
  });
});

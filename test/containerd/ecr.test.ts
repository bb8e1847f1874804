import { expect, test } from "vitest";
import { renewalFile } from "../../lambdas/inputs/mirrors/ecr.ts";
import { mirrorsOf } from "../../lambdas/inputs/mirrors/mirrors.ts";
import { byTag, never } from "../inputs/mirrors/rules.ts";
import { describeEach } from "./each.ts";
import type { Registry } from "./vectors.ts";

const ECR = "111122223333.dkr.ecr.us-west-2.amazonaws.com";
const allowed = byTag("src.example/team", [`${ECR}/hub/team`]);
const script = {
  name: "registries",
  version: "1",
  path: "registries.ps1",
  key: "",
  versionId: "",
  sha256: "0",
  size: 0,
};

/** The answer of GetAuthorizationToken: base64 of the user AWS and a password (Amazon ECR API Reference). */
const answered = (password: string): string => Buffer.from(`AWS:${password}`).toString("base64");

/** The files of a rule as a machine's task writes them with a password. */
const filesWith = (rule: typeof allowed, password: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    mirrorsOf([rule]).files.map(({ folder, text, forbidsSource }) => {
      const path = `${folder}/hosts.toml`;
      const wanted = renewalFile({ file: { path, text }, folder, forbidsSource }, script);
      const { text: named } = JSON.parse(wanted.text) as { text: string };
      return [path, named.replaceAll(`"Basic ${ECR}"`, `"Basic ${answered(password)}"`)];
    }),
  );

/** The registry once it has a password; it answers 401 to every other. */
const demanding = (password: string): Registry => ({ basic: `AWS:${password}` });
const shown = (password: string): string => `${ECR} Authorization: Basic ${answered(password)}`;

describeEach([ECR, "src.example"], ({ containerd }) => {
  /** Pulls, and lists what each host was shown. */
  async function pull(name: string, rule: typeof allowed, { file, ecr }: { file: string; ecr: Registry }) {
    const { ok, requests } = await containerd().pull({
      files: filesWith(rule, file),
      registries: { [ECR]: ecr, "src.example": "up" },
      ref: "src.example/team/app:v1",
      salt: `ecr ${name}`,
    });
    const hosts = requests.map(([, url, , carried]) => [new URL(url).host, ...(carried?.auth ?? [])].join(" "));
    return { ok, hosts: [...new Set(hosts)].toSorted(), paths: requests.map(([, url]) => new URL(url).pathname) };
  }

  test("a registry of ECR is shown the renewed password from the first request on, at the path of its cache", async () => {
    const { ok, hosts, paths } = await pull("new", never(allowed), { file: "new", ecr: demanding("new") });
    expect({ ok, hosts }).toEqual({ ok: true, hosts: [shown("new")] });
    expect(paths.every((path) => path.startsWith("/v2/hub/team/app/"))).toBe(true);
  });

  // "Your authorization token has expired" is a 403 (Amazon ECR User Guide, "Troubleshooting Docker errors").
  test.each<[string, Registry]>([
    ["401", demanding("new")],
    ["403", 403],
  ])(
    "after a rotation the old password is answered %s, and only a source that may be asked is",
    async (status, ecr) => {
      expect(await pull(`old ${status}`, allowed, { file: "old", ecr })).toMatchObject({
        ok: true,
        hosts: [shown("old"), "src.example"],
      });
      expect(await pull(`old ${status} alone`, never(allowed), { file: "old", ecr })).toMatchObject({
        ok: false,
        hosts: [shown("old")],
      });
    },
  );

  test("the file with the new password holds for the next pull of the same containerd", async () => {
    const ecr = demanding("new");
    const pulls = [];
    for (const file of ["old", "new", "old"]) pulls.push(await pull(`turn ${file}`, never(allowed), { file, ecr }));
    expect(pulls.map(({ ok, hosts }) => [ok, hosts])).toEqual([
      [false, [shown("old")]],
      [true, [shown("new")]],
      [false, [shown("old")]],
    ]);
  });
});

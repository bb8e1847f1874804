import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Containerd } from "./containerd.ts";
import { hostsFolder } from "./daemon.ts";
import { describeEach } from "./each.ts";
import type { Asked, Credentials } from "./vectors.ts";

const registries = { "a.example": "up", "b.example": "up", "src.example": "up" } as const;

/** A file that forbids the source and names one mirror. */
const only = (mirror: string): string =>
  `server = "https://${mirror}"\n[host."https://${mirror}"]\n  capabilities = ["pull", "resolve"]\n`;

/** Replaces a file: the new text lies beside it until it is complete. */
function replaceByRename(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

/** Empties a file and writes it again a moment later, as an editor or a plain copy may. */
async function rewriteInPlace(path: string, text: string): Promise<void> {
  writeFileSync(path, "");
  await turn();
  writeFileSync(path, text);
}

/** Removes the folder and writes it again a moment later. */
async function rewriteFolder(path: string, text: string): Promise<void> {
  rmSync(dirname(path), { recursive: true });
  await turn();
  mkdirSync(dirname(path));
  writeFileSync(path, text);
}

const isAsked = (host: string, requests: readonly Asked[]): boolean =>
  requests.some(([, url]) => url.startsWith(`https://${host}/`));

/** Pulls some images while another process changes the file all the time. */
async function pullsThatAskTheSource(
  containerd: Containerd,
  name: string,
  change: (path: string, text: string) => Promise<void> | void,
): Promise<number> {
  const path = join(hostsFolder(containerd.folder), "src.example", "hosts.toml");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, only("a.example"));
  let isOver = false;
  const changing = (async () => {
    for (let round = 0; !isOver; round += 1) {
      await change(path, only(round % 2 === 0 ? "b.example" : "a.example"));
      await turn();
    }
  })();
  let asked = 0;
  for (let count = 0; count < 15; count += 1) {
    const order = { registries, ref: "src.example/team/app:v1", salt: `${name}-${count}` };
    const { ok, requests } = await containerd.pull(order);
    expect(ok).toBe(true);
    asked += isAsked("src.example", requests) ? 1 : 0;
  }
  isOver = true;
  await changing;
  return asked;
}

/** Hosts that are sent an Authorization header in a pull whose first mirror demands one. */
async function hostsWithSecret(containerd: Containerd, credentials: Credentials): Promise<string[]> {
  const files = { "src.example/hosts.toml": '[host."https://a.example"]\n  capabilities = ["pull", "resolve"]\n' };
  const { requests } = await containerd.pull({
    files,
    registries: { "a.example": { basic: "s:secret" }, "src.example": { basic: "s:secret" } },
    credentials,
    ref: "src.example/team/app:v1",
    salt: `secret for ${credentials.serverAddress}`,
  });
  const withSecret = requests.filter(([, , , carried]) => carried?.auth);
  return [...new Set(withSecret.map(([, url]) => new URL(url).host))];
}

describeEach(Object.keys(registries), ({ containerd }) => {
  test("a file that is replaced by rename while pulls run never lets a forbidden source be asked", async () => {
    expect(await pullsThatAskTheSource(containerd(), "renamed", replaceByRename)).toBe(0);
  });

  test.each([
    ["file that is emptied and written again", rewriteInPlace],
    ["folder that is removed and written again", rewriteFolder],
  ])("a %s while pulls run lets the forbidden source be asked", async (name, change) => {
    expect(await pullsThatAskTheSource(containerd(), name, change)).toBeGreaterThan(0);
  });

  test("a pull secret without a server's address is sent to the first mirror that demands one", async () => {
    const secret = { username: "s", password: "secret" };
    expect(await hostsWithSecret(containerd(), secret)).toEqual(["a.example"]);
  });

  test.each([
    ["with the source's address is sent to the source alone", "https://src.example", ["src.example"]],
    ["with the source's name, which is no address, is sent to nobody", "src.example", []],
  ])("a pull secret %s", async (_, serverAddress, hosts) => {
    const secret = { username: "s", password: "secret", serverAddress };
    expect(await hostsWithSecret(containerd(), secret)).toEqual(hosts);
  });
});

import { setTimeout as pass } from "node:timers/promises";
import { expect, test } from "vitest";
import { proxyCases } from "../sandbox/registries/proxy-cases.ts";
import { describeEach } from "./each.ts";
import type { PullRecord } from "./orders.ts";
import { PROXY_USER, REMEMBERED_SECONDS } from "./squid.ts";

const PASSWORD = "right%40first";
const addressOf = (password: string): string => `http://${PROXY_USER}:${password}@127.0.0.1:3128`;

/** The proxy refused its password. */
const REFUSED = /Proxy Authentication Required$/;

/** Hosts that a pull asked, and whether the proxy made the connection. */
const ways = ({ requests }: PullRecord): readonly string[] => [
  ...new Set(requests.map(([, url, , carried]) => `${new URL(url).host} ${carried?.via ?? "directly"}`)),
];

describeEach(["src.example", "mirror.example", "proxy.example"], ({ containerd }) => {
  let count = 0;
  const pull = (environment: Readonly<Record<string, string>>, password: string, more: object = {}) =>
    containerd().pull({
      files: {},
      registries: { "src.example": "up" },
      ref: "src.example/team/app:v1",
      salt: `proxy-${count++}`,
      password: decodeURIComponent(password),
      settings: { environment },
      ...more,
    });

  test.each(proxyCases)("$shows", async ({ noProxy, variables = ["HTTPS_PROXY"], registry, isProxied }) => {
    const named = Object.fromEntries(variables.map((name) => [name, addressOf(PASSWORD)]));
    const host = registry ?? "src.example";
    const order = registry ? { registries: { [host]: "plain-http" }, ref: `${host}/team/app:v1` } : {};
    const { ok, requests } = await pull({ ...named, ...(noProxy ? { NO_PROXY: noProxy } : {}) }, PASSWORD, order);
    const seen = requests.filter(([, , answer]) => answer !== "plain-http");
    expect(ok).toBe(true);
    expect(new Set(seen.map(([, , , carried]) => carried?.via === "proxy"))).toEqual(new Set([isProxied]));
  });

  test("a mirror that NO_PROXY names is asked directly, and the source after it through the proxy", async () => {
    const files = {
      "src.example/hosts.toml": '[host."https://mirror.example"]\n  capabilities = ["pull", "resolve"]\n',
    };
    const registries = { "mirror.example": 404, "src.example": "up" };
    const environment = { HTTPS_PROXY: addressOf(PASSWORD), NO_PROXY: "mirror.example" };
    const record = await pull(environment, PASSWORD, { files, registries });
    expect(record.ok).toBe(true);
    expect(ways(record)).toEqual(["mirror.example directly", "src.example proxy"]);
  });

  test("a wrong password is refused by the proxy, and no registry is asked", async () => {
    const { ok, message, requests } = await pull({ HTTPS_PROXY: addressOf("wrong") }, PASSWORD);
    expect(ok).toBe(false);
    expect(message).toMatch(REFUSED);
    expect(requests.map(([, , answer]) => answer)).toEqual(["up"]);
  });

  test("a rotated password is refused until containerd starts with the new one", async () => {
    const old = { HTTPS_PROXY: addressOf(PASSWORD) };
    expect((await pull(old, PASSWORD)).ok).toBe(true);
    // A connection that is open goes on: another registry needs a new one.
    await pass((REMEMBERED_SECONDS + 1) * 1000);
    const other = { registries: { "mirror.example": "up" }, ref: "mirror.example/team/app:v1" };
    expect((await pull(old, "rotated", other)).message).toMatch(REFUSED);
    expect((await pull({ HTTPS_PROXY: addressOf("rotated") }, "rotated", other)).ok).toBe(true);
  });

  test("without a proxy that listens nothing is asked", async () => {
    const { ok, message } = await pull({ HTTPS_PROXY: "http://127.0.0.1:3129" }, PASSWORD);
    expect(ok).toBe(false);
    expect(message).toContain("proxyconnect tcp: dial tcp 127.0.0.1:3129: connect: connection refused");
  });
});

import { expect, test } from "vitest";
import { proxyOf } from "../../../lambdas/inputs/proxy/go-rules.ts";
import { proxyCases } from "../../sandbox/registries/proxy-cases.ts";

const PROXY = "http://proxy.example:3128";

test.each(proxyCases)("$shows", ({ noProxy, variables = ["HTTPS_PROXY"], registry = "src.example", isProxied }) => {
  const named = Object.fromEntries(variables.map((name) => [name, PROXY]));
  const given = { ...named, ...(noProxy === undefined ? {} : { NO_PROXY: noProxy }) };
  expect(proxyOf(registry, given)).toBe(isProxied ? PROXY : null);
});

test("a network exempts an address inside it, and its port makes no difference", () => {
  const given = { HTTPS_PROXY: PROXY, NO_PROXY: "10.0.0.0/8,fd00::/8" };
  expect(proxyOf("10.1.2.3:5000", given)).toBeNull();
  expect(proxyOf("[fd00::1]:5000", given)).toBeNull();
  expect(proxyOf("11.1.2.3:5000", given)).toBe(PROXY);
});

test("an address with a port exempts this port alone", () => {
  const given = { HTTPS_PROXY: PROXY, NO_PROXY: "10.1.2.3:5000" };
  expect(proxyOf("10.1.2.3:5000", given)).toBeNull();
  expect(proxyOf("10.1.2.3", given)).toBe(PROXY);
});

import { expect, test } from "vitest";
import { proxyOf, proxyOfRequest } from "../../../lambdas/inputs/proxy/go-rules.ts";
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

test.each([
  ["http://src.example", "*", undefined],
  ["http://src.example", "src.example:80", undefined],
  ["http://src.example", "src.example:443", "http://plain.example"],
  ["https://src.example", "src.example:80", "http://secure.example"],
  ["https://src.example", "src.example:443", undefined],
  ["https://src.example:5000", "src.example:443", "http://secure.example"],
  ["https://src.example:5000", "src.example:5000", undefined],
  ["https://src.example", "", "http://secure.example"],
  ["https://src.example", ", ,", "http://secure.example"],
  ["https://src.example", ":443", "http://secure.example"],
  ["https://src.example", ".", "http://secure.example"],
  ["https://src.example", "*.src.example", "http://secure.example"],
  ["https://src.example", "*.example", undefined],
  ["https://src.example", "xample", "http://secure.example"],
  ["https://SRC.example", "src.EXAMPLE", undefined],
  ["https://127.0.0.1", "", undefined],
  ["https://127.9.9.9:5000", "", undefined],
  ["https://128.0.0.1", "", "http://secure.example"],
  ["https://[::1]:5000", "", undefined],
  ["https://[::2]", "", "http://secure.example"],
  ["https://localhost", "", undefined],
  ["https://127.example", "", "http://secure.example"],
  ["https://10.1.2.3", "10.1.2.3", undefined],
  ["https://10.1.2.3", "2.3", "http://secure.example"],
  ["https://10.1.2.3", "10.1.2.0/24", undefined],
  ["https://10.1.3.3", "10.1.2.0/24", "http://secure.example"],
  ["https://10.1.2.3", "fd00::/8", "http://secure.example"],
  ["https://[fd00::1]", "fd00::/8", undefined],
  ["https://[fe00::1]", "fd00::/8", "http://secure.example"],
  ["https://[fd00::1]", "[fd00::1]", undefined],
  ["https://[fd00::1]:5000", "[fd00::1]:5000", undefined],
  ["https://[fd00::1]:5000", "[fd00::1]:443", "http://secure.example"],
  ["https://src.example", "10.0.0.0/8", "http://secure.example"],
  ["https://src.example", "src.example/24", "http://secure.example"],
])("a request for %s while NO_PROXY is %j goes through %s", (url, noProxy, proxy) => {
  const given = { HTTP_PROXY: "http://plain.example", HTTPS_PROXY: "http://secure.example", NO_PROXY: noProxy };
  expect(proxyOfRequest(url, given)).toBe(proxy);
});

test("without a variable for its protocol a request is sent directly", () => {
  expect(proxyOfRequest("http://src.example", { HTTPS_PROXY: PROXY })).toBeUndefined();
  expect(proxyOfRequest("https://src.example", { HTTPS_PROXY: "" })).toBeUndefined();
  expect(proxyOfRequest("https://src.example", { HTTPS_PROXY: PROXY })).toBe(PROXY);
});

import { expect, test } from "vitest";
import { proxyOfRequest } from "../../../lambdas/inputs/proxy/go-rules.ts";
import { proxyCases } from "./proxy-cases.ts";

const PROXY = "http://proxy.example:3128";

test.each(proxyCases)("$shows", ({ noProxy, variables = ["HTTPS_PROXY"], registry, isProxied }) => {
  const named = Object.fromEntries(variables.map((name) => [name, PROXY]));
  const environment = { ...named, ...(noProxy === undefined ? {} : { NO_PROXY: noProxy }) };
  const scheme = registry === undefined ? "https" : "http";
  const url = `${scheme}://${registry ?? "src.example"}/v2/`;
  expect(proxyOfRequest(url, environment)).toBe(isProxied ? PROXY : undefined);
});

test("a request by http goes through HTTP_PROXY", () => {
  expect(proxyOfRequest("http://src.example/v2/", { HTTP_PROXY: PROXY })).toBe(PROXY);
  expect(proxyOfRequest("http://src.example/v2/", { HTTP_PROXY: PROXY, NO_PROXY: "src.example:80" })).toBeUndefined();
});

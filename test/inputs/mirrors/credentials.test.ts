import { describe, expect, test } from "vitest";
import { credentialHost, credentialHosts, credentialsText } from "../../../lambdas/inputs/mirrors/credentials.ts";

describe("The description of the secret", () => {
  test("lists the hosts, and gives them back", () => {
    const hosts = ["quay.io", "mirror.example.com:5000"];
    expect(credentialsText(hosts)).toBe("Registries: mirror.example.com:5000 quay.io");
    expect(credentialHosts(credentialsText(hosts))).toEqual(hosts.toSorted());
    expect(credentialHosts(credentialsText([]))).toEqual([]);
  });

  test("that others wrote names no host", () => {
    expect(credentialHosts("")).toEqual([]);
    expect(credentialHosts("Passwords of our registries")).toEqual([]);
  });

  test.each(["*.example.com", "https://m.io", "m.io/hub", "m.io:x", "M.io", "m<<io"])(
    "is refused with %s, which is no exact host",
    (text) => {
      expect(() => credentialHosts(`Registries: quay.io ${text}`)).toThrow(`names ${text}, which is no host`);
    },
  );
});

test.each([
  ["MIRROR.example.com", "mirror.example.com"],
  ["index.docker.io", "docker.io"],
  ["mirror.example.com:5000", "mirror.example.com:5000"],
  ["mirror.example.com/", undefined],
  ["https://mirror.example.com", undefined],
  ["*.example.com", undefined],
  ["", undefined],
])("the host of a credential typed as %s is %s", (typed, host) => {
  expect(credentialHost(typed)).toBe(host);
});

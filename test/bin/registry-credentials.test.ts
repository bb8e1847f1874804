import { describe, expect, test } from "vitest";
import { credentialsIn, encoded, secretTexts, typedHost, valuesIn } from "../../bin/connect/registry-credentials.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

describe("Credentials that are piped in", () => {
  test("come from docker's config.json, encoded or in two fields", () => {
    const auths = {
      "mirror.example.com:5000": { auth: base64("puller:pass:word") },
      "https://index.docker.io/v1/": { username: "hub", password: "secret" },
    };
    expect(credentialsIn(JSON.stringify({ auths, credsStore: "desktop" }))).toEqual({
      "mirror.example.com:5000": base64("puller:pass:word"),
      "docker.io": base64("hub:secret"),
    });
  });

  test("come from a list of hosts", () => {
    expect(credentialsIn('{"QUAY.io":{"username":"u","password":"p"}}')).toEqual({ "quay.io": base64("u:p") });
  });

  test.each([
    ["text", "canary", "not JSON"],
    ["another shape", '{"quay.io":"canary"}', "neither a docker config.json nor"],
    ["no registry", '{"auths":{}}', "names no registry"],
    [
      "a login that a credential store keeps",
      '{"auths":{"quay.io":{}}}',
      "quay.io: user and password must not be empty",
    ],
    ["a part of a registry", '{"auths":{"quay.io/team":{"auth":"Y2FuYXJ5OnA="}}}', '"quay.io/team" is no host'],
    ["a wildcard", '{"*.io":{"username":"canary","password":"canary"}}', '"*.io" is no host'],
  ])("are refused as %s, without a value in the message", (_, text, words) => {
    expect(() => credentialsIn(text)).toThrow(words);
    expect(() => credentialsIn(text)).toThrow(/^(?!.*canary).*nothing was stored$/);
  });
});

test("a user's name has no colon, which would end it", () => {
  expect(() => encoded("quay.io", "a:b", "p")).toThrow("quay.io: a user's name must not contain a colon");
  expect(encoded("quay.io", "a", "b:c")).toBe(base64("a:b:c"));
});

test("a host with a scheme is refused", () => {
  expect(() => typedHost("https://quay.io")).toThrow("name a registry exactly");
});

test.for(["111122223333.dkr.ecr.us-west-2.amazonaws.com", "111122223333.dkr-ecr.us-west-2.on.aws"])(
  "%s is refused, because nodes sign in to ECR with their own role",
  (host) => {
    expect(() => typedHost(host)).toThrow("needs no credential");
  },
);

describe("The secret", () => {
  test("has the hosts in its description", () => {
    expect(secretTexts({ "quay.io": "dTpw", "a.io": "dTpw" })).toEqual({
      value: '{"quay.io":"dTpw","a.io":"dTpw"}',
      description: "Registries: a.io quay.io",
    });
  });

  test("takes no more hosts than its description can name", () => {
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`${at}.${"x".repeat(30)}.example.com`, "dTpw"]),
    );
    expect(() => secretTexts(many)).toThrow(/need \d+ characters, a secret takes 2048; nothing was stored/);
  });

  test("that others wrote is left alone, without a value in the message", () => {
    expect(() => valuesIn('{"a":{"b":"canary"}}', "casement/prod-west/registries")).toThrow(
      /^the secret casement\/prod-west\/registries holds what this task did not write; nothing was stored$/,
    );
  });
});

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { withPayloadManifest } from "../../bin/payload/name-manifest.ts";

test("the manifest becomes one more line of the configuration's part aws", () => {
  const example = readFileSync("docs/configuration.example.yaml", "utf8");
  const changed = withPayloadManifest(example, "prod-west.payload.json")?.split("\n") ?? [];
  expect(changed.filter((line) => !example.split("\n").includes(line))).toEqual([
    '  payloadManifest: "prod-west.payload.json"',
  ]);
  expect(changed).toHaveLength(example.split("\n").length + 1);
});

test("a file of another style is left to a person", () => {
  expect(withPayloadManifest('{"aws": {"account": "1"}}', "p.json")).toBeNull();
  expect(withPayloadManifest("pools: {}\n", "p.json")).toBeNull();
});

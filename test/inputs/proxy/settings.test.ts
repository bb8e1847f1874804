import { describe, expect, it } from "vitest";
import { proxyFile, servedProxy } from "../../../lambdas/inputs/proxy/settings.ts";

const address = { scheme: "http", host: "proxy.example.com:3128", credential: null };
const none = { http: null, https: null, noProxy: "" };
const status = (values: object) => ({ spec: {}, status: values });

describe("the cluster's object", () => {
  it("gives its status, never its specification", () => {
    const spec = { httpProxy: "http://other.example.com:1" };
    const values = { httpProxy: "http://Proxy.example.com:3128/", noProxy: ".example.com" };
    expect(servedProxy({ spec, status: values })).toEqual({ http: address, https: null, noProxy: ".example.com" });
  });

  it("gives no proxy where it names none, and where an asterisk exempts everything", () => {
    const httpProxy = "http://proxy.example.com:3128";
    expect(servedProxy({})).toEqual(none);
    expect(servedProxy(status({ noProxy: "a.example.com" }))).toEqual(none);
    expect(servedProxy(status({ httpProxy, noProxy: "*" }))).toEqual(none);
  });

  it("is refused while its status names no proxy but its specification does", () => {
    const spec = { httpsProxy: "http://proxy.example.com:3128" };
    expect(() => servedProxy({ spec, status: {} })).toThrow(
      "Proxy/cluster: status: names no proxy, but the specification does, so no node was changed",
    );
  });

  it.for([
    ["httpProxy", "proxy.example.com:3128"],
    ["httpProxy", "socks5://proxy.example.com:1080"],
    ["httpsProxy", "https://proxy.example.com/path"],
    ["httpsProxy", "http://proxy.example.com:70000"],
    ["httpsProxy", "http://user:canary word@proxy.example.com"],
    ["httpsProxy", "http://user:canary!@proxy.example.com"],
    ["httpsProxy", "http://user:canary50%off@proxy.example.com"],
    ["httpsProxy", "http://user:canary%@proxy.example.com"],
    ["httpsProxy", "http://user:canary%4@proxy.example.com"],
    ["httpProxy", "http://[10.0.0.1]:3128"],
    ["httpProxy", "http://[fd00::1::2]:3128"],
    ["noProxy", "https://registry.example.com"],
    ["noProxy", "10.0.0.0/40"],
    ["noProxy", "a.example.com, two words"],
    ["noProxy", 17],
  ])("is refused for a wrong %s, which is named: %s", ([field, value]) => {
    const read = () => servedProxy(status({ [field as string]: value }));
    expect(read).toThrow(new RegExp(`^Proxy/cluster: status\\.${field}: `));
    expect(read).not.toThrow("canary");
  });

  it.for([
    ["a.example.com,[::1]", "[::1] must be written as ::1, which exempts every port of it"],
    ["[fd00::1]:443", "[fd00::1]:443 must be written as fd00::1, which exempts every port of it"],
    ["[fd00::1::2]", "[fd00::1::2] must be a name, an address or a network, without a scheme or a path"],
  ])("is refused for the entry %s, with what to write", ([noProxy, words]) => {
    const read = () => servedProxy(status({ noProxy }));
    expect(read).toThrow(`Proxy/cluster: status.noProxy: ${words}, so no node was changed`);
  });

  it("may name a user and a password, which are kept apart", () => {
    const { https } = servedProxy(status({ httpsProxy: "http://user:p%40ss@proxy.example.com:3128" }));
    expect(https).toEqual({ ...address, credential: "user:p%40ss" });
  });
});

describe("the file", () => {
  it("has the same three fields, and may be empty", () => {
    const text = "# ours\nhttpsProxy: http://proxy.example.com:3128\nnoProxy: a.example.com,10.0.0.0/8\n";
    const noProxy = "a.example.com,10.0.0.0/8";
    expect(proxyFile(text, "proxy.yaml")).toEqual({ http: null, https: address, noProxy });
    expect(proxyFile("", "proxy.yaml")).toEqual(none);
    expect(proxyFile("---\n", "proxy.yaml")).toEqual(none);
  });

  it.for([
    ["an unknown field", "httpProxy: http://a:1\nnoproxy: x\n", "line 2: noproxy: unknown field"],
    ["a wrong value", "\nhttpProxy: a\n", "line 2: httpProxy: must be an address"],
    ["another type", "noProxy: [a]\n", "line 1: noProxy: "],
    ["a second document", "httpProxy: http://a:1\n---\nnoProxy: b\n", "line 1: one document is expected"],
    ["what is no YAML", "httpProxy: [\n", "line 2: "],
  ])("is refused for %s, with its line", ([, text, error]) => {
    expect(() => proxyFile(text ?? "", "proxy.yaml")).toThrow(`proxy.yaml: ${error}`);
  });
});

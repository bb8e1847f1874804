import { expect, test } from "vitest";
import { recordedFile } from "../../../lambdas/inputs/input.ts";
import { proxyAddressOf, shownAddress } from "../../../lambdas/inputs/proxy/address.ts";
import { exemptsAll, noProxyOf, wrongEntry } from "../../../lambdas/inputs/proxy/no-proxy.ts";
import { proxyStateOf } from "../../../lambdas/inputs/proxy/node-state.ts";
import type { SeenMachine } from "../../../lambdas/machine/seen-machine.ts";
import type { SentInput } from "../../../lambdas/records/machine-record.ts";

const AT = "2026-11-22T12:00:00.000Z";
const files = [{ path: "containerd HTTP_PROXY", text: "http://proxy:3128" }];
const content = { sha256: "new", files };
const sent: SentInput = { sha256: "new", files: files.map(recordedFile), owner: "x:0", at: AT };
const seen = (seenAt: string, reasons: SeenMachine["reasons"] = []) => ({ seenAt, reasons }) as unknown as SeenMachine;
const [before, after] = ["2026-11-22T11:59:59.999Z", "2026-11-22T12:00:00.001Z"];

test.each<[string, SentInput | undefined, SeenMachine | undefined, string]>([
  ["that was sent nothing", undefined, seen(after), "missing"],
  ["with another content", { ...sent, files: [] }, seen(after), "missing"],
  ["that has not confirmed it", { ...sent, unconfirmed: { before: null, sent: [] } }, seen(after), "missing"],
  ["that was never seen", sent, undefined, "unchecked"],
  ["that was seen before", sent, seen(before, ["proxy"]), "unchecked"],
  ["that was seen at that moment", sent, seen(AT, ["proxy"]), "pending"],
  ["whose services run without it", sent, seen(after, ["file-renames", "proxy"]), "pending"],
  ["whose services use it", sent, seen(after, ["file-renames"]), "in-force"],
])("The proxy of a node %s is %s", (_what, record, look, state) => {
  expect(proxyStateOf({ node: "a", sent: record, seen: look }, content)).toBe(state);
});

test("A node without record has a proxy that is none", () => {
  expect(proxyStateOf({ node: "a", sent: undefined, seen: undefined }, { sha256: "0", files: [] })).toBe("in-force");
});

const wrong = "must be an address such as http://proxy.example.com:3128, without a path";

test.each<[string, ReturnType<typeof proxyAddressOf>]>([
  ["http://proxy:3128", { scheme: "http", host: "proxy:3128", credential: null }],
  ["HTTPS://Proxy.Example.com/", { scheme: "https", host: "proxy.example.com", credential: null }],
  ["http://u:p%40@proxy:3128", { scheme: "http", host: "proxy:3128", credential: "u:p%40" }],
  ["http://@proxy", { scheme: "http", host: "proxy", credential: "" }],
  ["http://[2001:db8::1]:3128", { scheme: "http", host: "[2001:db8::1]:3128", credential: null }],
  ["http://10.0.0.1:65535", { scheme: "http", host: "10.0.0.1:65535", credential: null }],
  ["http://10.0.0.1:65536", wrong],
  ["http://10.0.0.1:0", wrong],
  ["socks5://proxy", wrong],
  ["http://proxy/path", wrong],
  ["http://proxy?x", wrong],
  ["http://-proxy", wrong],
  ["xhttp://proxy", wrong],
  ["proxy:3128", wrong],
  ["", wrong],
])("The text %j is the address %j", (text, address) => {
  expect(proxyAddressOf(text)).toEqual(address);
});

test("An address is shown without its credential", () => {
  expect(shownAddress({ scheme: "https", host: "proxy:3128", credential: "u:p" })).toBe("https://proxy:3128");
});

test.each<[string, string | undefined]>([
  ["", undefined],
  ["*", undefined],
  [" .example.com , *.example.com,example.com:443", undefined],
  ["10.0.0.0/8,10.0.0.1,2001:db8::/32,::1", undefined],
  ["10.0.0.0/32", undefined],
  ["a,10.0.0.0/33", "10.0.0.0/33"],
  ["2001:db8::/129", "2001:db8::/129"],
  ["10.0.0.0/8/8", "10.0.0.0/8/8"],
  ["host/8", "host/8"],
  ["HTTP://Proxy", "http://proxy"],
  ["exa mple", "exa mple"],
  ["a:0", "a:0"],
])("The first entry of %j that exempts nothing is %s", (list, entry) => {
  expect(wrongEntry(list)).toBe(entry);
});

test("A star exempts everything, wherever it stands alone", () => {
  expect(["*", "a, * ,b", "*.a", ""].map(exemptsAll)).toEqual([true, true, false, false]);
});

test("The list has what a node must reach itself, each once, sorted", () => {
  const cluster = {
    serviceNetwork: "172.30.0.0/16",
    clusterNetwork: "10.128.0.0/14",
    machineNetwork: "10.0.0.0/16",
    apiServer: "https://api-int.example.com:6443",
  };
  expect(noProxyOf("Quay.io, localhost", cluster)).toBe(
    ".cluster.local,.svc,10.0.0.0/16,10.128.0.0/14,127.0.0.1,169.254.169.254,169.254.170.2,172.30.0.0/16,api-int.example.com,localhost,quay.io",
  );
});

const pinned = "a".repeat(64);
const bucket = { from: "bucket", bucket: "b", key: "payload/x", version: "v" };
const file = { do: "file", path: "C:\\k\\x", source: bucket, sha256: pinned, access: "inherited" };
const service = {
  do: "service",
  name: "kubelet",
  description: "Casement managed kubelet",
  commandLine: "C:\\k\\kubelet.exe",
  startType: "Automatic",
  dependsOn: [],
  restartAfter: [],
};
const rule = { do: "firewall-rule", name: "kubelet", protocol: "TCP", port: 10250, remoteAddresses: ["10.0.0.0/16"] };

const unknown = "this script knows no such action";
const wrong = (field: string): string => `the action's ${field} is missing or wrong`;

/** Actions that Casement never makes, with the error of script and simulated machine. */
export const malformedActions: readonly (readonly [what: string, action: object, error: string])[] = [
  ["an unknown kind", { do: "format-disk", path: "C:" }, unknown],
  ["a kind in other letters", { ...file, do: "File" }, unknown],
  ["a file from the bucket without a hash", { ...file, sha256: null }, wrong("sha256")],
  ["a file from the bucket with an empty hash", { ...file, sha256: "" }, wrong("sha256")],
  [
    "a file in the plan without a hash",
    { ...file, source: { from: "inline", base64: "" }, sha256: null },
    wrong("sha256"),
  ],
  [
    "a file with holes that names no version of the secret",
    { ...file, source: { from: "template", base64: "", secretId: "registries" }, sha256: null },
    wrong("source"),
  ],
  ["a file with half a hash", { ...file, sha256: "abc" }, wrong("sha256")],
  ["a file from an unknown place", { ...file, source: { ...bucket, from: "web" } }, wrong("source")],
  ["a file from a place in other letters", { ...file, source: { ...bucket, from: "Bucket" } }, wrong("source")],
  ["a file without a version", { ...file, source: { ...bucket, version: 1 } }, wrong("source")],
  ["a file without a source", { ...file, source: undefined }, wrong("source")],
  ["a file with unknown access", { ...file, access: "sytem" }, wrong("access")],
  ["a directory with unknown access", { do: "directory", path: "C:\\k", access: "System" }, wrong("access")],
  ["a path that is no text", { do: "remove-file", path: 17 }, wrong("path")],
  ["a file whose expected content is no list", { ...file, expects: pinned }, wrong("expects")],
  ["a file whose expected content is no hash", { ...file, expects: [pinned, "abc"] }, wrong("expects")],
  ["a removal without a list of contents", { do: "remove-file", path: "C:\\k\\x", expects: null }, wrong("expects")],
  ["a service with an unknown start", { ...service, startType: "auto" }, wrong("startType")],
  ["a service whose dependency is no list", { ...service, dependsOn: "containerd" }, wrong("dependsOn")],
  ["a service that waits no time", { ...service, restartAfter: [-1] }, wrong("restartAfter")],
  ["an unknown state", { do: "service-state", name: "kubelet", state: "Paused" }, wrong("state")],
  ["a log that is no text", { do: "service-state", name: "kubelet", state: "Running", log: 1 }, wrong("log")],
  ["a record that is no text", { do: "run-task", name: "guard", withinSeconds: 5, record: null }, wrong("record")],
  ["an unknown protocol", { ...rule, protocol: "tcp" }, wrong("protocol")],
  ["a port that is text", { ...rule, port: "10250" }, wrong("port")],
  ["a port that there is not", { ...rule, port: 65_536 }, wrong("port")],
  ["a variable without a value", { do: "service-variable", service: "kubelet", name: "NO_PROXY" }, wrong("value")],
  ["a variable of no service", { do: "service-variable", name: "NO_PROXY", value: null }, wrong("service")],
];

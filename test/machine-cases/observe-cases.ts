import { expect } from "vitest";
import { type MachineCase, sha256 } from "./case.ts";

const authority = "-----BEGIN CERTIFICATE-----\n";
const asks = { script: "observe", exitCode: 0 } as const;
const many = Array.from({ length: 30 }, (_, at) => `C:\\k\\file-${at}.txt`);

/** All cases of observe.ps1 that is asked for files. */
export const observeCases: readonly MachineCase[] = [
  {
    ...asks,
    name: "gives the sha256 of the files that it is asked for, and null for one that is not there",
    folders: ["C:\\k"],
    files: { "C:\\k\\kubelet-ca.crt": authority },
    request: () => ({ files: ["C:\\k\\kubelet-ca.crt", "C:\\k\\missing.crt"] }),
    result: {
      script: "observe",
      ok: true,
      files: [
        { path: "C:\\k\\kubelet-ca.crt", sha256: sha256(authority) },
        { path: "C:\\k\\missing.crt", sha256: null },
      ],
    },
  },
  {
    ...asks,
    name: "takes a folder for no file",
    folders: ["C:\\k"],
    request: () => ({ files: ["C:\\k"] }),
    result: { ok: true, files: [{ path: "C:\\k", sha256: null }] },
  },
  {
    ...asks,
    name: "refuses to give more than a list of many machines shows, and says so",
    folders: ["C:\\k"],
    files: Object.fromEntries(many.map((path) => [path, path])),
    request: () => ({ files: many }),
    exitCode: 1,
    result: {
      script: "observe",
      ok: false,
      error: expect.stringMatching(
        /^the result has \d+ characters, and SSM shows 2,500 of each machine: ask for fewer files$/,
      ),
    },
  },
];

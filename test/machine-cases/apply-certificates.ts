import { changed, failed, type MachineCase, planOf } from "./case.ts";
import { CLOSED_FILE } from "./windows.ts";

/** The certificate "O=Example, CN=Example Root". */
const BASE64 =
  "MIIBqTCCAU+gAwIBAgIUAMK635qvpiS9xkXT3qTuqoUnOJ4wCgYIKoZIzj0EAwIwKTEQMA4GA1UECgwHRXhhbXBsZTEVMBMGA1UEAwwMRXhhbXBsZSBSb290MCAXDTI2MTEyNjA0MzEyM1oYDzIxMjYxMTAyMDQzMTIzWjApMRAwDgYDVQQKDAdFeGFtcGxlMRUwEwYDVQQDDAxFeGFtcGxlIFJvb3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATxJjqx7aGBnrZKbpgfWsIwrxCotF7myJQEh6Nzgko6/B4et4SnaArcyhIXSsMvoHxtAAsPdEGPC1ZwJp2Y8SQDo1MwUTAdBgNVHQ4EFgQUC+mHOmZTmiglF4rwyFWtXKwzwzkwHwYDVR0jBBgwFoAUC+mHOmZTmiglF4rwyFWtXKwzwzkwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiAFo1lNYias8RpUGxNTV/diEup+d0URcdvKLidZA3z/dwIhANxljASxYMHHlm1a8qHBiQFvXM9oza5CkM1AH24NQbPK";
const THUMBPRINT = "3A251A9085939DBD01D80CE347906F3B4C51C20A";
const OTHER = "8F43288AD272F3103B6FB1428485EA3014C0BCFE";

const RECORD = "C:\\Casement\\authorities.json";
const record = (...names: readonly string[]): string => JSON.stringify({ added: names });

const inRoot = { store: "Root", thumbprint: THUMBPRINT };
const add = { do: "certificate", ...inRoot, base64: BASE64 };
const remove = { do: "remove-certificate", ...inRoot };
const ROOT = `Root\\${THUMBPRINT}`;

const adding: readonly MachineCase[] = [
  {
    name: "adds a certificate to the store Root, records it for SYSTEM and Administrators only, once",
    script: "apply",
    before: { certificates: { Root: [OTHER] } },
    request: planOf(add),
    exitCode: 0,
    result: changed(`certificate ${THUMBPRINT}`),
    after: { certificates: { Root: [OTHER, THUMBPRINT] }, access: { [RECORD]: CLOSED_FILE } },
    left: { [RECORD]: record(ROOT) },
    settles: true,
  },
  {
    name: "adds the same certificate to the store CA, which is another place, and keeps the names of the record",
    script: "apply",
    before: { certificates: { Root: [THUMBPRINT], CA: [] } },
    files: { [RECORD]: record(ROOT) },
    request: planOf({ ...add, store: "CA" }),
    exitCode: 0,
    result: changed(`certificate ${THUMBPRINT}`),
    after: { certificates: { Root: [THUMBPRINT], CA: [THUMBPRINT] } },
    left: { [RECORD]: record(ROOT, `CA\\${THUMBPRINT}`) },
    settles: true,
  },
  {
    name: "leaves a certificate that the store has, without a record of it",
    script: "apply",
    before: { certificates: { Root: [THUMBPRINT] } },
    request: planOf(add),
    exitCode: 0,
    result: { ok: true, changed: [], unchanged: 1 },
    left: { [RECORD]: null },
  },
  {
    name: "finds in the store Root what Windows keeps in AuthRoot",
    script: "apply",
    before: { certificates: { AuthRoot: [THUMBPRINT] } },
    request: planOf(add),
    exitCode: 0,
    result: { ok: true, changed: [], unchanged: 1 },
    left: { [RECORD]: null },
  },
  {
    name: "adds a certificate that was recorded before a crash",
    script: "apply",
    before: { certificates: { Root: [OTHER] } },
    files: { [RECORD]: record(ROOT) },
    request: planOf(add),
    exitCode: 0,
    result: changed(`certificate ${THUMBPRINT}`),
    after: { certificates: { Root: [OTHER, THUMBPRINT] } },
    left: { [RECORD]: record(ROOT) },
    settles: true,
  },
  {
    name: "adds no certificate under the thumbprint of another one",
    script: "apply",
    before: { certificates: { Root: [] } },
    request: planOf({ ...add, thumbprint: OTHER }),
    exitCode: 1,
    result: failed(`certificate ${OTHER}`, `it has thumbprint ${THUMBPRINT}`, "content-differs"),
    left: { [RECORD]: null },
  },
];

const removing: readonly MachineCase[] = [
  {
    name: "removes a certificate that its record names, once",
    script: "apply",
    before: { certificates: { Root: [OTHER, THUMBPRINT] } },
    files: { [RECORD]: record(`CA\\${OTHER}`, ROOT) },
    request: planOf(remove),
    exitCode: 0,
    result: changed(`remove-certificate ${THUMBPRINT}`),
    after: { certificates: { Root: [OTHER] } },
    left: { [RECORD]: record(`CA\\${OTHER}`) },
    settles: true,
  },
  {
    name: "forgets a certificate that others removed",
    script: "apply",
    before: { certificates: { Root: [OTHER] } },
    files: { [RECORD]: record(ROOT) },
    request: planOf(remove),
    exitCode: 0,
    result: { ok: true, changed: [], unchanged: 1 },
    after: { certificates: { Root: [OTHER] } },
    left: { [RECORD]: record() },
  },
  ...[
    ["no record", {}],
    ["a damaged record", { [RECORD]: "{" }],
    ["a record that names others", { [RECORD]: record(`CA\\${THUMBPRINT}`) }],
  ].map(
    ([what, files]): MachineCase => ({
      name: `removes no certificate with ${what as string}`,
      script: "apply",
      before: { certificates: { Root: [THUMBPRINT] } },
      files: files as Record<string, string>,
      request: planOf(remove),
      exitCode: 0,
      result: { ok: true, changed: [], unchanged: 1 },
      after: { certificates: { Root: [THUMBPRINT] } },
      left: files as Record<string, string>,
    }),
  ),
];

/** Cases in which apply.ps1 adds certificates to the machine's stores and removes them. */
export const certificates: readonly MachineCase[] = [...adding, ...removing];

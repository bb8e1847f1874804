import { describe, expect, it } from "vitest";
import { compareShapes, shapeOf } from "../../bin/acceptance/shape.ts";
import { stageTimes } from "../../bin/acceptance/stage-times.ts";
import type { AuditEntry } from "../../lambdas/audit/entry.ts";
import { reportText } from "../../lambdas/messages/acceptance/report.ts";
import { leftBehind, sentReason } from "../../lambdas/messages/acceptance/words.ts";

describe("the shape of an answer", () => {
  it("holds fields and types, and neither values nor the names of labels", () => {
    const node = {
      $metadata: { requestId: "r-1" },
      metadata: { name: "ip-10-0-3-7", labels: { "example.com/team": "secret" }, managedFields: [{ manager: "m" }] },
      spec: { taints: [{ key: "os" }, { key: "a", value: "b" }], podCIDRs: [], gone: undefined },
      at: new Date(0),
      count: 1,
      nothing: null,
      empty: {},
    };
    const shape = shapeOf(node);
    expect(shape).toEqual({
      "metadata.name": "string",
      "metadata.labels.*": "string",
      "spec.taints[].key": "string",
      "spec.taints[].value": "string",
      "spec.podCIDRs": "list",
      at: "date",
      count: "number",
      nothing: "null",
      empty: "object",
    });
    expect(JSON.stringify(shape)).not.toMatch(/secret|team|10-0-3-7/);
  });

  it("joins the types that one field has in several entries", () => {
    expect(shapeOf([{ a: 1 }, { a: "x" }, { b: true }])).toEqual({ "[].a": "number or string", "[].b": "boolean" });
  });

  it("is compared in both directions, and by type", () => {
    expect(compareShapes("x", { a: "string", b: "number" }, { b: "string", c: "date" })).toEqual({
      answer: "x",
      onlyHere: ["a"],
      onlyInSandbox: ["c"],
      otherType: ["b: here number, in the sandbox string"],
    });
  });
});

describe("times of stages", () => {
  const entry = (at: number, what: AuditEntry["what"], stage?: string) =>
    ({ at: new Date(at * 1_000).toISOString(), what, detail: stage ? { stage } : {} }) as AuditEntry;

  it("go from the begin of one stage to that of the next, and the last to the end", () => {
    const entries = [
      entry(40, "started", "evict"),
      entry(10, "started", "slot"),
      entry(15, "changed"),
      entry(12.34, "started", "cordon"),
    ];
    expect(stageTimes("remove", entries, new Date(60_000).toISOString())).toEqual({
      "remove.slot": 2.3,
      "remove.cordon": 27.7,
      "remove.evict": 20,
    });
  });

  it("add up where a stage was entered twice, and leave out what no stage of the workflow is", () => {
    const entries = [entry(0, "started", "evict"), entry(5, "started", "launch"), entry(9, "started", "evict")];
    expect(stageTimes("remove", entries, new Date(10_000).toISOString())).toEqual({ "remove.evict": 6 });
  });
});

describe("the report on a terminal", () => {
  const times = [
    { name: "provision.launch", seconds: 90, expected: [10, 37], ratio: 3.83 },
    { name: "route.repair", seconds: 42.5, expected: [1, 67], ratio: 1.25 },
    { name: "reboot.slot", seconds: 130, expected: null, ratio: null },
  ] as const;

  it("has a row for each time, and says which is outside of the sandbox's", () => {
    const text = reportText({ times, fields: [], answers: [] });
    expect(text).toMatch(/^add: launch +90 s +10 to 37 s +3\.83 +slower$/m);
    expect(text).toMatch(/^route away: until the guard's repair +43 s +1 to 67 s +1\.25$/m);
    expect(text).toMatch(/^reboot: slot +2 min 10 s +not known$/m);
    expect(text).toContain("Fields: none differs");
  });

  it("lists fields and answers that differ, and not more than eight of a kind", () => {
    const onlyHere = Array.from({ length: 11 }, (_, at) => `field${at}`);
    const fields = [{ answer: "kubernetes Node", onlyHere, onlyInSandbox: ["old"], otherType: [] }];
    const answers = [{ question: "get", here: "404 NotFound", sandbox: "403 Forbidden" }];
    const text = reportText({ times, fields, answers });
    expect(text).toContain("field7\n      … and 3 more");
    expect(text).toContain("only in the sandbox:\n      old");
    expect(text).toContain("get: here 404 NotFound, in the sandbox 403 Forbidden");
  });
});

describe("the whole report on a terminal", () => {
  const paths = (count: number): string[] => Array.from({ length: count }, (_, at) => `path${at}`);
  const same = { onlyHere: [], onlyInSandbox: [], otherType: [] };

  it("says of equal answers that none differs", () => {
    const fields = [{ answer: "kubernetes Node", ...same }];
    const answers = [{ question: "get", here: "404 NotFound", sandbox: "404 NotFound" }];
    expect(reportText({ times: [], fields, answers })).toBe(
      [
        "step  took  in the sandbox  ratio",
        "Fields: none differs from the sandbox's in 1 answers.",
        "Answers: none differs from the sandbox's in 1 questions.",
      ].join("\n\n"),
    );
  });

  it("lists what differs alone, each kind under its title", () => {
    const fields = [
      { answer: "same", ...same },
      { answer: "here", ...same, onlyHere: paths(8) },
      { answer: "there", ...same, onlyInSandbox: paths(9) },
      { answer: "typed", ...same, otherType: ["a: here date, in the sandbox string"] },
    ];
    const answers = [
      { question: "get", here: "404 NotFound", sandbox: "404 NotFound" },
      { question: "put", here: "403 Forbidden", sandbox: "200" },
      { question: "new", here: "200", sandbox: null },
    ];
    expect(reportText({ times: [], fields, answers }).split("\n\n").slice(1)).toEqual([
      [
        "Fields that differ:",
        "  here",
        "    only here:",
        ...paths(8).map((path) => `      ${path}`),
        "  there",
        "    only in the sandbox:",
        ...paths(8).map((path) => `      ${path}`),
        "      … and 1 more, see the report",
        "  typed",
        "    of another type:",
        "      a: here date, in the sandbox string",
      ].join("\n"),
      [
        "Answers that differ:",
        "  put: here 403 Forbidden, in the sandbox 200",
        "  new: here 200, in the sandbox not asked",
      ].join("\n"),
    ]);
  });

  it.each([
    [
      { name: "route.powershell", seconds: 4.5, expected: [5, 20], ratio: 0.9 },
      "route away: a start of PowerShell  4.5 s  5 to 20 s  0.90  faster",
    ],
    [
      { name: "route.repair", seconds: 5, expected: [5, 20], ratio: 1 },
      "route away: until the guard's repair  5 s  5 to 20 s  1.00",
    ],
    [{ name: "remove.cordon", seconds: 20, expected: [5, 20], ratio: 2 }, "remove: cordon  20 s  5 to 20 s  2.00"],
    [{ name: "provision.unheard", seconds: 9.96, expected: null, ratio: null }, "add: unheard  9.96 s  not known"],
    [{ name: "reboot.wait", seconds: 10.4, expected: null, ratio: null }, "reboot: wait  10 s  not known"],
    [{ name: "reboot.wait", seconds: 119.6, expected: null, ratio: null }, "reboot: wait  120 s  not known"],
    [{ name: "reboot.wait", seconds: 120, expected: null, ratio: null }, "reboot: wait  2 min 0 s  not known"],
    [{ name: "reboot.wait", seconds: 400.4, expected: null, ratio: null }, "reboot: wait  6 min 40 s  not known"],
  ] as const)("shows the time %o beside the sandbox's", (row, text) => {
    const [, line = ""] = reportText({ times: [row], fields: [], answers: [] }).split("\n");
    expect(line.replaceAll(/ {2,}/g, "  ")).toBe(text);
  });
});

describe("words of a run", () => {
  it("name what is left and both commands", () => {
    const left = { instanceId: "i-1", nodeName: null, operation: "reboot-1", flags: " --folder runs" };
    expect(
      leftBehind(left),
    ).toBe(`Left: the instance i-1, which costs money until it is removed. The operation reboot-1 goes on without this terminal.
  npm run acceptance -- --clean-up --folder runs   removes it
  npm run acceptance -- --resume --folder runs     goes on with the run`);
  });

  it("let no user name of a terminal end the quoted reason", () => {
    const arn = "arn:aws:sts::111122223333:assumed-role/Admin/olivia@example.com";
    expect(sentReason("acc-1", 'olivia" --dry-run', `${arn}"`)).toBe(
      `acceptance acc-1, sent from the terminal of olivia --dry-run by ${arn}`,
    );
  });
});

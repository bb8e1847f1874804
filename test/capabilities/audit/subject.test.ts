import { expect, test } from "vitest";
import { concerns, subjectOf } from "../../../lambdas/capabilities/audit/subject.ts";
import { parse } from "../../../lambdas/commands/parse.ts";

const vocabulary = { pools: ["web"], commandWord: "/win" };

/** Subject that a typed text asks the audit for. */
const asked = (text: string) => {
  const parsed = parse(text, vocabulary);
  if ("problem" in parsed || parsed.request.command !== "audit") return parsed;
  return subjectOf(parsed.request.of);
};

test.each([
  ["audit", { kind: "everything" }],
  ["audit --days 3", { kind: "everything" }],
  ["audit remove-3f9c2a71", { kind: "operation", id: "remove-3f9c2a71" }],
  ["audit <@U0OPERATOR|olivia>", { kind: "person", who: "u0operator" }],
  ["audit <@U0OPERATOR>", { kind: "person", who: "u0operator" }],
  ["audit @Olivia", { kind: "person", who: "olivia" }],
  ["audit ip-10-0-3-7", { kind: "node", named: "ip-10-0-3-7" }],
  ["audit i-0ab12cd34ef567890", { kind: "node", named: "i-0ab12cd34ef567890" }],
])("%j asks for the right thing", (text, subject) => {
  expect(asked(text)).toEqual(subject);
});

test.each(["audit @", "audit a/b", "audit web batch", "audit --days 0", "audit --days 500"])(
  "%j is a mistake",
  (text) => {
    expect(parse(text, vocabulary)).toHaveProperty("problem");
  },
);

test("an entry concerns the person who did it, by id and by name, and no person else", () => {
  const act = { what: "requested", by: { person: "U0OPERATOR", name: "olivia" } } as const;
  expect(concerns(act, { kind: "person", who: "u0operator" })).toBe(true);
  expect(concerns(act, { kind: "person", who: "olivia" })).toBe(true);
  expect(concerns(act, { kind: "person", who: "oliv" })).toBe(false);
  expect(concerns({ what: "changed" }, { kind: "person", who: "olivia" })).toBe(false);
  expect(concerns({ what: "changed", by: { rule: "sweep" } }, { kind: "person", who: "sweep" })).toBe(true);
});

test("an entry concerns a node by its name, its instance, or a beginning that ends at a joint of the name", () => {
  const node = { name: "ip-10-0-3-7.internal", uid: "uid-1", instanceId: "i-0ab12" };
  const about = (named: string) => concerns({ what: "changed", node }, { kind: "node", named });
  expect(["ip-10-0-3-7", "ip-10-0-3-7.internal", "i-0ab12", "i-0ab", "uid-1"].filter((named) => !about(named))).toEqual(
    [],
  );
  expect(["ip-10-0-3", "ip-10-0-30", "10-0-3-7", "i-0cd"].filter(about)).toEqual(["ip-10-0-3"]);
  const other = { what: "requested", detail: { command: "remove", node: "ip-10-0-3-7" } } as const;
  expect(concerns(other, { kind: "node", named: "ip-10-0-3-7" })).toBe(true);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { sha256 } from "../../../lambdas/cluster/authorities.ts";
import { type InputContent, valueFor } from "../../../lambdas/inputs/input.ts";
import { mirrorsInput } from "../../../lambdas/inputs/mirrors/input.ts";
import type { Action } from "../../../lambdas/machine/plan.ts";
import { type SentInput, sendingInput } from "../../../lambdas/records/machine-record.ts";

const FOLDER = "C:\\k\\containerd\\registries\\";
const REGISTRIES = ["a.example.com", "b.example.com", "c.example.com", "d.example.com"];
const work = { owner: "reconcile-1:0", at: "2026-11-26T03:00:00Z" };

/** Files of a machine by their path. */
type Disk = Map<string, string>;

/** Executes one action as apply.ps1 does. @returns false where it refuses files of others */
function execute(disk: Disk, action: Action): boolean {
  if (action.do !== "file" && action.do !== "remove-file") return true;
  const now = disk.get(action.path);
  const isForeign = action.expects !== undefined && now !== undefined && !action.expects.includes(sha256(now));
  // A removal leaves what others wrote, and does not fail.
  if (isForeign) return action.do === "remove-file";
  if (action.do === "remove-file") disk.delete(action.path);
  else if (action.source.from === "inline")
    disk.set(action.path, Buffer.from(action.source.base64, "base64").toString());
  return true;
}

const contents = fc
  .dictionary(fc.constantFrom(...REGISTRIES), fc.constantFrom("one", "two"), { noNullPrototype: true })
  .map((texts): InputContent => {
    const files = Object.entries(texts).map(([registry, text]) => ({ path: `${FOLDER}${registry}\\hosts.toml`, text }));
    return { sha256: mirrorsInput.identityOf(files), files };
  });

/** Change of a machine that may be interrupted after some actions. */
const changes = fc.array(fc.record({ content: contents, after: fc.nat({ max: 6 }) }), { maxLength: 6 });
const foreign = fc.dictionary(fc.constantFrom(...REGISTRIES), fc.constant("of others"), {
  noNullPrototype: true,
  maxKeys: 1,
});

/** Changes a machine: the record first, then the actions, then the confirmation if nothing interrupted it. */
function change(disk: Disk, sent: SentInput | undefined, content: InputContent, most: number): SentInput {
  const value = valueFor(mirrorsInput, content, sent);
  const record = sendingInput(sent, value, work);
  const actions = mirrorsInput.actions(content, sent);
  const isWhole = actions.slice(0, most).every((action) => execute(disk, action)) && most >= actions.length;
  return isWhole ? { ...value, ...work } : record;
}

test("after any interruptions a whole change leaves its files, none of an earlier one, and every file of others", {
  tags: ["long"],
}, () => {
  fc.assert(
    fc.property(changes, contents, foreign, (before, last, others) => {
      const disk: Disk = new Map(
        Object.entries(others).map(([registry, text]) => [`${FOLDER}${registry}\\hosts.toml`, text]),
      );
      const theirs = new Map(disk);
      let sent: SentInput | undefined;
      for (const { content, after } of before) sent = change(disk, sent, content, after);
      const end = change(disk, sent, last, Number.POSITIVE_INFINITY);
      for (const [path, text] of theirs) expect(disk.get(path)).toBe(text);
      if (end.unconfirmed) return;
      const wanted = new Map(last.files.map(({ path, text }) => [path, text]));
      expect(new Map([...disk].filter(([path]) => !theirs.has(path)))).toEqual(wanted);
    }),
    { numRuns: 1_000 },
  );
});

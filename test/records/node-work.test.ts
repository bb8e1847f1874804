import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseOwner, workOf, workOwner } from "../../lambdas/records/node-work.ts";

describe("an owner's name", () => {
  it("is read back as the work that it names", () => {
    const works = fc.record({ operation: fc.stringMatching(/^[a-z]{1,20}-[0-9a-f]{8}$/), index: fc.nat(9_999) });
    fc.assert(fc.property(works, (work) => isDeepStrictEqual(parseOwner(workOwner(work)), { ...work })));
  });

  it.each(["", "add-1", "add-1:", ":0", "add-1:-1", "add-1:0:0", "add 1:0"])("is none in %j", (text) => {
    expect(parseOwner(text)).toBeUndefined();
    expect(() => workOf(text)).toThrow("names no work on a node");
  });
});

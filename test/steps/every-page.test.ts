import { expect, test } from "vitest";
import { Retryable } from "../../lambdas/errors.ts";
import { everyPage } from "../../lambdas/steps/every-page.ts";

/** Reads a list whose pages name these pages as their next ones. */
function read(next: Readonly<Record<string, string>>) {
  let asked = 0;
  return everyPage<string>(async ({ _continue = "first" }) => {
    asked += 1;
    if (asked > 9) throw new Error("the list is read for ever");
    return { items: [_continue], metadata: { _continue: next[_continue] ?? "" } };
  });
}

test("The pages of a list are read in their order, until one names no other", async () => {
  expect(await read({ first: "b", b: "c" })).toEqual(["first", "b", "c"]);
});

test.each([
  ["the same page again", { first: "b", b: "b" }],
  ["pages in a circle", { first: "b", b: "c", c: "b" }],
])("A list that names %s may be read again later, and ends now", async (_, next) => {
  const error = await read(next).catch((thrown: unknown) => thrown);
  expect(error).toEqual(new Retryable("the API server's list names a page that was read already"));
  expect(error).toBeInstanceOf(Retryable);
});

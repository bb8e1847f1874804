import { expect, test } from "vitest";
import { parse } from "../../lambdas/commands/parse.ts";
import { typedAgain } from "../../lambdas/commands/typed-again.ts";

const vocabulary = { pools: ["web", "batch"], commandWord: "/win" };
const parsed = (text: string) => {
  const read = parse(text, vocabulary);
  if (!("request" in read)) throw new Error(`${text} is no request`);
  return read.request as Parameters<typeof typedAgain>[0];
};
const again = (text: string, changed?: object): string =>
  [parsed(text).command, ...typedAgain(parsed(text), changed as never)].join(" ");

test.each([
  "drain ip-10-0-3-7",
  'reboot ip-10-0-3-7 --force ip-10-0-3-7 --ec2 --at "Sat 02:00" --reason "disk errors"',
  'reboot ip-10-0-3-7 --break-glass "the disk fails" --reason INC-7',
  "reboot web --force web --due --max 2 --canary",
  "reboot ip-10-0-3-7 ip-10-0-3-8 --canary",
  'restart web --now "users wait"',
  "reboot --due",
  "assist ip-10-0-3-7 --end",
  "prove 10.0.3.7",
])("%j is typed again as it was", (text) => {
  expect(again(text)).toBe(text);
  expect(parsed(again(text))).toEqual(parsed(text));
});

test("A dry run is not typed again, nodes have their host names, and an option may be added or left out", () => {
  const typed = 'drain ip-10-0-3-7.us-west-2.compute.internal --dry-run --reason "it\'s slow"';
  expect(again(typed, { force: "ip-10-0-3-7", reason: undefined })).toBe("drain ip-10-0-3-7 --force ip-10-0-3-7");
  expect(again(typed)).toBe('drain ip-10-0-3-7 --reason "it\'s slow"');
});

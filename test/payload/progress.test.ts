import { expect, test } from "vitest";
import { bar, progressDisplay } from "../../bin/payload/progress.ts";

const MIB = 1024 * 1024;

function display(isTerminal: boolean) {
  const written: string[] = [];
  let time = 0;
  const screen = { write: (text: string) => written.push(text), isTerminal, now: () => time };
  return { written, shown: progressDisplay(screen), pass: (ms: number) => (time += ms) };
}

test("a bar has the done part, both sizes and the name", () => {
  expect(bar("kubelet.exe", 15 * MIB, 60 * MIB)).toBe("[======                  ]     15.0 of 60.0 MiB kubelet.exe");
  expect(bar("list", 2 * MIB, null)).toBe("[                        ]              2.0 MiB list");
});

test("a terminal gets bars that are drawn over each other, not more than ten a second", () => {
  const { written, shown, pass } = display(true);
  const [one, other] = [shown.of("one"), shown.of("other")];
  pass(100);
  one(1, 4);
  one(2, 4);
  pass(100);
  other(1, 4);
  expect(written).toHaveLength(2);
  expect(written[1]?.startsWith("\u001b[1A\u001b[2K[")).toBe(true);
  expect(written[1]?.match(/\n/g)).toHaveLength(2);
});

test("a log gets one line for each finished download", () => {
  const { written, shown } = display(false);
  shown.of("one")(MIB, 2 * MIB);
  shown.of("one")(2 * MIB, 2 * MIB);
  shown.of("list")(MIB, null);
  shown.end();
  expect(written).toEqual(["one: 2.0 MiB\n", "list: 1.0 MiB\n"]);
});

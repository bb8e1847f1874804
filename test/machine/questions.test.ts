import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type Answers, answersHash, canonicalAnswers, packed } from "../../lambdas/machine/questions.ts";
import { answersIn } from "../../lambdas/machine/result-lines.ts";

const gzipped = (value: object): string => gzipSync(JSON.stringify(value)).toString("base64");

const verdict = '{"script":"observe","ok":true}';
const answers: Answers = { metadata: { answers: true }, reboot: { reasons: ["servicing"] } };

describe("the canonical text of an answer", () => {
  it("sorts fields by their codes and counts the characters of texts", () => {
    expect(canonicalAnswers({ b: [1, "a,b", null], B: { x: true }, a: "" })).toBe("{B={x=true},a=0:,b=[1,3:a,b,~]}");
  });

  it("tells apart what only a separator would join", () => {
    expect(answersHash(["a,b"])).not.toBe(answersHash(["a", "b"]));
    expect(answersHash(null)).not.toBe(answersHash("~"));
  });
});

describe("answers on their way", () => {
  it("come out as they were packed, before the verdict", () => {
    expect(answersIn(`answers ${packed(answers)}\r\n${verdict}\r\n`)).toEqual(answers);
  });

  it.for([
    ["are not there", verdict],
    ["were cut", `answers ${packed(answers).slice(0, 40)}\n${verdict}`],
    ["have another form", `answers ${gzipped({ metadata: { answers: "yes" } })}\n${verdict}`],
    ["would fill the memory", `answers ${gzipped({ padding: "a".repeat(300_000) })}\n${verdict}`],
    ["stand elsewhere", `answers ${packed(answers)}\nwords\n${verdict}`],
  ])("are none when they %s", ([, output]) => {
    expect(answersIn(output ?? "")).toBeUndefined();
  });

  it("are refused when SSM would not keep them whole", () => {
    const paths = Array.from({ length: 400 }, () => ({
      path: randomBytes(40).toString("hex"),
      kind: null,
      sha256: null,
      size: null,
    }));
    expect(() => packed({ paths })).toThrow(
      /^the answers have \d+ characters, and SSM keeps 21000 of them: ask for less$/,
    );
  });
});

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { documentLimits, documentScripts } from "../../lambdas/scripts/documents.ts";
import { documentHashes, scriptDocument, scriptDocuments } from "../../lib/constructs/script-document.ts";
import { scriptText } from "../../lib/constructs/script-text.ts";
import { syntaxFaults } from "./parsing.ts";

describe("SSM documents", () => {
  it("are built from all scripts that the bot sends", () => {
    expect(scriptDocuments("prod-west").map(({ script }) => script)).toEqual([...documentScripts]);
  });

  it.for(scriptDocuments("prod-west"))(
    "$script holds the script's code line by line, for Windows alone",
    async ({ script, content }) => {
      const document = JSON.parse(content);
      const [step] = document.mainSteps;
      expect(document.schemaVersion).toBe("2.2");
      expect(step).toMatchObject({
        action: "aws:runPowerShellScript",
        precondition: { StringEquals: ["platformType", "Windows"] },
      });
      expect(step.inputs.timeoutSeconds).toBe(String(documentLimits[script].timeoutSeconds));
      const [first, ...lines] = scriptText(script).split("\n");
      const code = lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
      expect(step.inputs.runCommand).toEqual([first, ...code]);
      expect(await syntaxFaults(step.inputs.runCommand.join("\n"))).toEqual([]);
    },
  );

  it("the document of a reboot outlasts two hours of Windows updates", () => {
    const { content } = scriptDocuments("prod-west").find(({ script }) => script === "reboot") ?? { content: "{}" };
    expect(Number(JSON.parse(content).mainSteps[0].inputs.timeoutSeconds)).toBeGreaterThan(2 * 3_600);
  });

  it.for(scriptDocuments("prod-west"))("$script takes nothing but base64 of bounded length", ({ script, content }) => {
    const { Request, ...others } = JSON.parse(content).parameters;
    expect(others).toEqual({});
    const pattern = new RegExp(Request.allowedPattern);
    expect(pattern.test("A".repeat(documentLimits[script].maxRequest))).toBe(true);
    for (const hostile of ["'; Restart-Computer; '", "$(calc)", "`n", "{{ x }}", "a b", "YQ==\n'"])
      expect(pattern.test(hostile)).toBe(false);
    expect(Request.maxChars).toBe(documentLimits[script].maxRequest);
  });

  it.for(scriptDocuments("prod-west"))(
    "$script carries the hash of its content in its name",
    ({ script, name, content, sha256 }) => {
      expect(sha256).toBe(createHash("sha256").update(content).digest("hex"));
      expect(name).toBe(`casement-prod-west-${script}-${sha256.slice(0, 12)}`);
    },
  );

  it("get another name when the script changes", () => {
    expect(scriptDocument("prod-west", "apply", "exit 0").name).not.toBe(
      scriptDocument("prod-west", "apply", "exit 1").name,
    );
  });

  it("refuse a script that is too large for its request", () => {
    expect(() => scriptDocument("prod-west", "apply", "x".repeat(62_000))).toThrow("SSM takes 65536");
  });

  it.for(scriptDocuments("prod-west"))("$script leaves its script room to grow by 8 KB", ({ script, content }) => {
    const size = Buffer.byteLength(content) + documentLimits[script].maxRequest;
    expect(64 * 1024 - size).toBeGreaterThanOrEqual(8 * 1024);
  });

  it("are passed to the functions by script", () => {
    const documents = scriptDocuments("prod-west");
    expect(documentHashes(documents)).toEqual({
      apply: documents[0]?.sha256,
      observe: documents[1]?.sha256,
      reboot: documents[2]?.sha256,
      route: documents[3]?.sha256,
    });
  });
});

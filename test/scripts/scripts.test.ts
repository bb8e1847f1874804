import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { documentScripts } from "../../lambdas/scripts/documents.ts";
import { machineScripts, scriptText } from "../../lib/constructs/script-text.ts";
import { frameworkFaults, newerThan51, syntaxFaults } from "./parsing.ts";

const everywhere = globSync(
  ["bin", "lambdas", "lib", "test"].flatMap((folder) => [`${folder}/**/*.ps1`, `${folder}/**/*.psm1`]),
);
const ours = globSync("lambdas/scripts/**/*.ps1");
const whole = [...documentScripts, ...machineScripts];

describe("every PowerShell file", () => {
  it.for(everywhere)("%s parses", async (path) => {
    expect(await syntaxFaults(readFileSync(path, "utf8"))).toEqual([]);
  });

  it.for(ours)("%s runs under Windows PowerShell 5.1", async (path) => {
    const text = readFileSync(path, "utf8");
    expect(newerThan51(text)).toEqual([]);
    expect(await frameworkFaults(text)).toEqual([]);
  });
});

describe("every whole script", () => {
  it.for(whole)("%s names itself first, includes what it needs and parses", async (name) => {
    const text = scriptText(name);
    expect(text.split("\n")[0]).toBe(`# casement-script: ${name}`);
    expect(text).not.toContain("# include:");
    expect(await syntaxFaults(text)).toEqual([]);
  });

  it.for(whole)("%s is strict, stops at errors and reports its result", (name) => {
    const text = scriptText(name);
    expect(text).toMatch(/^Set-StrictMode -Version 2$/m);
    expect(text).toMatch(/^\$ErrorActionPreference = 'Stop'$/m);
    expect(text).toMatch(/^\s+exit 1$|^exit \[int\]/m);
  });

  it.for(whole)("%s never restarts the machine itself and never runs text as code", (name) => {
    expect(scriptText(name)).not.toMatch(
      /Restart-Computer|Stop-Computer|shutdown|Invoke-Expression|\biex\b|Start-Process/i,
    );
  });

  it.for(whole)("%s compiles nothing, except for the one function of Windows that no module offers", (name) => {
    expect(scriptText(name).match(/Add-Type .*|DllImport\("[^"]*"/g) ?? []).toEqual(
      name === "network"
        ? [
            'DllImport("vmcompute.dll"',
            "Add-Type -Namespace 'Casement' -Name 'Hns' -MemberDefinition $import -PassThru",
          ]
        : [],
    );
  });

  it.for(whole)("%s loads no AWS module: the one on Amazon's images takes minutes on a cold disk", (name) => {
    const text = scriptText(name);
    expect(text).not.toMatch(/AWS\.?(Tools|PowerShell)|\b[A-Z]\w+-(S3|SEC|EC2|SSM|STS)[A-Z]\w+/);
    expect(text).not.toMatch(/Import-Module/);
  });

  it.for(documentScripts)(
    "%s has no text over several lines, which a document would carry without its indentation",
    (name) => {
      expect(scriptText(name)).not.toMatch(/@["']\s*$/m);
    },
  );

  it.for(documentScripts)("%s takes its one request between single quotes", (name) => {
    const text = scriptText(name);
    expect(text.match(/\{\{/g)).toHaveLength(1);
    expect(text).toContain("param([string] $Request = '{{ Request }}')");
  });

  it("only reboot.ps1 can end with 3010", () => {
    expect(whole.filter((name) => /exit 3010/.test(scriptText(name)))).toEqual(["reboot"]);
  });
});

describe("the gate itself", () => {
  it.for(["if ($a) {", "function { }}", "$x = @(1, 2"])("finds that %o is no PowerShell", async (text) => {
    expect(await syntaxFaults(text)).not.toEqual([]);
  });

  it.for([
    "$a ?? $b",
    "Get-Item x && Get-Item y",
    "$x = $ok ? 1 : 2",
    "1..3 | ForEach-Object -Parallel { $_ }",
    "Out-File x -Encoding utf8NoBOM",
    "$t | ConvertFrom-Json -AsHashtable",
    "if ($IsWindows) { }",
    "Write-Output '\u00e4'",
  ])("finds that 5.1 does not take %o", (text) => {
    expect(newerThan51(text)).toHaveLength(1);
  });

  it.for([
    ["[IO.File]::Move($new, $path, $true)", "[IO.File]::Move/3"],
    ["[Security.Cryptography.SHA256]::HashData($bytes)", "[Security.Cryptography.SHA256]"],
    ["[Convert]::ToHexString($bytes)", "[Convert]::ToHexString/1"],
    ["if ($text.Contains('a', [StringComparison]::Ordinal)) { }", ".Contains/2"],
    ["$text.Split('::')", ".Split/1 takes characters"],
    ["$text.Replace('a', 'b', $true, $null)", ".Replace/4"],
    ["$ask = New-Object Net.Http.HttpClient", "[Net.Http.HttpClient]"],
    ["$x = [Environment]::ProcessPath", "[Environment]::ProcessPath"],
    ["$x = $value -is [Half]", "[Half]"],
    ["try { } catch [Net.Http.HttpRequestException] { }", "[Net.Http.HttpRequestException]"],
  ] as const)("finds what .NET Framework does not have in %o", async ([text, what]) => {
    const faults = await frameworkFaults(`$first = 1\n${text}`);
    expect(faults).not.toEqual([]);
    expect(faults.every(({ line }) => line === 2)).toBe(true);
    expect(faults.map((fault) => fault.what).join("\n")).toContain(what);
  });

  it("lets words in quotes and comments pass", () => {
    expect(newerThan51("# a && b\nWrite-Output '?? && utf8NoBOM' # -Parallel")).toEqual([]);
  });
});

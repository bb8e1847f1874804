import type { Node } from "web-tree-sitter";
import { type Use, usesOf } from "./framework-use.ts";

/**
 * Types and members of .NET that Casement's scripts may use: each entry is from Microsoft's reference for .NET
 * Framework 4.7.2, the oldest on a supported Windows Server (2019). PowerShell 7 runs on a newer .NET with more
 * members, so it cannot check this.
 */
const types: Readonly<Record<string, readonly string[]>> = {
  Array: ["Reverse/1", "Sort/2"],
  BitConverter: ["GetBytes/1", "ToString/1", "ToUInt32/2"],
  "Collections.Generic.List": [],
  "Collections.IDictionary": [],
  "ComponentModel.Win32Exception": [],
  Console: ["Out"],
  Convert: ["FromBase64String/1", "ToBase64String/1", "ToString/2"],
  DateTime: ["MaxValue", "MinValue", "Now", "UtcNow"],
  DateTimeOffset: ["FromUnixTimeSeconds/1", "MinValue", "TryParse/4", "UtcNow"],
  "Diagnostics.Process": ["GetProcessById/1"],
  Environment: ["GetEnvironmentVariable/2", "MachineName", "TickCount"],
  Exception: [],
  "Globalization.CultureInfo": ["InvariantCulture"],
  "Globalization.DateTimeStyles": ["AssumeUniversal"],
  "IO.Compression.CompressionMode": ["Compress"],
  "IO.Compression.GZipStream": [],
  "IO.Directory": ["CreateDirectory/1", "Delete/1", "Exists/1"],
  "IO.File": [
    "AppendAllText/2",
    "Create/1",
    "Delete/1",
    "Exists/1",
    "Move/2",
    "Open/3",
    "Open/4",
    "ReadAllBytes/1",
    "ReadAllText/1",
    "Replace/3",
    "WriteAllBytes/2",
    "WriteAllText/2",
    "WriteAllText/3",
  ],
  "IO.FileAttributes": ["ReparsePoint"],
  "IO.IOException": [],
  "IO.MemoryStream": [],
  "IO.Path": ["Combine/2", "GetDirectoryName/1", "GetFileName/1", "GetFullPath/1"],
  "IO.StreamReader": [],
  "Management.Automation.MethodInvocationException": [],
  "Management.Automation.PSCustomObject": [],
  "Management.Automation.PropertyNotFoundException": [],
  Math: ["Abs/1", "Ceiling/1", "Floor/1", "Max/2", "Min/2", "Pow/2", "Round/1"],
  "Net.HttpWebRequest": ["Create/1"],
  "Net.IPAddress": ["Parse/1"],
  "Net.SecurityProtocolType": ["Tls12"],
  "Net.ServicePointManager": ["SecurityProtocol"],
  "Net.WebException": [],
  "Net.WebUtility": ["HtmlDecode/1"],
  NullString: ["Value"],
  "Security.Cryptography.HMACSHA256": [],
  "Security.Cryptography.SHA256CryptoServiceProvider": [],
  StringComparer: ["Ordinal", "OrdinalIgnoreCase"],
  "Text.Encoding": ["ASCII", "UTF8"],
  "Text.UTF8Encoding": [],
  "Threading.AbandonedMutexException": [],
  "Threading.Mutex": [],
  TimeSpan: ["FromMinutes/1", "FromSeconds/1"],
  UnauthorizedAccessException: [],
  Uri: ["EscapeDataString/1"],
  ValueType: [],
};

/** PowerShell's short names (about_Type_Accelerators of 5.1), and the attributes of its parameters. */
const shortNames: Readonly<Record<string, readonly string[]>> = {
  bool: [],
  byte: [],
  char: [],
  CmdletBinding: [],
  double: [],
  hashtable: [],
  int: [],
  long: [],
  ordered: [],
  Parameter: [],
  pscustomobject: [],
  psobject: [],
  ref: [],
  regex: ["Escape/1", "Match/2", "Matches/2", "Replace/3", "Unescape/1"],
  scriptblock: [],
  string: ["Join/2"],
  switch: [],
  timespan: [],
  Type: [],
  uint32: [],
  uint64: [],
  version: [],
};

/** Methods of values, with the numbers of arguments that .NET Framework has for the types in these scripts. */
const methods: readonly string[] = [
  "Add/1",
  "Add/2",
  "AddMinutes/1",
  "AddSeconds/1",
  "Close/0",
  "ComputeHash/1",
  "Contains/1",
  "ContainsKey/1",
  "CopyTo/1",
  "Dispose/0",
  "EndsWith/1",
  "Flush/0",
  "Flush/1",
  "GetAddressBytes/0",
  "GetBaseException/0",
  "GetBytes/1",
  "GetEnumerator/0",
  "GetRequestStream/0",
  "GetResponse/0",
  "GetResponseStream/0",
  "GetString/1",
  // Of Windows, by the signature that network.ps1 imports.
  "HNSCall/4",
  "IndexOf/1",
  "IsInstanceOfType/1",
  "ReadToEnd/0",
  "ReleaseMutex/0",
  "Remove/1",
  "Replace/2",
  "SetSecurityDescriptorSddlForm/2",
  "Split/1",
  "Start/0",
  "StartsWith/1",
  "Stop/0",
  "Substring/1",
  "Substring/2",
  "ToArray/0",
  "ToLowerInvariant/0",
  "ToString/0",
  "ToString/1",
  "ToString/2",
  "ToUniversalTime/0",
  "ToUnixTimeSeconds/0",
  "ToUpperInvariant/0",
  "Trim/0",
  "TrimEnd/0",
  "TrimEnd/1",
  "TrimStart/1",
  "WaitOne/1",
  "Write/3",
  "WriteLine/1",
];

const lower = (text: string): string => text.toLowerCase();
const knownTypes = new Map(
  [...Object.entries(types), ...Object.entries(shortNames)].map(([name, members]) => [lower(name), members.map(lower)]),
);
const knownMethods = new Set(methods.map(lower));

/** .NET Framework takes characters where .NET Core takes a string: a longer string would split at each character. */
const splitsAtOne = ({ name, arguments: [by = ""] }: Use): boolean =>
  !/^\.(Split|TrimEnd|TrimStart|Trim)\/1$/i.test(name) || /^('.'|"`?.")$/.test(by);

function faultOf(use: Use): string | undefined {
  const lookUp = `look it up for .NET Framework 4.7.2, then name it in test/scripts/framework.ts`;
  if (use.name.startsWith(".")) {
    if (!knownMethods.has(lower(use.name.slice(1)))) return `the method ${use.name} is not known: ${lookUp}`;
    return splitsAtOne(use) ? undefined : `${use.name} takes characters in 5.1, not the text ${use.arguments[0]}`;
  }
  const [type = "", member] = use.name.split("::");
  const members = knownTypes.get(lower(type));
  if (!members) return `the type [${type}] is not known: ${lookUp}`;
  const known = member === undefined || members.includes(lower(member));
  return known ? undefined : `[${type}]::${member} is not known: ${lookUp}`;
}

/**
 * Lists the types, static members and methods in a parsed script that Windows PowerShell 5.1 may not have, with their
 * lines.
 */
export const unknownToFramework = (script: Node): { readonly line: number; readonly what: string }[] =>
  usesOf(script).flatMap((use) => {
    const what = faultOf(use);
    return what === undefined ? [] : [{ line: use.line, what }];
  });

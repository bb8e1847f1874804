import type { Node } from "web-tree-sitter";

/** A use of .NET in a script. */
export interface Use {
  /** Counted from 1. */
  readonly line: number;
  /** "IO.File", "IO.File::Move/2" (arguments), "IO.Path::DirectorySeparatorChar" or, for a method of a value, ".Replace/2". */
  readonly name: string;
  readonly arguments: readonly string[];
}

const named = (node: Node, type: string): Node | undefined =>
  node.namedChildren.find((child) => child?.type === type) ?? undefined;

/** The type's name without its parameters: "byte[]" is byte, "List[string]" is List. */
const typeName = (text: string): string => text.replace(/\[.*$/, "").replace(/^System\./i, "");

/** Arguments of a call, as written. */
function argumentsOf(call: Node): string[] {
  const list = named(call, "argument_list");
  const expressions = list && named(list, "argument_expression_list");
  return (expressions?.namedChildren ?? []).flatMap((one) => (one?.type === "argument_expression" ? one.text : []));
}

function memberUse(node: Node, isCall: boolean): Use[] {
  const line = node.startPosition.row + 1;
  const type = node.namedChildren[0]?.type === "type_literal" ? typeName(node.namedChildren[0].text.slice(1, -1)) : "";
  const member = named(node, "member_name")?.text ?? "";
  const given = isCall ? argumentsOf(node) : [];
  const count = isCall ? `/${given.length}` : "";
  if (type !== "") return [{ line, name: `${type}::${member}${count}`, arguments: given }];
  // A property of a value may come from any object: a cmdlet's, a row of JSON.
  return isCall ? [{ line, name: `.${member}${count}`, arguments: given }] : [];
}

function newObject(node: Node): Use[] {
  if (named(node, "command_name")?.text.toLowerCase() !== "new-object") return [];
  const [, type = ""] = /^new-object\s+(?:-TypeName\s+)?["'(]*([\w.]+)/i.exec(node.text) ?? [];
  return [{ line: node.startPosition.row + 1, name: typeName(type), arguments: [] }];
}

function useOf(node: Node): Use[] {
  if (node.type === "type_literal")
    return [{ line: node.startPosition.row + 1, name: typeName(node.text.slice(1, -1)), arguments: [] }];
  if (node.type === "invokation_expression") return memberUse(node, true);
  if (node.type === "member_access") return memberUse(node, false);
  return node.type === "command" ? newObject(node) : [];
}

/** Lists the uses of .NET in a parsed script: types, static members and methods of values. */
export const usesOf = (node: Node): Use[] => [
  ...useOf(node),
  ...node.namedChildren.flatMap((child) => (child ? usesOf(child) : [])),
];

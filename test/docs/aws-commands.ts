import * as dynamodb from "@aws-sdk/client-dynamodb";
import * as ec2 from "@aws-sdk/client-ec2";
import * as events from "@aws-sdk/client-eventbridge";
import * as lambda from "@aws-sdk/client-lambda";
import * as s3api from "@aws-sdk/client-s3";
import * as secretsmanager from "@aws-sdk/client-secrets-manager";
import * as ssm from "@aws-sdk/client-ssm";

/** AWS's own models by the CLI's name of the service; services without a client here are not judged. */
const models: Readonly<Record<string, object>> = { dynamodb, ec2, events, lambda, s3api, secretsmanager, ssm };

/** Options that every command takes (AWS CLI user guide, "Command line options", and its pagination options). */
const COMMON = ["output", "query", "region", "cli-binary-format", "max-items", "page-size"];

/** An `aws` command found in a page. */
interface AwsCommand {
  readonly service: string;
  readonly operation: string;
  readonly options: readonly string[];
}

/** Every `aws` command in a line of code. */
export const awsCommands = (line: string): AwsCommand[] =>
  line.split(/(?=\baws [a-z0-9]+ [a-z-]+)/).flatMap((part) => {
    const [, service = "", operation = ""] = /^aws ([a-z0-9]+) ([a-z-]+)/.exec(part) ?? [];
    if (service === "") return [];
    const options = [...part.matchAll(/(?<=\s)--([a-z-]+)/g)].map(([, option = ""]) => option);
    return [{ service, operation, options }];
  });

const squeezed = (name: string): string => name.replaceAll("-", "").toLowerCase();

/** Members of an operation's input, as the client's schema lists them; undefined when there is no such operation. */
function membersOf(model: object, operation: string): string[] | undefined {
  const entry = Object.entries(model).find(
    ([name]) => name.endsWith("$") && squeezed(name) === `${squeezed(operation)}$`,
  );
  const input: unknown = (entry?.[1] as unknown[] | undefined)?.[4];
  const schema = typeof input === "function" ? input() : input;
  return Array.isArray(schema) ? (schema[4] as string[]).map(squeezed) : undefined;
}

/** Parts of a command that AWS's models do not know: the operation, or options. */
export function unknownTo({ service, operation, options }: AwsCommand): string[] {
  const model = models[service];
  if (!model) return [];
  const members = membersOf(model, operation);
  if (!members) return [`${service} ${operation}`];
  return options
    .filter((option) => !COMMON.includes(option))
    .filter((option) => !members.includes(squeezed(option)) && !members.includes(squeezed(option.replace(/^no-/, ""))))
    .map((option) => `${service} ${operation} --${option}`);
}

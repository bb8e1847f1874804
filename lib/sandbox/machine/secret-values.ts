import type { FilledText } from "../../../lambdas/machine/plan.ts";
import type { InstanceRole } from "../core/ports.ts";
import type { Applying } from "./actions/applying.ts";
import { calledServices, fromAws } from "./aws-requests.ts";
import { loadAwsTools } from "./loading.ts";
import { Fault } from "./scripts/causes.ts";

type Reading = Pick<Applying, "machine" | "process" | "text">;

/** Parses a secret's text as JSON; no error contains any of it. */
function fieldsOf(secret: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(secret);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    throw new Error("the secret is not JSON");
  }
}

const ask = ({ machine, process }: Reading, secretId: string, version?: string): Promise<string> =>
  fromAws({ machine, process }, calledServices.secretsManager, (role: InstanceRole) =>
    role.readSecret(machine.id, secretId, version),
  );

/** Read-SecretText of aws.ps1: a version that is gone is replaced by the current one. */
async function readSecret(run: Reading, secretId: string, version?: string): Promise<string> {
  await loadAwsTools(run.machine, run.process, run.text);
  try {
    return await ask(run, secretId, version);
  } catch (error) {
    if (version === undefined || !(error instanceof Fault && error.message.includes("ResourceNotFoundException")))
      throw error;
    return ask(run, secretId);
  }
}

function fieldOf(fields: Readonly<Record<string, unknown>>, name: string): string {
  if (!Object.hasOwn(fields, name)) throw new Fault("secret-unusable", `the secret has no field ${name}`);
  const value = fields[name];
  if (typeof value !== "string") throw new Fault("secret-unusable", `the secret's field ${name} is not text`);
  return value;
}

/** Reads one field of a secret, as Read-Secret of files.ps1 does. @throws Error with the script's message */
export const secretField = async (run: Reading, secretId: string, field: string): Promise<string> =>
  fieldOf(fieldsOf(await readSecret(run, secretId)), field);

/** Fills the holes of a text, as Get-FilledText of files.ps1 does. @throws Error with the script's message */
export async function filledText(run: Reading, { base64, secretId, version }: FilledText): Promise<string> {
  const fields = fieldsOf(await readSecret(run, secretId, version));
  const text = Buffer.from(base64, "base64")
    .toString("utf8")
    .replaceAll(/<<([^<>]*)>>/g, (_hole, name: string) => {
      const value = fieldOf(fields, name);
      if (!/^[A-Za-z0-9+/=%:._~@-]+$/.test(value))
        throw new Fault(
          "secret-unusable",
          `the secret's field ${name} is empty or has a character that is not allowed`,
        );
      return value;
    });
  if (text.includes("<<")) throw new Fault("secret-unusable", "the text has a hole without an end");
  return text;
}

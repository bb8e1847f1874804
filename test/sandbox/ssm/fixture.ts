import { SSMClient } from "@aws-sdk/client-ssm";
import { scriptDocuments } from "../../../lib/constructs/script-document.ts";
import { AwsError, type AwsService, type Caller } from "../../../lib/sandbox/core/aws-service.ts";
import type { Fact } from "../../../lib/sandbox/core/bus.ts";
import type { WireRequest, WireResponse } from "../../../lib/sandbox/core/wire.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { sdkTransport } from "../../../lib/sandbox/in-process.ts";
import { type Ssm, ssm } from "../../../lib/sandbox/ssm/ssm.ts";
import { type Fixture, type FixtureOptions, instance, machineFixture, minutes } from "../machine/fixture.ts";

/** A permission that was required of a caller. */
export interface Asked {
  readonly action: string;
  readonly resources: readonly string[];
  readonly context: unknown;
}

/** A caller who may do everything except the actions and resources in `denied`; it records the checks. */
export function callerOf(asked: Asked[], denied: readonly string[] = []): Caller {
  return {
    principal: "tester",
    require: (action, resources, context) => {
      asked.push({ action, resources, context });
      if ([action, ...resources].some((one) => denied.includes(one)))
        throw new AwsError("AccessDeniedException", `not authorized to perform: ${action}`);
    },
  };
}

const answering =
  (service: AwsService, caller: Caller) =>
  async (request: WireRequest): Promise<WireResponse> => {
    try {
      return await service.answer(service.action(request), request, caller);
    } catch (error) {
      if (error instanceof AwsError) return service.refuse(error);
      throw error;
    }
  };

export interface SsmFixture extends Omit<Fixture, "reports" | "run" | "apply" | "observe" | "online" | "pings"> {
  readonly ssm: Ssm;
  readonly client: SSMClient;
  readonly asked: Asked[];
  readonly facts: Fact[];
  clientFor(denied: readonly string[]): SSMClient;
  /** Starts an instance and waits until it has registered. */
  online(number: number): Promise<string>;
}

export const documents = scriptDocuments("prod-west");
export const nameOf = (script: string): string => documents.find((one) => one.script === script)?.name ?? "";
export const encoded = (request: object): { Request: string[] } => ({
  Request: [Buffer.from(JSON.stringify(request)).toString("base64")],
});

const script = (lines: readonly string[], more: object = {}): object => ({
  action: "aws:runPowerShellScript",
  name: "run",
  inputs: { runCommand: lines, ...more },
});

/** Documents beside Casement's: one with two steps, one with a short time limit. */
const others = [
  {
    name: "two-steps",
    mainSteps: [
      { ...script(["# casement-script: observe", "{{ Request }}"]), name: "first" },
      { ...script(["exit 0"]), name: "second" },
    ],
  },
  { name: "short", mainSteps: [script(["# casement-script: apply", "{{ Request }}"], { timeoutSeconds: "20" })] },
  { name: "linux-only", mainSteps: [{ action: "aws:runShellScript", name: "run", inputs: { runCommand: ["true"] } }] },
].map(({ name, mainSteps }) => ({
  name,
  content: JSON.stringify({
    schemaVersion: "2.2",
    parameters: { Request: { type: "String", default: "e30=" } },
    mainSteps,
  }),
}));

export function ssmFixture(options: FixtureOptions = {}): SsmFixture {
  const fixture = machineFixture(options);
  const asked: Asked[] = [];
  const facts: Fact[] = [];
  fixture.simulation.bus.listen((fact) => facts.push(fact));
  const service = ssm(fixture.simulation, fixture.machines, {
    account: demo.accountId,
    region: demo.region,
    cloud: {
      instance: (id) => fixture.instances.get(id),
      instances: () => [...fixture.instances.values()],
      shutDownByGuest: () => undefined,
    },
    documents: [...documents, ...others],
    publicParameters: (now) => ({
      "/aws/service/ami-windows-latest/Windows_Server-2022-English-Core-Base": `ami-${now}`,
      "/aws/service/ami-windows-latest/Windows_Server-2019-English-Core-Base": "ami-2019",
      "/aws/service/other/one": "x",
    }),
    parameters: [{ name: "/own/secret", type: "SecureString", value: "hidden" }],
    callerFor: () => callerOf([]),
  });
  const clientFor = (denied: readonly string[]): SSMClient =>
    new SSMClient({
      region: demo.region,
      endpoint: "http://ssm.sandbox.test",
      credentials: { accessKeyId: "AKIA", secretAccessKey: "secret" },
      requestHandler: sdkTransport(answering(service, callerOf(asked, denied))) as never,
      maxAttempts: 1,
    });
  return {
    ...fixture,
    ssm: service,
    asked,
    facts,
    clientFor,
    client: clientFor([]),
    online: async (number) => {
      const one = instance(number);
      fixture.start(one);
      const registered = () => fixture.simulation.store.collection("ssm-instances").has(one.instanceId);
      await fixture.clock.until(registered, minutes(10));
      return one.instanceId;
    },
  };
}

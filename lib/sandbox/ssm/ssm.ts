import { z } from "zod";
import { type JsonAction, jsonAction, jsonService } from "../aws/json-protocol.ts";
import type { AwsService, Caller, Limit } from "../core/aws-service.ts";
import type { Cloud } from "../core/ports.ts";
import type { Simulation } from "../core/simulation.ts";
import type { Machines } from "../machine/machines.ts";
import { amazonDocuments } from "./amazon-documents.ts";
import { type Associations, describeAssociationsInput, openAssociations } from "./associations.ts";
import { openDelivery } from "./delivery.ts";
import { contentOf, type Documents, openDocuments, platformTypesOf } from "./documents.ts";
import {
  cancelInput,
  commandShape,
  getInvocationInput,
  type Invocations,
  listInput,
  openInvocations,
} from "./invocations.ts";
import { describeInput, type ManagedInstances, openManagedInstances } from "./managed-instances.ts";
import type { DocumentRecord } from "./model.ts";
import {
  byPathInput,
  getParameter,
  getParameterInput,
  getParametersByPath,
  type Parameter,
  type ParameterStore,
} from "./parameters.ts";
import { describePatchStatesInput, openPatchStates, type PatchStates } from "./patch-states.ts";
import { type Sending, sendCommand, sendCommandInput } from "./send-command.ts";

/** Settings of the simulated Systems Manager. */
export interface SsmOptions {
  readonly account: string;
  readonly region: string;
  readonly cloud: Cloud;
  /** Documents of the account, by name. */
  readonly documents: readonly { readonly name: string; readonly content: string }[];
  /** AWS's public parameters at a time: name → value (AMI ids). */
  publicParameters(now: number): Readonly<Record<string, string>>;
  /** The account's own parameters. */
  readonly parameters?: readonly Parameter[];
  /** The caller behind an agent: "instance/i-…" with the node role. */
  callerFor(principal: string): Caller;
}

/** The service, and its interface to the composition. */
export interface Ssm extends AwsService {
  /** State Manager's associations, as a person creates them in the account. */
  readonly associations: Pick<Associations, "create">;
  /** Patch Manager's states of instances, as runs on them report. */
  readonly patchStates: Pick<PatchStates, "report">;
  /** Adds a document, or a new version of one. @throws AwsError InvalidDocumentContent */
  createDocument(name: string, content: string): DocumentRecord;
  /** Every registered machine with its ping status. */
  pings: ManagedInstances["pings"];
  /** Resumes after a restart of the process; call it before the machines resume. */
  resume(): void;
}

interface Parts {
  readonly sending: Sending;
  readonly managed: ManagedInstances;
  readonly associations: Associations;
  readonly patchStates: PatchStates;
  readonly documents: Documents;
  readonly invocations: Invocations;
  readonly parameters: ParameterStore;
}

/** Requires the permission of an action that takes no resource. */
const anywhere = (action: string, caller: Caller): void => caller.require(`ssm:${action}`, ["*"]);

const documentInput = z.object({ Name: z.string(), DocumentVersion: z.string().optional() });

function documentActions({ documents, sending }: Parts): Record<string, JsonAction> {
  const find = (action: string, input: z.output<typeof documentInput>, caller: Caller): DocumentRecord => {
    caller.require(`ssm:${action}`, [`arn:aws:ssm:${sending.region}:${sending.account}:document/${input.Name}`]);
    return documents.find(input.Name, input.DocumentVersion);
  };
  const common = (record: DocumentRecord) => ({
    Name: record.name,
    CreatedDate: record.createdAt / 1000,
    DocumentVersion: record.version,
    Status: "Active",
    DocumentType: "Command",
    DocumentFormat: "JSON",
  });
  return {
    GetDocument: jsonAction(documentInput, (input, caller) => {
      const record = find("GetDocument", input, caller);
      return { ...common(record), Content: record.content };
    }),
    DescribeDocument: jsonAction(documentInput, (input, caller) => {
      const record = find("DescribeDocument", input, caller);
      const platforms = platformTypesOf(contentOf(record.content));
      const about = { Hash: record.sha256, HashType: "Sha256", PlatformTypes: platforms, SchemaVersion: "2.2" };
      return {
        Document: { ...common(record), ...about, LatestVersion: record.version, DefaultVersion: record.version },
      };
    }),
  };
}

function commandActions({ sending, invocations }: Parts): Record<string, JsonAction> {
  return {
    SendCommand: jsonAction(sendCommandInput, (input, caller) => {
      const command = sendCommand(sending, input, caller);
      return { Command: commandShape(command, sending.delivery.invocationsOf(command)) };
    }),
    ListCommands: jsonAction(listInput, (input, caller) => {
      anywhere("ListCommands", caller);
      return invocations.listCommands(input);
    }),
    ListCommandInvocations: jsonAction(listInput, (input, caller) => {
      anywhere("ListCommandInvocations", caller);
      return invocations.listInvocations(input);
    }),
    GetCommandInvocation: jsonAction(getInvocationInput, (input, caller) => {
      anywhere("GetCommandInvocation", caller);
      return invocations.get(input);
    }),
    CancelCommand: jsonAction(cancelInput, (input, caller) => {
      anywhere("CancelCommand", caller);
      return invocations.cancel(input);
    }),
  };
}

function actionsOf(parts: Parts): Record<string, JsonAction> {
  return {
    ...commandActions(parts),
    ...documentActions(parts),
    DescribeInstanceInformation: jsonAction(describeInput, (input, caller) => {
      anywhere("DescribeInstanceInformation", caller);
      return parts.managed.describe(input);
    }),
    DescribeInstanceAssociationsStatus: jsonAction(describeAssociationsInput, (input, caller) => {
      anywhere("DescribeInstanceAssociationsStatus", caller);
      return parts.associations.describe(input);
    }),
    DescribeInstancePatchStates: jsonAction(describePatchStatesInput, (input, caller) => {
      anywhere("DescribeInstancePatchStates", caller);
      return parts.patchStates.describe(input);
    }),
    GetParameter: jsonAction(getParameterInput, (input, caller) => getParameter(parts.parameters, input, caller)),
    GetParametersByPath: jsonAction(byPathInput, (input, caller) =>
      getParametersByPath(parts.parameters, input, caller),
    ),
  };
}

/**
 * AWS publishes no figures for Run Command; Parameter Store's default is 40 a second (Service Quotas). All others are
 * assumed.
 */
const rates: Readonly<Record<string, readonly [capacity: number, perSecond: number]>> = {
  SendCommand: [20, 10],
  GetParameter: [40, 40],
};
const OTHER_RATE = [40, 20] as const;

function limitsOf(action: string): Limit[] {
  const [capacity, refillPerSecond] = rates[action] ?? OTHER_RATE;
  return [{ bucket: `ssm:${action}`, capacity, refillPerSecond, cost: 1 }];
}

function parameterStore(simulation: Simulation, options: SsmOptions): ParameterStore {
  const { region, account, parameters = [] } = options;
  const published = (): Parameter[] =>
    Object.entries(options.publicParameters(simulation.clock.now())).map(([name, value]) => ({
      name,
      type: "String",
      value,
    }));
  return { region, account, all: () => [...published(), ...parameters] };
}

function assemble(simulation: Simulation, machines: Machines, options: SsmOptions): Parts {
  const { cloud, account, region } = options;
  const documents = openDocuments(simulation);
  const managed = openManagedInstances(simulation, cloud);
  const delivery = openDelivery(simulation, machines, documents);
  return {
    documents,
    managed,
    associations: openAssociations(simulation, managed),
    patchStates: openPatchStates(simulation),
    invocations: openInvocations(simulation, delivery, documents),
    parameters: parameterStore(simulation, options),
    sending: { simulation, cloud, documents, managed, delivery, account, region },
  };
}

/** Connects the agents to the service, and forgets machines that EC2 terminates. */
function connect(simulation: Simulation, machines: Machines, options: SsmOptions, { managed, sending }: Parts): void {
  machines.attach({
    ...sending.delivery.agents,
    ping: (instanceId, facts) => {
      anywhere("UpdateInstanceInformation", options.callerFor(`instance/${instanceId}`));
      managed.ping(instanceId, facts);
    },
  });
  simulation.bus.listen((fact) => {
    if (fact.kind !== "instance-state" || fact.state !== "terminated") return;
    managed.forget(fact.instanceId);
    sending.delivery.forget(fact.instanceId);
  });
}

/**
 * Builds the simulated Systems Manager: Run Command over the machines' agents, documents, registered instances, and
 * the public parameters of Parameter Store.
 */
export function ssm(simulation: Simulation, machines: Machines, options: SsmOptions): Ssm {
  const parts = assemble(simulation, machines, options);
  for (const { name, content } of [...amazonDocuments, ...options.documents]) parts.documents.create(name, content);
  connect(simulation, machines, options, parts);
  return {
    ...jsonService("ssm", "AmazonSSM", actionsOf(parts), { limits: (action) => limitsOf(action) }),
    createDocument: (name, content) => parts.documents.create(name, content),
    associations: parts.associations,
    patchStates: parts.patchStates,
    pings: parts.managed.pings,
    resume: () => parts.sending.delivery.resume(),
  };
}

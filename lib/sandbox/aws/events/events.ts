import { z } from "zod";
import { AwsError, type AwsService, type Caller } from "../../core/aws-service.ts";
import type { Simulation } from "../../core/simulation.ts";
import type { Collection } from "../../core/store.ts";
import { jsonAction, jsonService } from "../json-protocol.ts";
import { type DeadLetter, deliveries, type Target } from "./delivery.ts";
import { type Content, enveloped, eventOf, type Origin, scheduledEvent } from "./envelope.ts";
import { matches, type Pattern, patternFaults } from "./pattern.ts";
import { schedule } from "./schedule.ts";

/** A rule of the default event bus: by pattern, by schedule, or both. */
export interface EventRule {
  readonly name: string;
  readonly pattern?: Pattern;
  /** rate(…) or cron(…) in UTC. */
  readonly schedule?: string;
  /** Name of the target. */
  readonly target: string;
}

/** The simulated EventBridge. */
export interface EventBridge {
  readonly service: AwsService;
  /** Events that could not be delivered for 24 hours. */
  deadLetters(): DeadLetter[];
  /** Disables a rule, as DisableRule does: neither events nor its schedule reach its target any more. */
  disable(rule: string): void;
  /** Starts the schedules, and resumes deliveries that were under way when the process ended. */
  resume(): void;
}

/** Rules as data, and the targets behind their names. */
export interface EventBridgeOptions {
  readonly accountId: string;
  readonly region: string;
  readonly rules: readonly EventRule[];
  readonly targets: Readonly<Record<string, Target>>;
}

/** PutEvents takes ten entries (API Reference, PutEvents). */
const putEventsShape = z.strictObject({
  Entries: z
    .array(
      z.strictObject({
        Source: z.string().min(1),
        DetailType: z.string().min(1),
        Detail: z.string(),
        Resources: z.array(z.string()).default([]),
        EventBusName: z.string().optional(),
        Time: z.number().optional(),
        TraceHeader: z.string().optional(),
      }),
    )
    .min(1)
    .max(10),
});

type Entry = z.output<typeof putEventsShape>["Entries"][number];

const failure = (code: string, message: string): object => ({ ErrorCode: code, ErrorMessage: message });

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** An entry's size by the user guide's own arithmetic ("Calculating PutEvents event entry size"). */
const sizeOf = ({
  Time: time,
  Source: source,
  DetailType: type,
  Detail: detail,
  Resources: resources,
}: Entry): number =>
  [source, type, detail, ...resources].reduce(
    (sum, text) => sum + Buffer.byteLength(text),
    time === undefined ? 0 : 14,
  );

/** 256 KB together (user guide, the same page). */
const LARGEST = 256 * 1024;

function requireSmall(entries: readonly Entry[]): void {
  if (entries.reduce((sum, entry) => sum + sizeOf(entry), 0) < LARGEST) return;
  throw new AwsError("ValidationException", "Total size of the entries in the request is over the limit.");
}

/** Publishes one entry: each succeeds or fails by itself (API Reference, PutEvents). Only the default bus exists. */
function putEntry(entry: Entry, publish: (content: Content) => string): object {
  const { EventBusName: bus = "default" } = entry;
  if (!/^(arn:aws:events:.+:event-bus\/)?default$/.test(bus))
    return failure("InvalidArgument", `Event bus ${bus} does not exist.`);
  if (/^aws\./.test(entry.Source)) return failure("NotAuthorizedForSourceException", "Not authorized for the source.");
  const detail = objectOf(entry.Detail);
  if (!detail) return failure("MalformedDetail", "Detail is malformed.");
  const content = { source: entry.Source, "detail-type": entry.DetailType, resources: entry.Resources, detail };
  return { EventId: publish(content) };
}

/** Time of the last run of a rule's schedule; a rule that never ran begins with the simulator. */
interface Run {
  readonly rule: string;
  readonly at: number;
}

/** A run that is later than this was missed while the process was dead (chosen for the simulator). */
const MISSED_MS = 60_000;

/** Runs the schedules of rules; of the runs missed while the process was dead, one is made up for. */
function scheduler(simulation: Simulation, rules: readonly EventRule[], fire: (rule: EventRule) => void): () => void {
  const { clock, store } = simulation;
  const runs: Collection<Run> = store.collection("events-schedules");
  const arm = (rule: EventRule, expression: string): void => {
    const last = runs.get(rule.name) ?? { rule: rule.name, at: clock.now() };
    runs.set(rule.name, last);
    const due = schedule(expression).next(last.at);
    if (due === undefined) return;
    clock.after(Math.max(0, due - clock.now()), () => {
      const late = clock.now() - due > MISSED_MS;
      runs.set(rule.name, { rule: rule.name, at: late ? clock.now() : due });
      fire(rule);
      arm(rule, expression);
    });
  };
  return () => {
    for (const rule of rules) if (rule.schedule) arm(rule, rule.schedule);
  };
}

function checkRules(rules: readonly EventRule[]): void {
  for (const { name, pattern, schedule: expression } of rules) {
    const [fault] = pattern ? patternFaults(pattern) : [];
    if (fault) throw new Error(`Rule ${name}: ${fault}`);
    if (expression) schedule(expression);
    if (!pattern && !expression)
      throw new Error(`Rule ${name}: Parameter(s) EventPattern or ScheduleExpression must be specified.`);
  }
}

/**
 * Builds EventBridge's default bus: facts become events, and events that match a rule go to its target.
 * @throws Error for a rule that EventBridge does not accept
 */
export function eventBridge(simulation: Simulation, options: EventBridgeOptions): EventBridge {
  const { rules, targets } = options;
  checkRules(rules);
  const origin: Origin = { account: options.accountId, region: options.region };
  const outgoing = deliveries(simulation, targets);
  const disabled = new Set<string>();

  const publish = (content: Content): string => {
    const event = enveloped(content, origin, simulation.random, simulation.clock.now());
    for (const rule of rules) {
      if (rule.pattern && !disabled.has(rule.name) && matches(rule.pattern, event))
        outgoing.send(rule.name, rule.target, event);
    }
    return event.id;
  };

  const fire = (rule: EventRule): void => {
    if (disabled.has(rule.name)) return;
    const event = enveloped(scheduledEvent(rule.name, origin), origin, simulation.random, simulation.clock.now());
    outgoing.send(rule.name, rule.target, event);
  };

  simulation.bus.listen((fact) => {
    const content = eventOf(fact, origin);
    if (content) publish(content);
  });

  const putEvents = (input: z.output<typeof putEventsShape>, caller: Caller): object => {
    // The conditions see each entry's own source and detail type (User Guide, "Using IAM policy conditions in Amazon
    // EventBridge").
    for (const { Source, DetailType } of input.Entries)
      caller.require("events:PutEvents", [`arn:aws:events:${origin.region}:${origin.account}:event-bus/default`], {
        "events:source": Source,
        "events:detail-type": DetailType,
      });
    requireSmall(input.Entries);
    const entries = input.Entries.map((entry) => putEntry(entry, publish));
    return { FailedEntryCount: entries.filter((entry) => "ErrorCode" in entry).length, Entries: entries };
  };

  const startSchedules = scheduler(simulation, rules, fire);
  return {
    service: jsonService("events", "AWSEvents", { PutEvents: jsonAction(putEventsShape, putEvents) }),
    deadLetters: outgoing.deadLetters,
    disable: (rule) => void disabled.add(rule),
    resume: () => {
      outgoing.resume();
      startSchedules();
    },
  };
}

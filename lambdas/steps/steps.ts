import { claims } from "./cluster/claims.ts";
import { cluster } from "./cluster/cluster.ts";
import { credential } from "./cluster/credential.ts";
import { csrs } from "./cluster/csrs.ts";
import { inputObjects } from "./cluster/input-objects.ts";
import { kubeletAuthority } from "./cluster/kubelet-authority.ts";
import { nodes } from "./cluster/nodes.ts";
import { commandWord } from "./command-word.ts";
import { type StepContext, timestamp } from "./context.ts";
import { doctor } from "./doctor/doctor.ts";
import { drain } from "./drain/drain.ts";
import { instances } from "./ec2/instances.ts";
import { screenshots } from "./ec2/screenshots.ts";
import { executions } from "./executions.ts";
import { health } from "./health.ts";
import { inputStore } from "./input-store.ts";
import { inputWatches } from "./input-watches.ts";
import { keptSecrets } from "./kept-secrets.ts";
import { announcements } from "./ledger/announcements.ts";
import { audit } from "./ledger/audit.ts";
import { auditedLedger } from "./ledger/audited-ledger.ts";
import { breakGlass } from "./ledger/break-glass.ts";
import { cordons } from "./ledger/cordons.ts";
import { joinSlots } from "./ledger/join-slots.ts";
import { leases } from "./ledger/leases.ts";
import { reminders } from "./ledger/reminders.ts";
import { reservations } from "./ledger/reservations.ts";
import { rollouts } from "./ledger/rollouts.ts";
import { slots } from "./ledger/slots.ts";
import { turns } from "./ledger/turns.ts";
import { unsaid } from "./ledger/unsaid.ts";
import { fleet } from "./machine/fleet.ts";
import { joinSecret } from "./machine/join-secret.ts";
import { machine } from "./machine/machine.ts";
import { machineObservation } from "./machine/machine-observation.ts";
import { machines } from "./machines/machines.ts";
import { metrics } from "./metrics.ts";
import { notices } from "./notices.ts";
import { plan } from "./plan/plan.ts";
import { traces } from "./plan/traces.ts";
import { probes } from "./probes.ts";
import { runtime } from "./runtime.ts";
import { secretFacts } from "./secret-facts.ts";
import { answers } from "./slack/answers.ts";
import { people } from "./slack/people.ts";
import { responseUrls } from "./slack/response-urls.ts";
import { roster } from "./slack/roster.ts";
import { thread } from "./slack/thread.ts";
import { stops } from "./stops.ts";
import { readingOnce } from "./together.ts";
import { unregistered } from "./unregistered.ts";

const nouns = (context: StepContext) => ({
  now: context.now,
  timestamp: (): string => timestamp(context),
  announcements: announcements(context),
  answers: answers(context),
  audit: audit(context),
  breakGlass: breakGlass(context),
  claims: claims(context),
  cluster: cluster(context),
  cordons: cordons(context),
  credential: credential(context),
  csrs: csrs(context),
  doctor: doctor(context),
  drain: drain(context),
  executions: executions(context),
  fleet: fleet(context),
  health: health(context),
  inputObjects: inputObjects(context),
  inputStore: inputStore(context),
  inputWatches: inputWatches(context),
  instances: instances(context),
  joinSecret: joinSecret(context),
  joinSlots: joinSlots(context),
  kubeletAuthority: kubeletAuthority(context),
  leases: leases(context),
  ledger: auditedLedger(context),
  machine: machine(context),
  machineObservation: machineObservation(context),
  machines: machines(context),
  metrics: metrics(context),
  nodes: nodes(context),
  notices: notices(context),
  people: people(context),
  reminders: reminders(context),
  reservations: reservations(context),
  plan: plan(context),
  traces: traces(context),
  probes: probes(context),
  responseUrls: responseUrls(context),
  roster: roster(context),
  rollouts: rollouts(context),
  runtime: runtime(context),
  screenshots: screenshots(context),
  secretFacts: secretFacts(context),
  keptSecrets: keptSecrets(context),
  slots: slots(context),
  stops: stops(context),
  thread: thread(context, commandWord(context)),
  unregistered: unregistered(context),
  turns: turns(context),
  unsaid: unsaid(context),
});

type Nouns = ReturnType<typeof nouns>;

/** The verbs of workflows, by noun. */
export interface Steps extends Nouns {
  /**
   * Makes verbs for facts about many machines at one time: each list is read once, and these machines in one call. They are for
   * one step, since what they have read grows old.
   */
  readonly together: (instanceIds: readonly string[]) => Steps;
}

/**
 * Builds every verb that a workflow may use, by noun.
 * @param context clients, settings and time
 */
export function steps(context: StepContext): Steps {
  const all = nouns(context);
  return { ...all, together: (instanceIds) => steps(readingOnce(context, instanceIds)) };
}

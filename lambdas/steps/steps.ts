import { authorityWatch } from "./cluster/authority-watch.ts";
import { claims } from "./cluster/claims.ts";
import { cluster } from "./cluster/cluster.ts";
import { credential } from "./cluster/credential.ts";
import { csrs } from "./cluster/csrs.ts";
import { evictions } from "./cluster/evictions.ts";
import { kubeletAuthority } from "./cluster/kubelet-authority.ts";
import { nodes } from "./cluster/nodes.ts";
import { doctor } from "./doctor/doctor.ts";
import { instances } from "./ec2/instances.ts";
import { executions } from "./executions.ts";
import { given } from "./given.ts";
import { cordons } from "./ledger/cordons.ts";
import { places } from "./ledger/join-slots.ts";
import { leases } from "./ledger/leases.ts";
import { ledger } from "./ledger/ledger.ts";
import { turns } from "./ledger/turns.ts";
import { fleet } from "./machine/fleet.ts";
import { joinSecret } from "./machine/join-secret.ts";
import { machine } from "./machine/machine.ts";
import { metrics } from "./metrics.ts";
import { notices } from "./notices.ts";
import { runtime } from "./runtime.ts";
import { answers } from "./slack/answers.ts";
import { people } from "./slack/people.ts";
import { responseUrls } from "./slack/response-urls.ts";
import { roster } from "./slack/roster.ts";
import { thread } from "./slack/thread.ts";
import { unregistered } from "./unregistered.ts";
import { timestamp, type World } from "./world.ts";

/**
 * Every verb a workflow may use, by noun.
 * @param world clients, settings and time
 */
export const steps = (world: World) => ({
  now: world.now,
  timestamp: (): string => timestamp(world),
  authorityWatch: authorityWatch(world),
  answers: answers(world),
  claims: claims(world),
  cluster: cluster(world),
  cordons: cordons(world),
  credential: credential(world),
  csrs: csrs(world),
  doctor: doctor(world),
  evictions: evictions(world),
  executions: executions(world),
  fleet: fleet(world),
  given: given(world),
  instances: instances(world),
  joinSecret: joinSecret(world),
  kubeletAuthority: kubeletAuthority(world),
  leases: leases(world),
  ledger: ledger(world),
  machine: machine(world),
  metrics: metrics(world),
  nodes: nodes(world),
  notices: notices(world),
  people: people(world),
  places: places(world),
  responseUrls: responseUrls(world),
  roster: roster(world),
  runtime: runtime(world),
  thread: thread(world),
  unregistered: unregistered(world),
  turns: turns(world),
});

/** The verbs as workflows see them. */
export type Steps = ReturnType<typeof steps>;

import { afterEach, expect, test } from "vitest";
import {
  APPROVE_OPERATION,
  CONTINUE_DRAIN,
  DENY_OPERATION,
  KEEP_CORDONED,
  KEEP_INSTANCE,
  PROVE_AGAIN,
  RUN_UNAPPROVED,
} from "../../../lambdas/messages/slack/buttons.ts";
import { drainedWorkloads } from "../../../lib/sandbox/demo-workloads.ts";
import { issue } from "../../inputs/trust/issuing.ts";
import { impatient } from "../failing.ts";
import type { Journey, JourneyOptions } from "../journey.ts";
import { createSet } from "../mirroring.ts";
import { allowDisruptions, guardedPod, otherWeb, shortName, web } from "../others.ts";
import { endFault, injectFault } from "../outside.ts";
import { PROXY, setProxy } from "../proxying.ts";
import { withSeedNodes } from "../removal.ts";
import { images } from "../restarting.ts";
import { ended, Transcript } from "../transcript.ts";
import { asked, trustThese } from "../trusting.ts";

let here: Journey;
afterEach(() => here.close());

/** Acts of people, in order. */
type Scene = (transcript: Transcript) => Promise<void>;

interface Stage {
  readonly title: string;
  readonly options?: JourneyOptions;
  readonly scene: Scene;
}

const probed = { configuration: { probe: { images } } };
const WEB = shortName(web);
const OTHER = shortName(otherWeb);

/** Types one command after the other. */
const typing =
  (...commands: readonly string[]): Scene =>
  async (transcript) => {
    for (const command of commands) await transcript.type(command);
  };

const looks: Scene = async (transcript) => {
  const line = { source: "registry.example.com/shop", mirrors: ["mirror.example.com/shop"] };
  await createSet(here, "tag", "shop", line);
  for (const object of drainedWorkloads) here.simulator.kubernetes.create(object);
  await here.pass(3);
  await typing(
    "help",
    "help reboot",
    "nodes",
    "nodes web --notready",
    `node ${WEB}`,
    `why ${WEB}`,
    "why ip-10-0-1-52",
    "mirrors",
    "mirrors registry.example.com",
    "mirrors quay.io",
    "authorities",
    "proxy",
    "doctor",
    "add web 2 --dry-run",
    `cordon ${WEB} --dry-run`,
    `drain ${WEB} --dry-run`,
    `reboot ${WEB} --dry-run`,
    "reboot web --dry-run",
    "reboot --due",
    `restart ${WEB} --dry-run`,
    "restart web --dry-run",
    `remove ${WEB} --dry-run`,
    "reconcile --dry-run",
    "assist ip-10-0-1-52 --dry-run",
    `guard ${WEB} --dry-run`,
    `prove ${WEB}`,
    "operations",
    "audit",
  )(transcript);
};

const stops: Scene = typing(
  `hold ${WEB} --reason "disk under investigation" --for 2d`,
  `drain ${WEB}`,
  "nodes",
  `unhold ${WEB}`,
  'freeze web --reason "release night" --for 4h',
  `reboot ${WEB}`,
  "thaw web",
  "thaw web",
);

const restart: Scene = async (transcript) => {
  await transcript.type(`restart ${WEB} --reason "containerd hangs"`);
  await transcript.press("approver", APPROVE_OPERATION);
};

const throughEc2: Scene = async (transcript) => {
  const fault = injectFault(here, "agent-silent", { instanceId: web.instanceId });
  await here.pass(12);
  await transcript.type(`reboot ${WEB} --force ${web.name}`);
  await here.press("approver", APPROVE_OPERATION);
  await transcript.pass(10);
  endFault(here, fault);
};

const assistance: Scene = async (transcript) => {
  await transcript.type("assist ip-10-0-1-52");
  await transcript.press("approver", APPROVE_OPERATION);
  await transcript.type("node ip-10-0-1-52");
  await transcript.type("assist ip-10-0-1-52 --end");
};

const due: Scene = async (transcript) => {
  injectFault(here, "reboot-pending", { node: otherWeb.name, reason: "windows-update" }, 1);
  await here.pass(40);
  await transcript.type("nodes");
  await transcript.type("reboot --due");
  await transcript.press("approver", APPROVE_OPERATION);
  await transcript.type(`why ${OTHER}`);
};

const unproven: Scene = async (transcript) => {
  injectFault(here, "boot-hangs", { instanceId: web.instanceId });
  await transcript.type(`reboot ${WEB} --force ${web.name}`);
  await transcript.press("operator", PROVE_AGAIN);
  await transcript.press("operator", KEEP_CORDONED);
  await transcript.type(`node ${WEB}`);
  await transcript.type(`uncordon ${WEB}`);
  await transcript.type(`uncordon ${WEB} --quarantined ${web.name}`);
};

const failedAdd: Scene = async (transcript) => {
  injectFault(here, "agent-never-online");
  await transcript.type("add web");
  await transcript.press("operator", KEEP_INSTANCE);
  await transcript.type("nodes");
  await transcript.type("operations");
};

const people = { operator: ["U0OPERATOR", "U0APPROVER"], "on-call": ["U0APPROVER"], approver: ["U0APPROVER"] };

const unapproved: Scene = async (transcript) => {
  await transcript.type(`drain ${WEB} --force ${web.name}`);
  await transcript.press("approver", DENY_OPERATION);
  await transcript.submit("approver", { reason: "wait for the release" });
  await transcript.type(`drain ${WEB} --force ${web.name}`);
  await transcript.press("approver", RUN_UNAPPROVED);
  await transcript.submit("approver", { reason: "disk fails, INC-7 now" });
  await transcript.type(`uncordon ${WEB}`);
  await transcript.type("audit");
};

const late: Scene = async (transcript) => {
  await guardedPod(here, web);
  await here.type("operator", `/win drain ${WEB} --force ${web.name}`);
  await transcript.pass(12);
  await here.press("operator", CONTINUE_DRAIN);
  await transcript.pass(1);
  await allowDisruptions(here);
};

const inputs: Scene = async (transcript) => {
  here.simulator.registries.proxies.declare(PROXY);
  const address = `http://${PROXY}`;
  await setProxy(here, { httpProxy: address, httpsProxy: address, noProxy: ".cluster.local,10.0.0.0/16" });
  const line = { source: "registry.example.com/shop", mirrors: ["mirror.example.com/shop"] };
  await createSet(here, "digest", "shop", { ...line, mirrorSourcePolicy: "NeverContactSource" });
  await transcript.pass(12);
  await typing("proxy", "mirrors", "reconcile", "nodes")(transcript);
};

const newRoot: Scene = async (transcript) => {
  await trustThese(here, await issue({ subject: "CN=Test Root" }));
  await asked(here);
  await transcript.type("authorities");
  await transcript.press("approver", APPROVE_OPERATION);
  await transcript.pass(8);
  await transcript.type("authorities");
};

const watched: Scene = async (transcript) => {
  await here.pass(35);
  injectFault(here, "boots-by-itself", { instanceId: otherWeb.instanceId, how: "person" }, 1);
  injectFault(here, "service-hangs", { instanceId: web.instanceId, service: "kube-proxy", how: "start" }, 1);
  injectFault(here, "service-crashes", { instanceId: web.instanceId, service: "kube-proxy" }, 1);
  await transcript.pass(35);
  await transcript.type(`why ${WEB}`);
  await transcript.type(`restart ${WEB}`);
  await transcript.press("approver", APPROVE_OPERATION);
};

const stages: readonly Stage[] = [
  { title: "looks", options: probed, scene: looks },
  { title: "stops", scene: stops },
  { title: "restart", options: probed, scene: restart },
  { title: "through EC2", scene: throughEc2 },
  { title: "assistance", options: probed, scene: assistance },
  { title: "due", options: probed, scene: due },
  {
    title: "an unproven reboot",
    options: {
      configuration: { approvals: { reboot: { needs: 0 } }, deadlines: { reboot: { reboot: 20, prove: 12 } } },
    },
    scene: unproven,
  },
  { title: "a failed add", options: { configuration: impatient }, scene: failedAdd },
  { title: "denied and unapproved", options: { configuration: { people } }, scene: unapproved },
  {
    title: "a late drain",
    options: { configuration: { approvals: { drain: { needs: 0 } }, deadlines: { drain: { evict: 6 } } } },
    scene: late,
  },
  { title: "inputs", scene: inputs },
  { title: "a new root", scene: newRoot },
  { title: "watched machines", scene: watched },
];

test.each(stages)("people read what the transcript of $title says", async ({ title, options, scene }) => {
  here = await withSeedNodes(options);
  const transcript = new Transcript(here);
  await scene(transcript);
  await expect(await ended(here, transcript)).toMatchFileSnapshot(`transcripts/${title.replaceAll(" ", "-")}.txt`);
});

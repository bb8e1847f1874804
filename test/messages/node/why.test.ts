import { describe, expect, it } from "vitest";
import { type Why, whyMessage } from "../../../lambdas/messages/node/why.ts";
import { ago, clusterWith, healthy, machineWith } from "../../health/health-facts.ts";
import { expectWithinSlackLimits } from "../within-slack-limits.ts";

const why = (facts: Why["facts"], more: Partial<Why> = {}): string => {
  const message = whyMessage({ node: "ip-10-0-3-7", facts, heldBy: null, isAsked: false, ...more });
  expectWithinSlackLimits(message.blocks);
  return JSON.stringify(message.blocks);
};

describe("the answer to why", () => {
  it("names the first fault, what helps, and what else is wrong", () => {
    const machine = machineWith({
      services: [
        { name: "containerd", state: "Stopped", startType: "Automatic", exitCode: 255, process: 0, log: "panic: <x>" },
      ],
      hns: { networks: [], endpoints: [] },
    });
    const said = why({ ...healthy, machine }, { heldBy: "drain-1" });
    expect(said).toContain("❌ `ip-10-0-3-7`: The Windows service `containerd` is Stopped, exit code 255.");
    expect(said).toContain("Its log ends: panic: &lt;x&gt;");
    expect(said).toContain("`Start-Service containerd`");
    expect(said).toContain("• The container network `pods` does not exist");
    expect(said).toContain("`drain-1` is working on this node; `{win} cancel drain-1` stops it.");
  });

  it("says in words that a service was not started since the boot, which Windows tells by the code 1077", () => {
    const machine = machineWith({
      services: [{ name: "containerd", state: "Stopped", startType: "Manual", exitCode: 1077, process: 0, log: "" }],
    });
    const said = why({ ...healthy, machine });
    expect(said).toContain("`containerd` is Stopped and was not started since the boot.");
    expect(said).not.toContain("1077");
  });

  it("says that nothing is wrong as far as it is known when a service is away, and which one", () => {
    const said = why({ ...healthy, kubernetes: { known: false, why: "The Kubernetes API answered 503" } });
    expect(said).toContain("no problem found, but 6 of 18 checks could not be made.");
    expect(said).toContain("Not known: The Kubernetes API answered 503.");
  });

  it("says that the machine is still being asked", () => {
    const machine = { known: false, why: "the machine has not answered yet" } as const;
    expect(why({ ...healthy, machine }, { isAsked: true })).toContain(
      "no problem found so far. Waiting for the machine's answer.",
    );
    const cordoned = { ...healthy, machine, kubernetes: clusterWith({ cordoned: true }) };
    expect(why(cordoned, { isAsked: true })).toContain("This message is updated when the machine answers.");
  });

  it("tells the boot and its cause, a pending reboot, repairs of the guard and a disk that is nearly full", () => {
    const said = why({
      ...healthy,
      machine: machineWith({
        boot: {
          bootedAt: ago(60),
          events: [{ id: 1074, at: ago(61), text: "TrustedInstaller has initiated the restart" }],
        },
        reboot: { reasons: ["servicing", "file-renames"] },
        guard: { present: true, sha256: "", taskEnabled: true, lastResult: 0, error: "", repairs: 3 },
        disk: { freeBytes: 1e9, sizeBytes: 100e9 },
      }),
    });
    expect(said).toContain("Booted 60m ago: TrustedInstaller has initiated the restart.");
    expect(said).toContain(
      "Windows waits for a reboot: a Windows feature or update, files to be replaced at the next boot. `{win} reboot ip-10-0-3-7` reboots it.",
    );
    expect(said).toContain("The route guard has repaired routes in 3 runs.");
    expect(said).toContain("The system drive is nearly full: 0 of 93 GB are free.");
  });
});

describe("the answer about a machine that no Node has", () => {
  const kubernetes = clusterWith({ registered: false, ready: null });
  const empty = { ...healthy, kubernetes, machine: machineWith({ services: [] }) };
  const node = "i-0ab12cd34ef567890";

  it("blames nobody for what its setup did not reach, and names the commands that find it", () => {
    const said = why(empty, { node, pool: "edge" });
    expect(said).not.toContain("outside Casement");
    expect(said).toContain("`{win} remove i-0ab12cd34ef567890` terminates it. `{win} add edge` adds another one.");
    expect(said).toContain('"value":"remove i-0ab12cd34ef567890"');
    expect(said).not.toContain("is not Ready");
  });

  it("points to the operation that sets it up, without a button", () => {
    const said = why(empty, { node, heldBy: "add-3f9c2a71" });
    expect(said).toContain("the message of `add-3f9c2a71` shows what is done with it");
    expect(said).not.toContain("Remove…");
  });

  it("keeps the approval of a request that waits", () => {
    const waiting = clusterWith({ registered: false, ready: null, requests: [{ name: "csr-1", since: ago(30) }] });
    expect(why({ ...healthy, kubernetes: waiting }, { node })).toContain("kubectl certificate approve csr-1");
  });
});

describe("the boot in the answer", () => {
  const unclean = [{ id: 41, at: ago(59), text: "The system has rebooted without cleanly shutting down first." }];
  const machine = machineWith({ boot: { bootedAt: ago(60), events: unclean } });
  const own = (bootId: string | null, minutes = 62) => ({ operation: "reboot-1", at: ago(minutes), bootId });

  it("is that of an operation which had EC2 reset the machine, and no crash", () => {
    const said = why({ ...healthy, machine }, { ownReboot: own("8") });
    expect(said).toContain("Booted 60m ago: `reboot-1` ordered it.");
    expect(said).not.toContain("a crash");
  });

  it("is a crash where the operation's boot was another one", () => {
    expect(why({ ...healthy, machine }, { ownReboot: own("7") })).toContain("a crash, a reset or a loss of power");
  });

  it.for([
    [61, true],
    [59, false],
    [181, false],
  ] as const)("of an operation that ordered it %d minutes ago and has not proven it yet: %s", ([minutes, isOwn]) => {
    const said = why({ ...healthy, machine }, { ownReboot: own(null, minutes) });
    expect(said.includes("`reboot-1` ordered it")).toBe(isOwn);
    expect(said.includes("a crash, a reset or a loss of power")).toBe(!isOwn);
  });
});

describe("the buttons of the answer", () => {
  const buttons = (facts: Why["facts"], heldBy: string | null = null): string[] =>
    [...why(facts, { heldBy }).matchAll(/"value":"([^"]*)"/g)].map(([, value]) => value ?? "");
  const noNetwork = { ...healthy, machine: machineWith({ hns: { networks: [], endpoints: [] } }) };

  it("open the instance's page where EC2 shows more of the trouble", () => {
    const console = "https://us-west-2.console.aws.amazon.com/ec2/home";
    const silent = {
      ...healthy,
      ssm: { known: true, value: { registered: true, online: false, lastPingAt: null, failure: null, isDeaf: false } },
      machine: { known: false, why: "it was not asked" },
    } as const;
    expect(why(silent, { console })).toContain(console);
    expect(why(noNetwork, { console })).not.toContain(console);
  });

  it("look again, and hold the command that helps while no operation holds the node", () => {
    expect(buttons(healthy)).toEqual(["why ip-10-0-3-7"]);
    expect(buttons(noNetwork)).toEqual(["why ip-10-0-3-7", "reboot ip-10-0-3-7"]);
    expect(buttons(noNetwork, "drain-1")).toEqual(["why ip-10-0-3-7"]);
  });
});

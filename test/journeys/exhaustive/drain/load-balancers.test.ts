import { afterEach, expect, test } from "vitest";
import { demo } from "../../../../lib/sandbox/demo.ts";
import { expectSound, newest, settled } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { asAdministrator, askEc2 } from "../../outside.ts";
import { inThreads, openly, privately } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const { windowsNodes } = demo.securityGroups;

/** Inbound rules of the Windows nodes' group: "tcp 31234 0.0.0.0/0"; a group as a source is only said to be one. */
const rules = (): string[] =>
  (here.simulator.ec2.cloud.firewall?.inbound(windowsNodes) ?? []).map(({ protocol, from = "", source }) =>
    [protocol, from, source.replace(/^sg-.*/, "group")].join(" "),
  );

async function add(): Promise<string> {
  await here.type("operator", "/win add web");
  await settled(here);
  return [openly(here).at(-1), ...inThreads(here)].join("\n");
}

test("beside the router's load balancer nodes are added, also after its rule was taken away and came back", async () => {
  here = await startJourney({ seedNodes: true });
  expect(rules()).toContain("-1  group");
  await add();
  expect((await newest(here)).operation.status).toBe("succeeded");
  const balancers = here.simulator.ec2.cloud.firewall?.inbound(windowsNodes).find(({ protocol }) => protocol === "-1");
  await askEc2(here, "RevokeSecurityGroupIngress", {
    GroupId: windowsNodes,
    "IpPermissions.1.IpProtocol": "-1",
    "IpPermissions.1.Groups.1.GroupId": balancers?.source ?? "",
  });
  expect(rules()).not.toContain("-1  group");
  await add();
  expect((await newest(here)).operation.status).toBe("succeeded");
  expect(rules()).toContain("-1  group");
  await expectSound(here);
});

test("beside a Network Load Balancer nodes are added, and the doctor notes what is open", async () => {
  here = await startJourney({ seedNodes: true, neighbours: { with: ["nlb"] } });
  await here.pass(1);
  expect(rules()).toEqual(expect.arrayContaining(["tcp 31234 0.0.0.0/0", "icmp 3 0.0.0.0/0"]));
  await add();
  expect((await newest(here)).operation.status).toBe("succeeded");
  await expectSound(here);
  await here.type("operator", "/win doctor");
  await settled(here, 5);
  const report = privately(here, "operator").at(-1);
  expect(report).toMatch(/prod-west: all \d\d checks passed \(2 notes\)/);
  expect(report).toMatch(
    /ℹ️ The cluster's cloud controller opened `tcp 31234` of `sg-0d10000000000a100` to every address/,
  );
  expect(report).toMatch(/To change it:.*loadBalancerSourceRanges.*exclude-from-external-load-balancers/);
});

test("a team's own Service opens its port while nodes run, which takes nothing from anybody", async () => {
  here = await startJourney({ seedNodes: true });
  const metadata = { name: "late", annotations: { "service.beta.kubernetes.io/aws-load-balancer-type": "nlb" } };
  const spec = { type: "LoadBalancer", ports: [{ port: 80, nodePort: 31_000 }] };
  const service = { apiVersion: "v1", kind: "Service", metadata, spec };
  await asAdministrator(here, "POST", "/api/v1/namespaces/default/services", service);
  await here.pass(1);
  expect(rules()).toContain("tcp 31000 0.0.0.0/0");
  await here.type("operator", "/win add web --dry-run");
  await settled(here, 5);
  expect((await newest(here)).operation.status).toBe("succeeded");
});

test("a port for people that was opened to addresses still keeps every launch back", async () => {
  here = await startJourney({ seedNodes: true });
  const rule = { GroupId: windowsNodes, IpProtocol: "tcp", FromPort: "3389", ToPort: "3389", CidrIp: "10.0.0.0/8" };
  await askEc2(here, "AuthorizeSecurityGroupIngress", rule);
  expect(await add()).toContain("it admits Remote Desktop (port 3389) from addresses");
  expect((await newest(here)).operation.status).toBe("refused");
});

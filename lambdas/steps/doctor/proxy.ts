import { proxyInput } from "../../inputs/proxy/input.ts";
import { proxyStateOf } from "../../inputs/proxy/node-state.ts";
import type { Finding } from "../../messages/doctor/finding.ts";
import type { DoctorCheck } from "./check.ts";
import { type InputExamination, inputCheck, type RecordsReader } from "./input-facts.ts";

/** Finding about nodes on which the proxy is written and not in force, with the time since which it is. */
function pendingFindings({ content, examined, given, seen, now }: InputExamination): readonly Finding[] {
  const pending = examined.flatMap(({ name, instanceId }) => {
    const sent = given.get(instanceId ?? "")?.proxy;
    const state = proxyStateOf({ node: name, sent, seen: seen.get(instanceId ?? "") }, content);
    return sent !== undefined && state === "pending" ? [{ name, since: sent.at }] : [];
  });
  const [oldest] = pending.map(({ since }) => since).toSorted();
  if (oldest === undefined) return [];
  const at = new Date(now).toISOString();
  return [{ kind: "proxy-pending", nodes: pending.map(({ name }) => name), since: oldest, at }];
}

/** Compares the cluster's proxy with what Windows nodes were given, and with what their services use. */
export const proxyCheck = (read: RecordsReader): DoctorCheck =>
  inputCheck(proxyInput, "the proxy", read, { own: async (examined) => pendingFindings(examined) });

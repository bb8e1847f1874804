import { isIPv4 } from "node:net";

const toNumber = (address: string): number => address.split(".").reduce((sum, byte) => sum * 256 + Number(byte), 0);

const toAddress = (value: number): string =>
  [24, 16, 8, 0].map((bits) => Math.floor(value / 2 ** bits) % 256).join(".");

/**
 * Computes an address of an IPv4 network from its number; the network's own address is number 0.
 * @param network "172.30.0.0/16"
 * @throws Error if the network has no such address
 */
export function addressIn(network: string, number: number): string {
  const [base = "", prefix = ""] = network.split("/");
  const size = 2 ** (32 - Number(prefix));
  if (!(number < size)) throw new Error(`The network ${network} has no address number ${number}.`);
  return toAddress(Math.floor(toNumber(base) / size) * size + number);
}

/** Networks in which no pod of another machine can be: the machine itself, and the link of each machine. */
const OWN_NETWORKS = ["127.0.0.0/8", "169.254.0.0/16"] as const;

/**
 * Can this be the address of a pod with a network of its own? The node's kubelet reports it, and another pod connects
 * to it.
 * @param others networks of machines and services, "10.0.0.0/16"
 */
export const isPodAddress = (address: string, others: readonly string[]): boolean =>
  isIPv4(address) && ![...OWN_NETWORKS, ...others].some((network) => networksOverlap(`${address}/32`, network));

/** Do two IPv4 networks share an address? Then the one with the shorter prefix contains the other. */
export function networksOverlap(one: string, other: string): boolean {
  const [[first, size], [second, otherSize]] = [one, other].map((network): [number, number] => {
    const [base = "", prefix = ""] = network.split("/");
    return [toNumber(base), 2 ** (32 - Number(prefix))];
  }) as [[number, number], [number, number]];
  const larger = Math.max(size, otherSize);
  return Math.floor(first / larger) === Math.floor(second / larger);
}

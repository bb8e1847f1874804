import type { Random } from "../../core/random.ts";

const numberOf = (address: string): number =>
  address.split(".").reduce((number, part) => number * 256 + Number(part), 0);

const addressOf = (number: number): string => [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join(".");

/** First address and size of a network: "10.0.1.0/24". */
function range(cidr: string): { first: number; size: number } {
  const [address = "", bits = "32"] = cidr.split("/");
  return { first: numberOf(address), size: 2 ** (32 - Number(bits)) };
}

/** AWS reserves the first four addresses and the last one (VPC User Guide, "Subnet CIDR reservations"). */
const RESERVED_FIRST = 4;
const RESERVED_LAST = 1;

/** Lists the addresses of a subnet that are free for instances. */
export function freeAddresses(cidr: string, taken: ReadonlySet<string>): string[] {
  const { first, size } = range(cidr);
  const usable = Array.from({ length: size - RESERVED_FIRST - RESERVED_LAST }, (_, at) =>
    addressOf(first + RESERVED_FIRST + at),
  );
  return usable.filter((address) => !taken.has(address));
}

/** May an instance in this subnet have the address? */
export const isUsable = (cidr: string, address: string): boolean => freeAddresses(cidr, new Set()).includes(address);

/** The subnet's router: its second address (VPC User Guide, "Subnet CIDR reservations"). */
export const gatewayOf = (cidr: string): string => addressOf(range(cidr).first + 1);

/** "ip-10-0-1-23.us-west-2.compute.internal" (VPC User Guide, "IP-based naming"). */
export const privateDnsName = (address: string, region: string): string =>
  `ip-${address.replaceAll(".", "-")}.${region}.compute.internal`;

/**
 * Derives a public address from a private one: from the networks reserved for tests (RFC 2544), so that it belongs to
 * no real host, and with the same last two parts, so that it is unique in the VPC.
 */
export const publicAddress = (privateIp: string): string => `198.18.${privateIp.split(".").slice(2).join(".")}`;

/** "ec2-198-18-1-23.us-west-2.compute.amazonaws.com" (VPC User Guide, "DNS attributes for your VPC"). */
export const publicDnsName = (address: string, region: string): string =>
  `ec2-${address.replaceAll(".", "-")}.${region === "us-east-1" ? "compute-1" : `${region}.compute`}.amazonaws.com`;

/** Makes a locally administered MAC, as EC2 does. */
export const newMac = (random: Random): string => {
  const pairs = random.hex(10).match(/../g) ?? [];
  return ["0a", ...pairs].join(":");
};

/** An id as EC2 makes them since 2016: the prefix and seventeen hexadecimal digits. */
export const newId = (random: Random, prefix: string): string => `${prefix}-0${random.hex(16)}`;

/** vCPUs by the size in an instance type's name; others are guessed from "Nxlarge" as four per x (EC2 instance types). */
const sizes: Readonly<Record<string, number>> = { medium: 1, large: 2, xlarge: 4 };
/** GiB per vCPU by family: compute, general, memory optimised. */
const memory: Readonly<Record<string, number>> = { c: 2, m: 4, t: 4, r: 8, x: 16 };

/** Resources that a machine of an instance type offers to pods. */
export interface Capacity {
  readonly cpu: number;
  readonly memoryKi: number;
}

/** @param instanceType "m5a.large" */
export function capacityOf(instanceType: string): Capacity {
  const [family = "m", size = "large"] = instanceType.split(".");
  const multiple = /^(\d+)xlarge$/.exec(size)?.[1];
  const cpu = multiple === undefined ? (sizes[size] ?? 2) : Number(multiple) * 4;
  return { cpu, memoryKi: cpu * (memory[family.charAt(0)] ?? 4) * 1024 * 1024 };
}

const units: Readonly<Record<string, number>> = { Ki: 1, Mi: 1024, Gi: 1024 * 1024 };

/** Reads a quantity of memory ("2Gi", "500Mi") in KiB; 0 for anything else. */
export function kibibytes(quantity: string | undefined): number {
  const found = /^(\d+)(Ki|Mi|Gi)$/.exec(quantity ?? "");
  return found ? Number(found[1]) * (units[found[2] ?? "Ki"] ?? 1) : 0;
}

/** A quantity of processor in thousandths: "500m", "1". */
export function millicores(quantity: string | undefined): number {
  const found = /^(\d+)(m?)$/.exec(quantity ?? "");
  return found ? Number(found[1]) * (found[2] === "m" ? 1 : 1000) : 0;
}

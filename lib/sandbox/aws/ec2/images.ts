import { createHash } from "node:crypto";
import type { Image } from "@aws-sdk/client-ec2";

/** Facts about an image. */
export interface ImageFacts {
  readonly imageId: string;
  readonly name: string;
  readonly description: string;
  readonly ownerId: string;
  readonly ownerAlias: string | null;
  readonly platform: "windows" | "linux";
  /** Windows: "10.0.20348" */
  readonly build: string | null;
  readonly rootDevice: string;
  /** GiB of the root snapshot; a root volume must not be smaller. */
  readonly rootSize: number;
  /** Milliseconds. */
  readonly createdAt: number;
}

/** Builds by release (Microsoft, "Windows Server release information"). */
const builds = { "2019": "10.0.17763", "2022": "10.0.20348", "2025": "10.0.26100" } as const;
const editions = ["Core", "Full"] as const;

/** Owner id behind the alias "amazon" for Windows images. */
const AMAZON = "801119661308";
const LINUX_OWNER = "125523088429";

const hashed = (name: string): string => `ami-0${createHash("sha256").update(name).digest("hex").slice(0, 16)}`;

/**
 * Amazon publishes Windows images within five business days of the second Tuesday of a month (AWS Windows AMI
 * reference, "AMI updates"); taken as the 15th here.
 */
const PUBLICATION_DAY = 15;
/** Months until a public image is withdrawn (assumed). */
const MONTHS_KEPT = 4;

/** Lists the publication dates up to `now`, newest first. */
function publications(now: number): Date[] {
  const today = new Date(now);
  const months = Array.from(
    { length: MONTHS_KEPT + 1 },
    (_, back) => new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - back, PUBLICATION_DAY)),
  );
  return months.filter((date) => date.getTime() <= now).slice(0, MONTHS_KEPT);
}

function windowsImage(release: keyof typeof builds, edition: string, published: Date): ImageFacts {
  const date = published.toISOString().slice(0, 10).replaceAll("-", ".");
  const name = `Windows_Server-${release}-English-${edition}-Base-${date}`;
  return {
    imageId: hashed(name),
    name,
    description: `Microsoft Windows Server ${release} ${edition} Locale English AMI provided by Amazon`,
    ownerId: AMAZON,
    ownerAlias: "amazon",
    platform: "windows",
    build: builds[release],
    rootDevice: "/dev/sda1",
    rootSize: 30,
    createdAt: published.getTime(),
  };
}

const releases = Object.keys(builds) as (keyof typeof builds)[];
const windowsAt = (published: Date): ImageFacts[] =>
  releases.flatMap((release) => editions.map((edition) => windowsImage(release, edition, published)));

/** The Linux image of the cluster's other nodes. */
export const linuxImage: ImageFacts = {
  imageId: hashed("fedora-coreos-43.20261018.3.0-x86_64"),
  name: "fedora-coreos-43.20261018.3.0-x86_64",
  description: "Fedora CoreOS stable",
  ownerId: LINUX_OWNER,
  ownerAlias: null,
  platform: "linux",
  build: null,
  rootDevice: "/dev/xvda",
  rootSize: 10,
  createdAt: Date.UTC(2026, 9, 18),
};

/** Lists every image that can be launched at that time. */
export const imagesAt = (now: number): ImageFacts[] => [...publications(now).flatMap(windowsAt), linuxImage];

/** The newest Windows image of a release and edition at that time. */
export const newestWindows = (now: number, release: string, edition = "Core"): ImageFacts | undefined =>
  imagesAt(now).find((image) => image.name.startsWith(`Windows_Server-${release}-English-${edition}-Base`));

/**
 * The public SSM parameters of Windows images.
 * @param now milliseconds of sandbox time: the values move every month
 * @returns parameter name → AMI id
 */
export function windowsImages(now: number): Readonly<Record<string, string>> {
  const newest = publications(now)[0];
  const images = newest ? windowsAt(newest) : [];
  const name = (image: ImageFacts): string => image.name.replace(/-[\d.]+$/, "");
  return Object.fromEntries(images.map((image) => [`/aws/service/ami-windows-latest/${name(image)}`, image.imageId]));
}

/** Describes an image as EC2 does. */
export const describedImage = (image: ImageFacts): Image => ({
  ImageId: image.imageId,
  Name: image.name,
  Description: image.description,
  ImageLocation: `${image.ownerAlias ?? image.ownerId}/${image.name}`,
  OwnerId: image.ownerId,
  ...(image.ownerAlias ? { ImageOwnerAlias: image.ownerAlias } : {}),
  ...(image.platform === "windows" ? { Platform: "Windows" as const } : {}),
  PlatformDetails: image.platform === "windows" ? "Windows" : "Linux/UNIX",
  UsageOperation: image.platform === "windows" ? "RunInstances:0002" : "RunInstances",
  Architecture: "x86_64",
  ImageType: "machine",
  Public: true,
  State: "available",
  CreationDate: new Date(image.createdAt).toISOString(),
  RootDeviceName: image.rootDevice,
  RootDeviceType: "ebs",
  VirtualizationType: "hvm",
  Hypervisor: "xen",
  EnaSupport: true,
  BlockDeviceMappings: [
    {
      DeviceName: image.rootDevice,
      Ebs: {
        SnapshotId: image.imageId.replace("ami-", "snap-"),
        VolumeSize: image.rootSize,
        VolumeType: "gp3",
        Encrypted: false,
        DeleteOnTermination: true,
      },
    },
  ],
  Tags: [],
});

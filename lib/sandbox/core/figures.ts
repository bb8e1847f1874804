/** Shortest and longest, in milliseconds. */
export type Span = readonly [low: number, high: number];

interface Figure {
  readonly means: string;
  readonly span: Span;
}

/**
 * Times of AWS and Windows that an acceptance run can measure, by their default in the simulator. `npm start -- --calibration`
 * replaces them, and a report compares with them.
 */
export const figures = {
  /** EC2 user guide, "Amazon EC2 instance state changes", names the states; the time is assumed. */
  launch: { span: [8_000, 25_000], means: "EC2 starts an instance: from pending to running" },
  /**
   * A first boot runs sysprep's specialize pass and restarts for the out-of-box pass; together with EC2Launch and the
   * agent's registration it takes four to six minutes here. All are assumed: AWS only says to wait four minutes for the
   * password and that a standard launch "often" takes longer (EC2 guide for Windows, common messages).
   */
  specialize: { span: [90_000, 140_000], means: "first part of Windows' first boot" },
  outOfBox: { span: [60_000, 100_000], means: "second part of Windows' first boot" },
  /** Services and tasks end, files are written (assumed). */
  shutdown: { span: [10_000, 25_000], means: "Windows shuts down" },
  /** Every boot but the first of a Windows Server on current instance types (assumed). */
  laterBoot: { span: [25_000, 45_000], means: "Windows boots" },
  /** Some seconds each (assumed). */
  agentLoading: { span: [6_000, 9_000], means: "the SSM agent loads" },
  agentRegistering: { span: [5_000, 20_000], means: "the SSM agent registers" },
  /**
   * 6 s on four cores without native images, 0.2 s with them (GoogleCloudPlatform/compute-image-windows pull request 174); a
   * minute is reported for a first start (SCons pull request 4720). Half of that minute is taken here.
   */
  powershellCold: { span: [6_000, 30_000], means: "PowerShell's first start after a boot" },
  powershellWarm: { span: [700, 2_000], means: "PowerShell's later starts" },
  /**
   * ServerManager behind Get-WindowsFeature asks DISM for its list, which takes more than half a minute after every boot and
   * little afterwards (chef-boneyard/windows issue 475); about 210 s on a fresh Windows Server 2025 (PowerShell/PowerShell
   * issue 24500).
   */
  featureList: { span: [30_000, 60_000], means: "Get-WindowsFeature's first answer after a boot" },
  featureListOn2025: { span: [210_000, 210_000], means: "the same on Windows Server 2025" },
  /** One to three minutes (assumed). */
  featureInstall: { span: [60_000, 180_000], means: "Windows installs a feature" },
  /** A file of 80 MB from a bucket of the same region, at some 40 MB a second (assumed). */
  download: { span: [2_000, 2_000], means: "a machine downloads 80 MB from the bucket" },
  /** "Network creation may take up to a minute to complete" in hybrid-overlay's log; these are assumed. */
  podNetwork: { span: [5_000, 20_000], means: "Windows creates a container network" },
  /** Assumed: the usual time of such instances. */
  terminate: { span: [20_000, 40_000], means: "EC2 terminates an instance" },
} as const satisfies Readonly<Record<string, Figure>>;

/** One of them. */
export type FigureName = keyof typeof figures;

/** A time for each of them. */
export type Figures = Readonly<Record<FigureName, Span>>;

/** Names of all figures. */
export const figureNames = Object.keys(figures) as readonly FigureName[];

/** The times that the simulator takes unless it is told others. */
export const defaultFigures = Object.fromEntries(
  Object.entries(figures).map(([name, { span }]) => [name, span]),
) as unknown as Figures;

/**
 * The report's data as written by the Go package report/data: a manifest in JSON, and arrays of numbers (blobs) that it
 * refers to. Times are in ps, sizes in bytes.
 */

export const SCHEMA = "fabricast.report/2";

export interface Manifest {
  schema: string;
  version: string;
  title: string;
  /** A run is in progress, so the page requests updates. */
  live: boolean;
  /** Missing, damaged or outdated data, in plain words. */
  problems: string[];
  runs: Run[];
  sweep: Sweep | null;
  /** Fields in which the experiments of several runs differ. */
  differences?: Difference[] | null;
  /** The page's server can simulate periods of runs again. */
  can_rewind?: boolean;
  rewinds?: Rewind[] | null;
}

/** A period of a run that the server simulates again, or has simulated. */
export interface Rewind {
  run: string;
  from: string;
  length?: string;
  state: "running" | "ended" | "failed";
  why?: string;
  folder: string;
  /** Address of the period's report. */
  address?: string;
}

/** A page's request to simulate a period again. */
export interface Wish {
  run: string;
  from: string;
  /** Empty: until the end of the run. */
  length: string;
  records: string[];
  routers: number[];
  ranks: number[];
}

/** The periods of a run that can be simulated again. */
export interface LookBack {
  folder: string;
  checkpoints_ps: number[];
  /** Kinds of data that can be recorded. */
  records: string[];
  end_ps: number;
}

/** A field in which experiments differ. The values are in the order of the runs; empty: not given. */
export interface Difference {
  field: string;
  values: string[];
}

export interface Run {
  id: string;
  name: string;
  /** The whole result.json; null while the run is in progress. */
  result: Record<string, unknown> | null;
  network: Network | null;
  bins: Bins | null;
  progress: Progress | null;
  summary: Summary | null;
  tables: Record<string, TableInfo>;
  matrices: Record<string, MatrixInfo>;
  look_back?: LookBack | null;
  why?: Why | null;
}

/** Why a run takes its time: its critical path, whose segments are the table why_path. */
export interface Why {
  /** Why there is no path; the fields after repeatable are then empty. */
  missing?: string;
  /** There is none because causes were not recorded. */
  not_recorded?: boolean;
  /** What would record them, as a value of --record. */
  record?: string;
  folder: string;
  /** The experiment in the folder can be run again. */
  repeatable: boolean;
  /** {link N} stands for the link in row N of the table of links. */
  sentences: string[];
  predicted_ps: number;
  /** Number of segments of the path; the table may have fewer. */
  segments: number;
  ties: number;
  causes: { cause: string; ps: number; share: number; segments: number }[];
  /** What causes, parts and kinds of waits are. */
  meanings: { name: string; meaning: string }[];
  parts: { part: string; ps: number; share: number; waits: boolean }[];
  waits: { wait_ps: number; states: { state: string; ps: number; waits: number }[]; delays: { rank: number; doing: string; direct_ps: number; propagated_ps: number }[]; imbalance_ps: number };
  derivatives: Derivative[];
  /** Why no derivative has a range. */
  unranged?: string;
  /** Changes that runs have measured. */
  helps?: { what_helps: Change[]; notes?: string[] };
  matrices: BlameMatrix[];
  notes?: string[];
}

/** How the predicted time depends on a parameter. */
export interface Derivative {
  parameter: string;
  /** Unit of count. */
  unit: string;
  count: number;
  ps: number;
  /** Growth of the predicted time if the parameter is 1 % greater, and less. */
  more_ps: number;
  less_ps: number;
  exact: boolean;
  /** Values between which the derivative holds for certain, if that is known; unit: ps or bytes/s. */
  range?: { from: number; to: number; unit: string };
}

/** A run with a change, compared with the run that is explained. */
export interface Change {
  change: string;
  /** What the critical path predicts, if it does. */
  first_order_ps?: number;
  run_ps: number;
  gain_ps: number;
}

/** For how long messages waited for others, by what both are. */
export interface BlameMatrix {
  name: string;
  title: string;
  rows: BlameLine[];
  columns: BlameLine[];
  cells: number[][];
  total_ps: number;
}

export interface BlameLine {
  kind: "rank" | "host" | "job" | "link" | "others" | "";
  /** Number, or row in the table of links; of others how many they are. */
  id: number;
  name: string;
  ps: number;
}

/** One of several concurrent jobs, as in result.json. */
export interface Job {
  name: string;
  program: string;
  /** 0: background traffic. */
  ranks: number;
  hosts: number;
  start_ps: number;
  end_ps: number;
  time_ps: number;
  messages: number;
  payload_bytes: number;
  latency_ps: { mean: number };
  mean_wait_ps: number;
  /** Result of the job running alone, if interference was requested. */
  alone?: { time_ps: number; mean_latency_ps: number; slowdown: number; shared_links: number };
}

/** A link between routers that is used by several jobs. */
export interface SharedLink {
  link: string;
  wire_bytes: number;
  utilization: number;
  jobs: { job: string; wire_bytes_alone: number }[];
}

/** How the network is drawn. */
export type Layout = "torus" | "mesh" | "tree" | "dragonfly" | "hierarchy" | "graph";

/** network.json. */
export interface Network {
  kind: string;
  layout: Layout;
  /** Description in one line: "3-D torus 4 × 4 × 4, 1 host a router". */
  title?: string;
  /** Sizes of the dimensions of direct networks. */
  dims?: number[] | null;
  wrap?: boolean[] | null;
  /** Names of the dimensions: x, y, z. */
  dim_names?: string[] | null;
  /** In a hierarchy: the outer network, which joins the copies of the inner one (blocks). */
  outer?: { kind: string; dims?: number[] | null; dimension_names?: string[] | null } | null;
  /** Names of the levels, from the lowest. */
  level_names?: string[] | null;
  routers: number;
  hosts: number;
  nics: number;
  links: number;
}

export interface Bins {
  interval_ps: number;
  count: number;
  end_ps: number;
  /** The experiment sets the interval; otherwise it follows from the number of bins. */
  chosen?: boolean;
}

export interface Progress {
  state: "running" | "ended" | "interrupted" | "failed";
  simulated_time_ps: number;
  ranks_ended: number;
  ranks: number;
  wall_s: number;
  /** Estimated remaining seconds; negative if unknown. */
  eta_s: number;
  packets: number;
  packet_hops: number;
  /** Packet hops per second of wall-clock time. */
  rate: number;
}

export interface Summary {
  predicted_ps: number;
  /** The meaning of predicted_ps. For synthetic traffic and interrupted runs it is not a prediction. */
  time: "predicted time" | "simulated time";
  /** The time that where_it_went divides. */
  divided: "time of ranks" | "latency of messages";
  /** Parts of the mean rank's predicted time; the shares add up to 1. */
  where_it_went: Part[];
  slowest_rank: { rank: number; end_ps: number } | null;
  hottest_links: HotLink[];
  /** Lower bounds of the predicted time. */
  bounds: Bound[];
  /** Further figures, such as messages and bytes, in display order. */
  figures: Figure[];
}

export interface Part {
  what: string;
  ps: number;
  share: number;
  definition: string;
}

export interface HotLink {
  /** Row in the table of links. */
  link: number;
  name: string;
  /** The link is between a NIC and a router. */
  nic: boolean;
  utilization: number;
  wire_bytes: number;
}

export interface Bound {
  what: string;
  ps: number;
  definition: string;
}

export interface Figure {
  what: string;
  value: number | string;
  unit: string;
  definition?: string;
}

/** The page stores i64 columns twice: exact digits as text, and values with 15 digits. */
export type ColumnType = "i32" | "i64" | "f32" | "f64" | "u8" | "u16" | "str";

export interface TableInfo {
  rows: number;
  columns: ColumnInfo[];
  /** Rows that were omitted or merged, in plain words. */
  note?: string;
}

export interface ColumnInfo {
  name: string;
  type: ColumnType;
  unit: string;
  title: string;
  blob: string;
  /** Words of a column of type str. Its blob holds u16 indexes into them, or i32 if there are more than 65,536. */
  dict?: string[];
}

/** A statistic by row and bin, in row-major order. Rows of links are the first rows of the table of links. */
export interface MatrixInfo {
  title: string;
  unit: string;
  rows: number;
  cols: number;
  /** What a row is: link, router, dimension, level. */
  row_kind: RowKind;
  /** Names of the rows, if there is no table of them. */
  row_names?: string[] | null;
  /** Value = stored × scale. */
  scale: number;
  blob: string;
  type: "u8" | "u16" | "f32";
  /** While the run is in progress, used instead of blob: consecutive groups of columns with all rows. */
  parts?: { cols: number; blob: string; type: "u8" | "f32"; scale: number }[];
  /** Rows that were omitted, in plain words. */
  note?: string;
  /** The statistic. Matrices of one statistic differ in row_kind and how. */
  stat: string;
  /** How the links of a row are combined. */
  how: "value" | How;
  /**
   * Maximum possible value, if all links have the same bandwidth. A packet counts in the interval in which it starts,
   * so a value may exceed the limit slightly.
   */
  limit?: number;
}

/** How several values at one position are combined. */
export type How = "mean" | "max";

export type RowKind = "link" | "router" | "dimension" | "level";

export interface Sweep {
  title: string;
  axes: string[];
  columns: SweepColumn[];
  rows: SweepRow[];
  curves: Curve[];
  findings: Finding[];
}

export interface SweepColumn {
  name: string;
  title?: string;
  unit: string;
  /** Name of the column with the half-width of this column's confidence interval. */
  half?: string;
}

export interface SweepRow {
  cells: (number | string | boolean | null)[];
  result_hash?: string;
  error?: string;
}

export interface Curve {
  name: string;
  title: string;
  x: Axis;
  y: Axis;
  series: Series[];
}

export interface Axis {
  title: string;
  unit: string;
  scale: "linear" | "log";
  max?: number;
}

export interface Series {
  name: string;
  /** A dashed curve of reference values. */
  reference?: boolean;
  points: CurvePoint[];
}

export interface CurvePoint {
  x: number;
  y: number;
  /** Half-width of the confidence interval. */
  error?: number;
  /** The value is above the plotted range. */
  beyond?: boolean;
  /** The point has no result yet, and no y. */
  missing?: boolean;
}

export interface Finding {
  that: string;
  holds: boolean;
  checked: number;
  worst: string;
  failing?: string[] | null;
  skipped?: boolean;
}

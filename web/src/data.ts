/**
 * The report's data as the Go side (report/data.go) writes it: one manifest in
 * JSON, and blobs of numbers to which it points. Times are ps, sizes bytes.
 */

export const SCHEMA = "fabricast.report/2";

export interface Manifest {
  schema: string;
  version: string;
  title: string;
  /** A run is going on: the page asks for more. */
  live: boolean;
  /** What is missing, broken or old, in plain words. */
  problems: string[];
  runs: Run[];
  sweep: Sweep | null;
  /** Fields in which the experiments of several runs differ. */
  differences?: Difference[] | null;
  /** The server of the page simulates periods of runs again. */
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
  /** Of its report. */
  address?: string;
}

/** What a page asks the server to simulate again. */
export interface Wish {
  run: string;
  from: string;
  /** Empty: to the end of the run. */
  length: string;
  records: string[];
  routers: number[];
  ranks: number[];
}

/** Which periods of a run can be simulated again. */
export interface LookBack {
  folder: string;
  checkpoints_ps: number[];
  /** What can be recorded. */
  records: string[];
  end_ps: number;
}

/** A field of experiments by its path; values in the order of the runs, empty where it is not given. */
export interface Difference {
  field: string;
  values: string[];
}

export interface Run {
  id: string;
  name: string;
  /** result.json, whole. Null while the run is going on. */
  result: Record<string, unknown> | null;
  network: Network | null;
  bins: Bins | null;
  progress: Progress | null;
  summary: Summary | null;
  tables: Record<string, TableInfo>;
  matrices: Record<string, MatrixInfo>;
  look_back?: LookBack | null;
}

/** One of several jobs at once, as result.json tells of it. */
export interface Job {
  name: string;
  program: string;
  /** 0: traffic in the background. */
  ranks: number;
  hosts: number;
  start_ps: number;
  end_ps: number;
  time_ps: number;
  messages: number;
  payload_bytes: number;
  latency_ps: { mean: number };
  mean_wait_ps: number;
  /** Of a run of the job alone, if interference was asked for. */
  alone?: { time_ps: number; mean_latency_ps: number; slowdown: number; shared_links: number };
}

/** A link between routers that several jobs send over. */
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
  /** What it is, in a line: "3-D torus 4 × 4 × 4, 1 host a router". */
  title?: string;
  /** Of direct networks. */
  dims?: number[] | null;
  wrap?: boolean[] | null;
  /** Names of the dimensions: x, y, z. */
  dim_names?: string[] | null;
  /** Of a hierarchy: the network that joins its blocks. */
  outer?: { kind: string; dims?: number[] | null; dimension_names?: string[] | null } | null;
  /** Names of the levels, lowest first. */
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
  /** The experiment chose the interval; otherwise it came of the number of bins. */
  chosen?: boolean;
}

export interface Progress {
  state: "running" | "ended" | "interrupted" | "failed";
  simulated_time_ps: number;
  ranks_ended: number;
  ranks: number;
  wall_s: number;
  /** Less than 0 if it is not known. */
  eta_s: number;
  packets: number;
  packet_hops: number;
  /** Packet hops a second of real time. */
  rate: number;
}

export interface Summary {
  predicted_ps: number;
  /** What predicted_ps is: of synthetic traffic and of interrupted runs it is no prediction. */
  time: "predicted time" | "simulated time";
  /** What where_it_went divides. */
  divided: "time of ranks" | "latency of messages";
  /** Parts of the predicted time of the mean rank; shares sum up to 1. */
  where_it_went: Part[];
  slowest_rank: { rank: number; end_ps: number } | null;
  hottest_links: HotLink[];
  /** Times that no run can beat, beside the prediction. */
  bounds: Bound[];
  /** Further figures: messages, bytes, throughput, in the order to show them. */
  figures: Figure[];
}

export interface Part {
  what: string;
  ps: number;
  share: number;
  definition: string;
}

export interface HotLink {
  /** Row of the table links. */
  link: number;
  name: string;
  /** It is a link of a NIC. */
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

/** Of i64 the page has the exact digits as text, and values with 15 digits. */
export type ColumnType = "i32" | "i64" | "f32" | "f64" | "u8" | "u16" | "str";

export interface TableInfo {
  rows: number;
  columns: ColumnInfo[];
  /** What was left out or put together, in plain words. */
  note?: string;
}

export interface ColumnInfo {
  name: string;
  type: ColumnType;
  unit: string;
  title: string;
  blob: string;
  /** Words of a column of type str, whose blob has u16 codes, or i32 if there are more than 65,536. */
  dict?: string[];
}

/** Rows over bins, row after row. Rows of links are the first ones of the table links. */
export interface MatrixInfo {
  title: string;
  unit: string;
  rows: number;
  cols: number;
  /** What a row is: link, router, dimension, level. */
  row_kind: RowKind;
  /** Names of the rows, where there is no table of them. */
  row_names?: string[] | null;
  /** Value = stored × scale. */
  scale: number;
  blob: string;
  type: "u8" | "u16" | "f32";
  /** Of a run that goes on, in place of the blob: all rows of some columns, one after the other. */
  parts?: { cols: number; blob: string; type: "u8" | "f32"; scale: number }[];
  /** What was left out, in plain words. */
  note?: string;
  /** What the matrix is about; matrices of one stat differ in row_kind and how. */
  stat: string;
  /** How the links of a row are put together. */
  how: "value" | How;
  /** What a value may reach, of links of one bandwidth. A packet counts in the interval in which it starts, so an interval may have a little more. */
  limit?: number;
}

/** How many things in one place are put together. */
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
  /** Column with the half-width of this one's confidence interval. */
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
  /** A dashed curve of figures from elsewhere. */
  reference?: boolean;
  points: CurvePoint[];
}

export interface CurvePoint {
  x: number;
  y: number;
  /** Half-width of the confidence interval. */
  error?: number;
  /** The value is above all that is shown. */
  beyond?: boolean;
}

export interface Finding {
  that: string;
  holds: boolean;
  checked: number;
  worst: string;
  failing?: string[] | null;
  skipped?: boolean;
}

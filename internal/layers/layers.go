// Package layers defines which package of the module may import which others.
//
// The table is the rule that docs/architecture.md describes. A test compares it with the imports of
// every file, for all build tags, and fails on an import of a higher layer, or on one within a
// layer that the table does not permit.
package layers

// Layer is a set of packages at the same level. A package may import packages of later layers, and
// the packages of its own layer that Inside lists for it.
type Layer struct {
	Name     string
	Packages []string            // paths relative to the module; "." for its root
	Inside   map[string][]string // imports within the layer, by importing package
}

// Table lists the layers, from the command, which no package imports, down to packages that import
// no others.
var Table = []Layer{
	{Name: "commands", Packages: []string{"cmd/fabricast"}},
	{Name: "command line", Packages: []string{"internal/cli"}},
	{
		Name: "subcommands",
		Packages: []string{
			"internal/cli/setup", "internal/cli/runs", "internal/cli/sweeps", "internal/cli/traces", "internal/cli/reports",
		},
		Inside: map[string][]string{
			"internal/cli/setup":   {"internal/cli/traces"},
			"internal/cli/runs":    {"internal/cli/traces", "internal/cli/reports"},
			"internal/cli/sweeps":  {"internal/cli/traces"},
			"internal/cli/reports": {"internal/cli/traces"},
		},
	},
	{
		Name:     "shared by subcommands",
		Packages: []string{"internal/cli/cmdline", "internal/cli/ending", "internal/cli/console"},
		Inside: map[string][]string{
			"internal/cli/cmdline": {"internal/cli/ending"},
			"internal/cli/ending":  {"internal/cli/console"},
		},
	},
	{
		Name:     "reports",
		Packages: []string{"report", "report/data", "report/view", "sweep", "tune", "calibrate", "internal/atlas"},
		Inside: map[string][]string{
			"report":      {"report/data"},
			"report/data": {"sweep"},
			"tune":        {"sweep"},
			"report/view": {"report/data"},
		},
	},
	{Name: "tools of the project", Packages: []string{"internal/bench", "internal/longrun"}},
	{Name: "facade", Packages: []string{"."}},
	{
		Name: "outside of a process",
		Packages: []string{
			"internal/cluster/claims", "internal/cluster/slurm", "internal/cluster/transport",
		},
	},
	{Name: "runs", Packages: []string{"internal/run"}},
	{Name: "parts of optimistic runs", Packages: []string{"internal/run/optimistic"}},
	{Name: "recording", Packages: []string{"internal/recording"}},
	{Name: "figures of links", Packages: []string{"internal/meter"}},
	{Name: "effects of parameters", Packages: []string{"internal/whatif", "internal/place", "internal/completion"}},
	{Name: "predictions without a run", Packages: []string{"internal/predict"}},
	{Name: "plans", Packages: []string{"internal/plan"}},
	{Name: "switches that reduce", Packages: []string{"internal/innetwork"}},
	{Name: "experiments", Packages: []string{"experiment"}},
	{
		Name:     "record",
		Packages: []string{"record", "export", "plot", "report/page", "internal/why", "internal/difference"},
		Inside: map[string][]string{
			"export": {"record", "internal/why"}, "internal/why": {"record"},
			"internal/difference": {"record"},
		},
	},
	{
		Name: "rank programs",
		Packages: []string{
			"cmpi",
			"rdma",
			"workload",
			"traffic",
			"replay",
			"trace/convert",
		},
		Inside: map[string][]string{
			"trace/convert": {"replay"},
		},
	},
	{
		Name: "training of transformers",
		Packages: []string{
			"workload/training", "workload/serving", "workload/gpu", "workload/calls", "workload/transformer",
		},
		Inside: map[string][]string{
			"workload/training": {"workload/transformer", "workload/gpu", "workload/calls"},
			"workload/serving":  {"workload/transformer", "workload/gpu", "workload/calls"},
			"workload/gpu":      {"workload/transformer"},
		},
	},
	{
		Name: "rooms of programs in C",
		Packages: []string{
			"cmpi/internal/agreement", "cmpi/internal/combination", "cmpi/internal/coroutine", "cmpi/internal/exchanges",
			"cmpi/internal/findings", "cmpi/internal/polling", "cmpi/internal/sites", "cmpi/internal/wrappers",
			"cmpi/internal/datatypes",
		},
		Inside: map[string][]string{"cmpi/internal/agreement": {"cmpi/internal/datatypes"}},
	},
	{
		Name:     "C side of programs",
		Packages: []string{"cmpi/internal/host/fortran", "cmpi/internal/fortran", "cmpi/internal/host"},
		Inside: map[string][]string{
			"cmpi/internal/host/fortran": {"cmpi/internal/fortran"},
			"cmpi/internal/fortran":      {"cmpi/internal/host"},
		},
	},
	{
		Name: "traces",
		Packages: []string{
			"trace/formats",
			"trace/summary",
			"trace/aicb",
			"trace/allprof",
			"trace/bigsim",
			"trace/chakra",
			"trace/dumpi",
			"trace/flightrecorder",
			"trace/flows",
			"trace/goal",
			"trace/htsim",
			"trace/kineto",
			"trace/native",
			"trace/ns3",
			"trace/otf2",
			"trace/ti",
			"trace/torch",
		},
		Inside: map[string][]string{
			"trace/formats": {
				"trace/aicb",
				"trace/allprof",
				"trace/bigsim",
				"trace/chakra",
				"trace/dumpi",
				"trace/flightrecorder",
				"trace/goal",
				"trace/htsim",
				"trace/kineto",
				"trace/native",
				"trace/ns3",
				"trace/otf2",
				"trace/ti",
			},
			"trace/chakra":         {"trace/torch"},
			"trace/flightrecorder": {"trace/torch"},
			"trace/htsim":          {"trace/flows"},
			"trace/kineto":         {"trace/torch"},
			"trace/ns3":            {"trace/flows"},
		},
	},
	{Name: "records of traces", Packages: []string{"trace"}},
	{Name: "MPI", Packages: []string{"mpi"}},
	{Name: "packet pacing", Packages: []string{"pacing"}},
	{Name: "collectives by kind", Packages: []string{"collective/calls"}},
	{
		Name: "algorithms of collectives",
		Packages: []string{
			"collective/allgather",
			"collective/allreduce",
			"collective/alltoall",
			"collective/barrier",
			"collective/broadcast",
			"collective/gather",
			"collective/reduce",
			"collective/reducescatter",
			"collective/scan",
			"collective/scatter",
			"collective/splits",
			"collective/tables", "collective/libraries",
		},
		Inside: map[string][]string{"collective/libraries": {"collective/tables"}},
	},
	{
		Name:     "steps of collectives",
		Packages: []string{"collective/internal/channels", "collective/internal/steps", "collective/internal/partners"},
		Inside: map[string][]string{
			"collective/internal/channels": {"collective/internal/steps"},
			"collective/internal/steps":    {"collective/internal/partners"},
		},
	},
	{Name: "collectives", Packages: []string{"collective"}},
	{Name: "nodes", Packages: []string{"node"}},
	{
		Name: "rooms of the node",
		Packages: []string{
			"node/internal/onesided",
			"node/internal/protocol",
			"node/internal/journal",
			"node/internal/wait",
			"node/internal/match",
			"node/internal/schedule",
			"node/internal/observe",
			"node/internal/deadlock",
		},
		Inside: map[string][]string{
			"node/internal/onesided": {"node/internal/journal", "node/internal/observe", "node/internal/schedule"},
			"node/internal/protocol": {"node/internal/journal", "node/internal/match", "node/internal/schedule"},
			"node/internal/wait":     {"node/internal/match", "node/internal/observe", "node/internal/schedule"},
			"node/internal/schedule": {"node/internal/observe"},
		},
	},
	{
		Name: "state of ranks", Packages: []string{"node/internal/core", "node/internal/model"},
		Inside: map[string][]string{"node/internal/core": {"node/internal/model"}},
	},
	{
		Name: "network", Packages: []string{"fabric", "abstract", "ethernet", "internal/holders", "internal/messages"},
		Inside: map[string][]string{
			"abstract": {"fabric", "internal/messages"}, "ethernet": {"fabric", "internal/messages"},
			"internal/holders": {"fabric"}, "internal/messages": {"fabric"},
		},
	},
	{Name: "observers of the network", Packages: []string{"fabric/internal/probe"}},
	{
		Name:     "routers",
		Packages: []string{"fabric/internal/inputqueued", "fabric/internal/switched", "fabric/internal/stage"},
		Inside:   map[string][]string{"fabric/internal/switched": {"fabric/internal/stage"}},
	},
	{Name: "NICs", Packages: []string{"fabric/internal/nic"}},
	{Name: "records and events of the network", Packages: []string{"fabric/internal/core"}},
	{Name: "congestion", Packages: []string{"ethernet/control", "ethernet/paths"}},
	{Name: "parameters and messages of the network", Packages: []string{"fabric/model"}},
	{
		Name:     "engine",
		Packages: []string{"engine", "engine/timewarp", "engine/internal/together"},
		Inside: map[string][]string{
			"engine":          {"engine/internal/together"},
			"engine/timewarp": {"engine", "engine/internal/together"},
		},
	},
	{Name: "deadlock proof", Packages: []string{"routing/deadlock"}},
	{Name: "routing", Packages: []string{"routing"}},
	{
		Name: "rooms of routing",
		Packages: []string{
			"routing/internal/loads", "routing/internal/files", "routing/internal/legs", "routing/internal/headers",
		},
		Inside: map[string][]string{
			"routing/internal/loads": {"routing/internal/legs"},
			"routing/internal/files": {"routing/internal/headers"},
			"routing/internal/legs":  {"routing/internal/headers"},
		},
	},
	{
		Name:     "networks as files and pictures",
		Packages: []string{"internal/netfile", "internal/picture", "internal/graphs", "internal/partition"},
		Inside:   map[string][]string{"internal/picture": {"internal/graphs"}},
	},
	{Name: "topology", Packages: []string{"topology"}},
	{Name: "machines", Packages: []string{"machines"}},
	{Name: "errors", Packages: []string{"internal/failure"}},
	{Name: "configuration", Packages: []string{"internal/config"}},
	{
		Name: "foundations",
		Packages: []string{
			"internal/atomicfile", "internal/causes", "internal/checkpoint", "internal/cluster", "internal/ctxwait",
			"internal/dist", "internal/eventqueue",
			"internal/fields", "internal/filename",
			"internal/histogram", "internal/hostlist", "internal/humanize", "internal/input", "internal/invariants",
			"internal/leftover", "internal/printable",
			"internal/machine", "internal/offheap", "internal/option", "internal/osyield",
			"internal/panics", "internal/parquet", "internal/pattern", "internal/prefetch", "internal/random",
			"internal/registry", "internal/restart", "internal/schema",
			"internal/sharedlib", "internal/snapshot", "internal/units", "internal/usercache", "internal/version",
		},
		Inside: map[string][]string{
			"internal/atomicfile": {"internal/leftover"},
			"internal/checkpoint": {"internal/atomicfile", "internal/cluster", "internal/input", "internal/snapshot", "internal/units"},
			"internal/ctxwait":    {"internal/panics"},
			"internal/eventqueue": {"internal/snapshot"},
			"internal/histogram":  {"internal/snapshot"},
			"internal/option":     {"internal/units"},
			"internal/parquet":    {"internal/snapshot"},
			"internal/restart":    {"internal/dist", "internal/random"},
			"internal/usercache":  {"internal/atomicfile", "internal/input"},
		},
	},
}

// Tests lists the packages that only tests import, and that may import any package.
var Tests = []string{
	"internal/browser", "internal/built", "internal/cli/clitest", "internal/cluster/clustertest",
	"internal/draws", "internal/ethernetoracle", "internal/layers", "internal/needed", "internal/oracle",
	"internal/oracle/experiments", "internal/producttest", "internal/resulttest", "internal/snapshot/fieldtest", "node/nodetest",
}

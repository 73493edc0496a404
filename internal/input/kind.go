package input

// Kind is a kind of file with a limit on its size.
type Kind struct {
	name  string // with its article, for messages
	most  int64  // bytes
	stdin bool   // "-" is standard input
	// whatever permits any bytes. Files that people write, and JSON files, are text without zero
	// bytes.
	whatever bool
	why      string // why a file cannot be larger; empty if the kind alone determines the limit
}

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
	tib = 1 << 40
)

// Kinds of files that people write. Parsing YAML takes up to 600 times the file's size in memory;
// lines of numbers take about as much as the file.
var (
	Experiment  = Kind{name: "an experiment", most: mib, stdin: true} // a sweep or a study, too
	Network     = Kind{name: "a network", most: gib}
	Mapping     = Kind{name: "a mapping", most: 256 * mib}
	Partition   = Kind{name: "a partition", most: 256 * mib}
	Imbalance   = Kind{name: "a list of times", most: 256 * mib}
	Noise       = Kind{name: "recorded losses of processors", most: 256 * mib}
	Faults      = Kind{name: "a list of faults", most: 16 * mib}
	Outages     = Kind{name: "times of random faults", most: 16 * mib}
	Permutation = Kind{name: "a permutation", most: 256 * mib}
	FlowSizes   = Kind{name: "a distribution of sizes", most: mib}
	Routes      = Kind{name: "a list of routes", most: gib} // and forwarding tables
	Recording   = Kind{name: "a recording", most: 4 * gib}
	Arrivals    = Kind{name: "a trace of arrivals", most: 256 * mib}
	Loads       = Kind{name: "tokens of experts", most: 256 * mib}
	Collectives = Kind{name: "a table of collectives", most: mib}
	// Program is a C program or an object file.
	Program    = Kind{name: "a program", most: 16 * gib, whatever: true}
	Trace      = Kind{name: "a trace", most: 4 * tib} // read piece by piece
	TraceFiles = Kind{name: "a list of the files of a trace", most: 256 * mib}
	Rates      = Kind{name: "a list of rates of computation", most: 256 * mib}
	Reference  = Kind{name: "a reference table", most: 16 * mib}
)

// Kinds of files in result folders.
var (
	Progress = Kind{name: "a record of progress", most: mib}
	Result   = Kind{name: "a result", most: 64 * mib}
	Layout   = Kind{name: "the description of a network", most: 16 * mib} // network.json, bins.json
	Sweep    = Kind{name: "the table of a sweep", most: gib}
	Table    = Kind{name: "a table", most: 4 * tib} // of Parquet, read piece by piece
	Lock     = Kind{name: "a lock", most: mib}
	// Checkpoint is read piece by piece.
	Checkpoint = Kind{name: "a checkpoint", most: 4 * tib}
)

// Copied is any file that an experiment refers to, when it is copied or hashed.
var Copied = Kind{name: "a file", most: 4 * gib, whatever: true}

// Cached is a result in the user's cache folder.
var Cached = Kind{name: "a kept result", most: mib, whatever: true}

// UpTo returns the kind with a limit of the given number of bytes, which suffices for the file's
// purpose. why names the purpose, as in "for 4 hosts".
func (k Kind) UpTo(bytes int64, why string) Kind {
	// room is space for blanks and comments, more than most people write.
	const room = mib
	if bytes += room; bytes < k.most {
		k.most, k.why = bytes, why
	}
	return k
}

// Most returns the largest permitted size in bytes.
func (k Kind) Most() int64 { return k.most }

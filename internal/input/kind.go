package input

// Kind is a kind of file with a limit on its size.
type Kind struct {
	name  string // with its article, for messages
	most  int64  // bytes
	stdin bool   // "-" is standard input
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
	Experiment  = Kind{"an experiment", mib, true} // a sweep or a study, too
	Network     = Kind{"a network", gib, false}
	Mapping     = Kind{"a mapping", 256 * mib, false}
	Partition   = Kind{"a partition", 256 * mib, false}
	Imbalance   = Kind{"a list of times", 256 * mib, false}
	Permutation = Kind{"a permutation", 256 * mib, false}
	Routes      = Kind{"a list of routes", gib, false} // and forwarding tables
	Recording   = Kind{"a recording", 4 * gib, false}
	Collectives = Kind{"a table of collectives", mib, false}
	Trace       = Kind{"a trace", 4 * tib, false} // read piece by piece
	TraceFiles  = Kind{"a list of the files of a trace", 256 * mib, false}
	Reference   = Kind{"a reference table", 16 * mib, false}
)

// Kinds of files in result folders.
var (
	Progress = Kind{"a record of progress", mib, false}
	Result   = Kind{"a result", 64 * mib, false}
	Layout   = Kind{"the description of a network", 16 * mib, false} // network.json, bins.json
	Sweep    = Kind{"the table of a sweep", gib, false}
	Table    = Kind{"a table", 4 * tib, false} // of Parquet, read piece by piece
	Lock     = Kind{"a lock", mib, false}
	// Checkpoint is read piece by piece.
	Checkpoint = Kind{"a checkpoint", 4 * tib, false}
)

// Copied is any file that an experiment names, when it is copied or hashed.
var Copied = Kind{"a file", 4 * gib, false}

// Most returns the largest permitted size in bytes.
func (k Kind) Most() int64 { return k.most }

package calibrate

import (
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/pattern"
)

// ncclBenchmarks are the benchmarks of nccl-tests, by the names of their executables.
var ncclBenchmarks = map[string]benchmark{
	"all_reduce_perf":     {program: "allreduce"},
	"broadcast_perf":      {program: "broadcast"},
	"reduce_perf":         {program: "reduce"},
	"all_gather_perf":     {program: "allgather", divided: true},
	"reduce_scatter_perf": {program: "reduce-scatter", divided: true},
	"alltoall_perf":       {program: "alltoall", divided: true},
	"gather_perf":         {program: "gather", divided: true},
	"scatter_perf":        {program: "scatter", divided: true},
}

var ncclName = pattern.Lazy(`\b([a-z_]+_perf)\b`)

// readNCCL reads the out-of-place times in the output of nccl-tests, in microseconds. The
// collective is determined by the name of the executable in the output, which newer versions print;
// otherwise it is the default. The number of ranks is that of the listed ranks.
func readNCCL(f *file, d Defaults) {
	b, known := benchmark{program: d.Program}, d.Program != ""
	if known {
		for _, like := range ncclBenchmarks {
			if like.program == d.Program {
				b = like
			}
		}
	}
	listed, column := 0, -1
	f.lines(func(n int, line string) {
		if m := ncclName().FindStringSubmatch(line); m != nil {
			if named, ok := measured(m[1], ncclBenchmarks); ok {
				b, known = named, true
			}
		}
		if text := strings.TrimSpace(strings.TrimPrefix(line, "#")); strings.HasPrefix(line, "#") {
			names := strings.Fields(text)
			switch {
			case len(names) > 1 && names[0] == "Rank":
				listed++
			case len(names) > 3 && names[0] == "size" && names[1] == "count":
				column = indexOf(names, "time")
			}
			return
		}
		r := f.rowOf(n, line)
		if r == nil {
			return
		}
		if !known || column < 0 {
			f.fail(n, 1, len(line), "numbers of an unknown collective",
				"a line that names "+config.OneOf(sortedKeys(ncclBenchmarks))+" or --program, and a "+
					"line that names the columns")
			known, column = true, max(column, 5)
			return
		}
		ranks := d.Ranks
		if listed > 0 {
			ranks = listed
		}
		size, sized := r.number(0, "a size in bytes")
		value, timed := r.number(column, "a time in us")
		if sized && timed {
			f.add(Measurement{
				Program: b.program, Size: b.size(size, ranks), Ranks: ranks, Time: value * microsecond,
				Position: f.at(n, r.words[column].Column, r.words[column].Width()),
			})
		}
	})
}

func indexOf(list []string, word string) int {
	for i, w := range list {
		if w == word {
			return i
		}
	}
	return -1
}

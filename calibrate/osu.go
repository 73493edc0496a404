package calibrate

import (
	"strings"

	"fabricast/internal/config"
	"fabricast/internal/pattern"
)

// osuBenchmarks are the OSU micro-benchmarks, by the names in their headings.
var osuBenchmarks = map[string]benchmark{
	"latency":        {program: "pingpong"},
	"bandwidth":      {program: Stream, stream: true},
	"allreduce":      {program: "allreduce"},
	"broadcast":      {program: "broadcast"},
	"bcast":          {program: "broadcast"},
	"reduce":         {program: "reduce"},
	"allgather":      {program: "allgather"},
	"all-to-all":     {program: "alltoall"},
	"alltoall":       {program: "alltoall"},
	"gather":         {program: "gather"},
	"scatter":        {program: "scatter"},
	"reduce_scatter": {program: "reduce-scatter", divided: true},
}

// osuHeading matches headings such as "# OSU MPI Allreduce Latency Test v7.3" and
// "# OSU MPI-CUDA Latency Test v5.9".
var osuHeading = pattern.Lazy(`^# OSU MPI[-A-Z]* (?:(\S+) )?(Latency|Bandwidth) Test`)

// readOSU reads the outputs of OSU micro-benchmarks, one after another. Latencies are averages over
// ranks in microseconds, and bandwidths are in MB/s.
func readOSU(f *file, d Defaults) {
	var b benchmark
	known := false
	f.lines(func(n int, line string) {
		if strings.HasPrefix(line, "# OSU") {
			m := osuHeading().FindStringSubmatch(line)
			if m != nil {
				name := m[1]
				if name == "" {
					name = m[2]
				}
				b, known = measured(name, osuBenchmarks)
			}
			if m == nil || !known {
				known = false
				f.fail(
					n,
					1,
					len(line),
					line,
					"the heading of a benchmark of "+config.OneOf(benchmarkNames(osuBenchmarks)),
				)
			}
			return
		}
		r := f.rowOf(n, line)
		if r == nil || !known {
			return
		}
		size, sized := r.number(0, "a size in bytes")
		value, timed := r.number(1, "a time in us, or a bandwidth in MB/s")
		if !sized || !timed {
			return
		}
		m := Measurement{
			Program: b.program, Size: b.size(size, d.Ranks), Ranks: d.Ranks, Time: value * microsecond,
			Position: f.at(n, r.words[1].Column, r.words[1].Width()),
		}
		if b.program == "pingpong" || b.stream {
			m.Ranks = 2
		}
		if b.stream && value > 0 {
			m.Time = size / (value * megabyte) * 1e12
		}
		f.add(m)
	})
}

// benchmarkNames lists the names of benchmarks.
func benchmarkNames(known map[string]benchmark) []string {
	return sortedKeys(known)
}

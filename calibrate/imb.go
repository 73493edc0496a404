package calibrate

import (
	"strconv"
	"strings"

	"fabricast/internal/config"
)

// imbBenchmarks are those of the Intel MPI Benchmarks that correspond to built-in programs.
var imbBenchmarks = map[string]benchmark{
	"pingpong":       {program: "pingpong"},
	"uniband":        {program: Stream, stream: true},
	"allreduce":      {program: "allreduce"},
	"bcast":          {program: "broadcast"},
	"reduce":         {program: "reduce"},
	"reduce_scatter": {program: "reduce-scatter", divided: true},
	"allgather":      {program: "allgather"},
	"alltoall":       {program: "alltoall"},
	"gather":         {program: "gather"},
	"scatter":        {program: "scatter"},
}

// readIMB reads the output of Intel MPI Benchmarks. It uses the column t[usec] or, if that is
// missing, t_avg[usec], and Mbytes/sec for streams. Benchmarks that do not correspond to a built-in
// program are skipped.
func readIMB(f *file, d Defaults) {
	var b benchmark
	known, ranks, column := false, d.Ranks, -1
	f.lines(func(n int, line string) {
		text := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "#"))
		if name, ok := strings.CutPrefix(text, "Benchmarking "); ok {
			b, known = measured(strings.TrimSpace(name), imbBenchmarks)
			ranks, column = d.Ranks, -1
			return
		}
		if count, ok := strings.CutPrefix(text, "#processes = "); ok ||
			strings.HasPrefix(text, "processes = ") {
			count = strings.TrimPrefix(count, "processes = ")
			ranks, _ = strconv.Atoi(strings.Fields(count + " 0")[0])
			return
		}
		if strings.HasPrefix(text, "bytes ") {
			column = imbColumn(strings.Fields(text), b.stream)
			return
		}
		r := f.rowOf(n, line)
		if r == nil || !known {
			return
		}
		if column < 0 {
			f.fail(n, 1, len(line), "numbers", "a line before them that names the columns, with #bytes")
			known = false
			return
		}
		size, sized := r.number(0, "a size in bytes")
		value, timed := r.number(column, config.OneOf([]string{"a time in us", "a bandwidth in Mbytes/sec"}))
		if !sized || !timed {
			return
		}
		m := Measurement{
			Program: b.program, Size: b.size(size, ranks), Ranks: ranks, Time: value * microsecond,
			Position: f.at(n, r.words[column].Column, r.words[column].Width()),
		}
		if b.stream && value > 0 {
			m.Time = size / (value * megabyte) * 1e12
		}
		f.add(m)
	})
}

// imbColumn returns the index of the column with the time, or for streams the bandwidth. It returns
// -1 if there is none.
func imbColumn(names []string, stream bool) int {
	wanted := []string{"t[usec]", "t_avg[usec]"}
	if stream {
		wanted = []string{"Mbytes/sec"}
	}
	for _, w := range wanted {
		for i, name := range names {
			if name == w {
				return i
			}
		}
	}
	return -1
}

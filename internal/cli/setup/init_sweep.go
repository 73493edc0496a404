package setup

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"fabricast/internal/config"
	"fabricast/sweep"
	"fabricast/workload"
)

// kind is what fabricast init writes.
type kind struct {
	file string // default name
	next string // the command that runs it
}

// kindOf returns what the flags ask for.
func (f *initFlags) kindOf() kind {
	switch {
	case f.study:
		return kind{"study.yaml", "study"}
	case f.sweep:
		return kind{"sweep.yaml", "sweep"}
	}
	return kind{newFile, "run"}
}

// sweepText returns a sweep of the drafted experiment as commented YAML, with findings if it is a
// study. It needs only a few seconds to run.
func (f *initFlags) sweepText(file string) (string, error) {
	text, err := f.text(file)
	if err != nil {
		return "", err
	}
	_, experiment, _ := strings.Cut(text, "network:\n") // without the comment on single experiments
	name := filepath.Base(file)
	var b strings.Builder
	fmt.Fprintf(&b, `# Run it with          fabricast %[1]s %[2]s
# Check all points     fabricast check %[2]s
# Read it half-way     fabricast %[1]s %[2]s --partial
# All fields: docs/sweeps.md. Editors complete them by a schema: fabricast schema %[1]s > %[1]s.json,
# and a first line here that reads: # yaml-language-server: $schema=%[1]s.json
title: %[3]s
experiment:                          # or base: FILE.yaml
`, f.kindOf().next, name, f.what())
	for line := range strings.Lines("network:\n" + experiment) {
		b.WriteString("  " + line)
	}
	if f.traffic != "" {
		f.sweepLoads(&b)
	} else {
		f.sweepProgram(&b)
	}
	return b.String(), nil
}

// what describes the experiment in a few words.
func (d *draft) what() string {
	if d.traffic != "" {
		return d.traffic + " traffic on a " + d.network
	}
	return d.program + " on a " + d.network
}

// sweepLoads writes the axes, and findings, of synthetic traffic.
func (f *initFlags) sweepLoads(b *strings.Builder) {
	b.WriteString(`axes:                                # every combination of values is a point
  - {field: traffic.load, from: 10%, to: 90%, step: 20%}
  # - {field: network.router.vcs, values: [2, 4]}
# columns: [accepted, latency_ps, p99_ps]     # by default the usual figures
# plots:                             # by default latency and throughput over the load
#   - {name: tail, x: load, y: p99_ps, beyond: not stable, y_scale: log}
`)
	if f.study {
		b.WriteString(`findings:                            # what is expected of the table
  - {that: a stable network accepts what is offered, where: stable, value: accepted, is: load, within: 5%}
  - {that: latency grows with the load, where: stable, value: latency_ps, rises: load, slack: 1000}
`)
	}
}

// sweepProgram writes the axes, a plot and findings of a program.
func (f *initFlags) sweepProgram(b *strings.Builder) {
	field, axis, values := "workload.iterations", "iterations", "[1, 2, 4]"
	scale := "linear"
	if p := workload.Find(f.program); p.Takes("size") {
		field, axis, values, scale = "workload.size", "size", "[64B, 1KiB, 16KiB]", "log"
	}
	other := ""
	for _, p := range workload.Find(f.program).Params {
		if p.Name == "algorithm" {
			other = "  # - {field: workload.algorithm, values: [...]}   # fabricast programs " + f.program + " lists them\n"
		}
	}
	fmt.Fprintf(b, `axes:                                # every combination of values is a point
  - {field: %[1]s, values: %[2]s}
  # - {field: network.link.bandwidth, values: [25GB/s, 50GB/s]}
%[3]s# columns: [simulated_time_ps, messages]   # by default the usual figures
plots:
  - {name: time, x: %[4]s, y: simulated_time_ps, x_scale: %[5]s, y_scale: %[5]s}
`, field, values, other, axis, scale)
	if f.study {
		fmt.Fprintf(b, `findings:                            # what is expected of the table
  - {that: it takes longer with more of it, value: simulated_time_ps, rises: %[1]s}
  # - {that: twice the bandwidth halves the time, value: simulated_time_ps, at_most: 0.6,
  #    compare: {axis: bandwidth, of: 50GB/s, with: 25GB/s}}
`, axis)
	}
}

// surveyed checks all points of a new sweep before it is written.
func surveyed(ctx context.Context, file, text string) error {
	root, err := config.Parse(&config.Source{Name: file, Text: text})
	if err != nil {
		return err
	}
	s, err := sweep.Of(root, file)
	if err != nil {
		return err
	}
	_, err = s.Survey(ctx)
	return err
}

package runs

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"fabricast"
	"fabricast/internal/cli/console"
	"fabricast/internal/humanize"
	"fabricast/replay"
	"fabricast/trace"
)

// replayReport is a replay.Report in the form that processes exchange.
type replayReport struct {
	Faults  trace.Faults
	Skipped map[string]int64
	Damage  []damagedRank // by rank
}

// damagedRank is a rank whose trace ended early, and the reason.
type damagedRank struct {
	Rank int
	Text string
}

func newReplayReport(r replay.Report) *replayReport {
	report := &replayReport{Faults: r.Faults, Skipped: r.Skipped}
	for _, d := range r.Damage {
		report.Damage = append(report.Damage, damagedRank{d.Rank, d.Error()})
	}
	return report
}

// gather adds the other processes' reports about their ranks. All processes must call it.
func (r *replayReport) gather(p *fabricast.Processes) error {
	own, err := json.Marshal(r)
	if err != nil {
		return err
	}
	for process, text := range p.Gather(own) {
		if process == p.Rank() {
			continue
		}
		var other replayReport
		if err := json.Unmarshal(text, &other); err != nil {
			return err
		}
		r.Faults.Add(other.Faults)
		for name, n := range other.Skipped {
			r.Skipped[name] += n
		}
		r.Damage = append(r.Damage, other.Damage...)
	}
	slices.SortFunc(r.Damage, func(a, b damagedRank) int { return a.Rank - b.Rank })
	return nil
}

// tell prints the calls and times that the replay skipped or corrected.
func (r *replayReport) tell(cmd *cobra.Command) {
	for _, name := range slices.Sorted(maps.Keys(r.Skipped)) {
		console.TellNote(
			cmd,
			fmt.Sprintf(
				"trace: not replayed: %s (%s)", name, humanize.Plural(int(r.Skipped[name]), "time"),
			),
		)
	}
	if n := r.Faults.NegativeTimes; n > 0 {
		console.TellNote(
			cmd,
			fmt.Sprintf(
				"trace: %s ended before they began and count as 0",
				humanize.Plural(int(n), "computation"),
			),
		)
	}
	if n := r.Faults.Unfinished; n > 0 {
		console.TellNote(cmd,
			fmt.Sprintf("trace: %s never completed, left out", humanize.Plural(int(n), "receive")))
	}
	const most = 10
	for i, d := range r.Damage {
		if i == most {
			console.TellNote(cmd,
				fmt.Sprintf("trace: and %s more ranks", humanize.Count(len(r.Damage)-most)))
			break
		}
		console.TellNote(cmd, "trace: replayed up to the damage: "+d.Text)
	}
}

package report

import (
	"fmt"
	"strings"

	"fabricast"
	"fabricast/internal/humanize"
)

// jobs adds the results of each job to a table.
func jobs(t *table, r *fabricast.Result) {
	for i := range r.Jobs {
		j := &r.Jobs[i]
		t.add("job "+j.Name, Time(j.Time), strings.Join(jobFigures(j), ", "))
		from := ""
		if j.Start > 0 {
			from = fmt.Sprintf("from %s to %s, ", Time(j.Start), Time(j.End))
		}
		wait := ""
		if j.Ranks > 0 {
			wait = ", mean wait " + Time(j.Wait)
		}
		t.add("", "latency "+Time(j.Latency.Mean), from+fmt.Sprintf(
			"%s, payload %s%s", humanize.Plural(int(j.Messages), "message"), Size(j.PayloadBytes), wait,
		))
		trained(t, j.Training)
		served(t, j.Serving)
		goodput(t, j.Checkpoint)
		if a := j.Alone; a != nil {
			t.add("", fmt.Sprintf("slowdown %.4g", a.Slowdown), fmt.Sprintf(
				"alone %s, %s of messages; %s shared", Time(a.Time), Time(a.MeanLatency),
				humanize.Plural(a.SharedLinks, "router link"),
			))
		}
	}
}

// jobFigures returns the program of a job, and its numbers of ranks and hosts.
func jobFigures(j *fabricast.JobResult) []string {
	on := "on " + humanize.Plural(j.Hosts, "host")
	if j.Ranks > 0 {
		on = humanize.Plural(j.Ranks, "rank") + " " + on
	}
	if j.Unfinished > 0 {
		on += fmt.Sprintf(", %d of which have not ended: no prediction", j.Unfinished)
	}
	return []string{shortened(j.Program), on}
}

// shortened returns the last characters of a text that may be long, such as a path.
func shortened(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		return "..." + string(runes[len(runes)-most:])
	}
	return text
}

// mostSharedLinks is the maximum number of shared links that the text lists.
const mostSharedLinks = 8

// sharedLinks adds the busiest of the links that are used by several jobs.
func sharedLinks(t *table, r *fabricast.Result) {
	for i, l := range r.SharedLinks[:min(len(r.SharedLinks), mostSharedLinks)] {
		name := ""
		if i == 0 {
			name = "shared links"
		}
		const most = 4
		var parts []string
		for _, j := range l.Jobs[:min(len(l.Jobs), most)] {
			parts = append(parts, j.Job+" "+Size(j.Bytes))
		}
		if more := len(l.Jobs) - most; more > 0 {
			parts = append(parts, "and of "+humanize.Plural(more, "more job"))
		}
		t.add(name, Percent(l.Utilization), l.Link+": alone "+strings.Join(parts, ", "))
	}
	if more := r.SharedLinkCount - mostSharedLinks; more > 0 {
		t.add("", "and "+Count(more)+" more", "")
	}
}

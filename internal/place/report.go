package place

import (
	"fmt"
	"io"
	"reflect"
	"text/tabwriter"

	"fabricast/internal/humanize"
	"fabricast/internal/schema"
)

// Schema is the schema name and version of a Report as JSON.
const Schema = "fabricast.place/1"

// Report is the result of a search, with the runs of the best mappings.
type Report struct {
	Schema   string    `json:"schema"`
	Ranks    int       `json:"ranks"`
	Pairs    int       `json:"pairs"` // of ranks of which the first sends to the second
	Messages int64     `json:"messages"`
	Bytes    int64     `json:"wire_bytes"`
	Routes   string    `json:"routes"`   // exact, mean or sampled: how the loads of links are known
	Mappings []Mapping `json:"mappings"` // that were run; the first is the experiment's own
	Best     int       `json:"best"`     // index of the mapping with the shortest predicted time
	Hosts    []int32   `json:"hosts"`    // of the best mapping, by rank
}

// Mapping is a mapping that was run.
type Mapping struct {
	Start     string  `json:"start"` // from which mapping the search has come to it, or a regular rearrangement
	Predicted int64   `json:"predicted_ps"`
	Gain      float64 `json:"gain"`       // share of the own mapping's predicted time
	Busiest   float64 `json:"busiest_ps"` // time that the bytes of the busiest link take
	HopBytes  float64 `json:"hop_bytes"`  // bytes times the links between routers that they pass
}

// NewReport returns a report without mappings.
func NewReport(ranks int, flows []Flow, routes string) *Report {
	r := &Report{
		Schema: Schema, Ranks: ranks, Pairs: len(flows), Routes: routes,
		Mappings: []Mapping{},
	}
	for i := range flows {
		r.Messages += flows[i].Messages
		r.Bytes += flows[i].Bytes
	}
	return r
}

// Add adds the run of a mapping; the own one is added first. Of equal times the first is the best.
func (r *Report) Add(f *Found, predicted int64) {
	m := Mapping{
		Start: f.Start, Predicted: predicted, Busiest: f.Cost.Busiest,
		HopBytes: float64(f.Cost.HopBytes) / whole,
	}
	if len(r.Mappings) > 0 && r.Mappings[0].Predicted > 0 {
		m.Gain = 1 - float64(predicted)/float64(r.Mappings[0].Predicted)
	}
	r.Mappings = append(r.Mappings, m)
	if last := len(r.Mappings) - 1; last == 0 || predicted < r.Mappings[r.Best].Predicted {
		r.Best, r.Hosts = last, f.Hosts
	}
}

// WriteMapping writes the best mapping as a file for mapping.file of experiments.
func (r *Report) WriteMapping(w io.Writer) error {
	for rank, host := range r.Hosts {
		if _, err := fmt.Fprintln(w, rank, host); err != nil {
			return err
		}
	}
	return nil
}

// Text prints a report.
func Text(w io.Writer, r *Report) error {
	fmt.Fprintf(w, "%s of %d ranks, in all %s by %d pairs; loads of links are %s\n",
		humanize.Plural(int(r.Messages), "message"), r.Ranks, humanize.Size(r.Bytes), r.Pairs, r.Routes)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "mapping\tpredicted\tgain\tbusiest link\tbytes times hops")
	for i, m := range r.Mappings {
		name := m.Start
		if i > 0 && isStart(name) {
			name = "from " + name
		}
		if i == r.Best {
			name += " (best)"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", name, humanize.Time(m.Predicted), humanize.Percent(m.Gain),
			humanize.Time(int64(m.Busiest)), humanize.Size(int64(m.HopBytes)))
	}
	return t.Flush()
}

// OutputSchema returns the JSON Schema of a Report.
func OutputSchema() *schema.Schema {
	s := schema.OfOutput(reflect.TypeFor[Report]())
	s.Title = "Fabricast place"
	s.Properties["schema"] = &schema.Schema{Const: Schema}
	return s
}

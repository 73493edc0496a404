package data

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"fabricast"
	"fabricast/internal/plan"
	"fabricast/record"
)

// builder makes the report of one result folder.
type builder struct {
	reader   *record.Reader
	folder   string // path as given when the report was requested
	blobs    *Blobs
	run      *Run
	prefix   string // prefix of blob names
	problems []string

	result  *fabricast.Result  // nil if there is none
	preview *fabricast.Preview // of the result's experiment; nil if it cannot be made
	plan    *plan.Plan         // of its network, for the critical path; nil if there is none
	links   *frame             // in the order of the report's table; nil if the table is missing
	routers *frame
	nics    *frame
	ranks   *frame
	rowOf   []int32 // row of each link in links, by link ID

	binTables []string // names of the tables of link bins
	together  int      // bins merged into one column
}

func (b *builder) build() {
	b.takeResult()
	b.run.Network = b.network()
	b.progress()
	b.links, b.routers = b.read(record.LinksTable), b.read(record.RoutersTable)
	b.nics, b.ranks = b.read(record.NICsTable), b.read(record.RanksTable)
	if b.result != nil && b.result.Ranks > 0 && b.result.Traffic == nil && b.ranks == nil &&
		!b.reader.Has(record.RanksTable) {
		b.problem("%s is missing, so where the time went is not known", record.RanksTable)
	}
	b.readBins()
	b.orderLinks()
	b.matrices()
	b.tables()
	if b.result != nil {
		b.run.Summary = b.summary()
	}
	b.explain()
}

// problem records a problem, unless the same text has been recorded before.
func (b *builder) problem(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(b.problems, text) {
		b.problems = append(b.problems, text)
	}
}

// unreadable records that a table cannot be read.
func (b *builder) unreadable(table string, err error) {
	var of *record.TableError
	if errors.As(err, &of) {
		err = of.Err
	}
	b.problem(
		"%s cannot be read, so its content is left out: it is broken, or was not written to its end (%v)",
		table, err,
	)
}

// takeResult reads the result and its experiment.
func (b *builder) takeResult() {
	r, err := ResultOf(b.reader)
	if err != nil {
		b.problem("%v", err)
	}
	if r == nil {
		return
	}
	b.result = r
	b.run.Result = json.RawMessage(slices.Clone(b.reader.Result()))
	if r.Version != fabricast.FullVersion() {
		b.problem("the result is of version %s, this is version %s", r.Version, fabricast.FullVersion())
	}
	e, err := ExperimentOf(b.reader.Path(record.ExperimentFile))
	if err == nil {
		b.preview, err = previewOf(e, b.reader.Network())
	}
	if err != nil {
		b.problem("the experiment cannot be repeated, so times on an idle network are not shown: %v", err)
	}
}

// ExperimentOf returns the experiment in a file of a result folder. A run of the user's own program
// has only a machine description.
func ExperimentOf(file string) (*fabricast.Experiment, error) {
	if e, err := fabricast.Load(file); err == nil {
		return e, nil
	}
	return fabricast.LoadMachine(file)
}

// previewOf returns the preview of an experiment. It returns an error if the numbers of hosts and
// routers differ from those of n, which may be nil.
func previewOf(e *fabricast.Experiment, n *record.Network) (*fabricast.Preview, error) {
	p, err := e.Preview()
	if err == nil && n != nil && (p.Hosts != n.Hosts || p.Routers != n.Routers && p.Routers > 0) {
		return nil, fmt.Errorf("%s is of %d hosts and %d routers, %s of %d and %d",
			record.ExperimentFile, p.Hosts, p.Routers, record.NetworkFile, n.Hosts, n.Routers)
	}
	return p, err
}

// read reads a table of the folder. It returns nil if the table does not exist, or if it is
// damaged, which it records as a problem.
func (b *builder) read(table string) *frame {
	f, err := readFrame(b.reader, table)
	if err == nil {
		return f
	}
	if !errors.Is(err, fs.ErrNotExist) {
		b.unreadable(table, err)
	}
	return nil
}

// network returns network.json with additional fields for the page.
func (b *builder) network() json.RawMessage {
	n := b.reader.Network()
	if n == nil {
		return nil
	}
	text, err := json.Marshal(struct {
		*record.Network
		Title    string   `json:"title"`
		DimNames []string `json:"dim_names"`
	}{n, networkTitle(n), n.Dimensions})
	if err != nil {
		return nil
	}
	return text
}

// progress adds the progress of a run that has not ended.
func (b *builder) progress() {
	if b.reader.State() == record.Ended {
		return
	}
	if p, err := b.reader.Progress(); err == nil {
		progress := ProgressOf(p)
		b.run.Progress = &progress
	}
}

// ProgressOf converts the progress of a run to the form of the manifest.
func ProgressOf(p *record.Progress) Progress {
	return Progress{
		State: string(p.State),
		Time:  p.Time, RanksEnded: p.RanksEnded, Ranks: p.Ranks, Wall: p.Wall, Left: p.Left,
		Packets: p.Packets, PacketHops: p.PacketHops, Rate: p.Rate,
	}
}

// tables adds all tables to the report.
func (b *builder) tables() {
	b.put("links", b.linksTable())
	b.put("routers", b.routersTable())
	b.put("nics", b.nics)
	b.put("ranks", b.ranksTable())
	b.latencies()
	b.put("flows", b.read(record.FlowsTable))
	b.put("flow_bins", b.read(record.FlowBinsTable))
	b.logs()
}

// put adds a table. f may be nil.
func (b *builder) put(name string, f *frame) {
	if f != nil {
		b.run.Tables[name] = f.table(b.blobs, b.prefix+"."+name, b.note(name))
	}
}

// note describes the rows omitted from a table; "" if there are none.
func (b *builder) note(name string) string {
	switch {
	case name == "links" && b.links.rows > mostLinks:
		return fmt.Sprintf("The %d links that carried most, of %d.", mostLinks, b.links.rows)
	case name == "ranks" && b.ranks.rows > mostRanks:
		return fmt.Sprintf("The %d ranks that ended last, of %d.", mostRanks, b.ranks.rows)
	}
	return ""
}

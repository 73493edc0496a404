package data

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"fabricast"
	"fabricast/record"
)

// builder makes the report of one result folder.
type builder struct {
	reader   *record.Reader
	blobs    *Blobs
	run      *Run
	prefix   string // of the names of blobs
	problems []string

	result  *fabricast.Result  // nil if there is none
	preview *fabricast.Preview // of its experiment; nil if that cannot be told
	links   *frame             // in the order of the report's table; nil if there is none
	routers *frame
	nics    *frame
	ranks   *frame
	rowOf   []int32 // row of links, by the number of a link

	binTables []string // of links
	together  int      // bins of the run that are one in the report
}

func (b *builder) build() {
	b.takeResult()
	b.run.Network = b.network()
	b.progress()
	b.links, b.routers = b.read(record.LinksTable), b.read(record.RoutersTable)
	b.nics, b.ranks = b.read(record.NICsTable), b.read(record.RanksTable)
	if b.result != nil && b.result.Traffic == nil && b.ranks == nil && !b.reader.Has(record.RanksTable) {
		b.problem("%s is missing, so it cannot be told where the time went", record.RanksTable)
	}
	b.readBins()
	b.orderLinks()
	b.matrices()
	b.tables()
	if b.result != nil {
		b.run.Summary = b.summary()
	}
}

// problem notes what is wrong, once.
func (b *builder) problem(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(b.problems, text) {
		b.problems = append(b.problems, text)
	}
}

// unreadable notes that a table cannot be read.
func (b *builder) unreadable(table string, err error) {
	b.problem("%s cannot be read, so what it tells is left out: it is broken, or was not written to its end (%v)", table, err)
}

// takeResult takes the result over, and the experiment it is of.
func (b *builder) takeResult() {
	text := b.reader.Result()
	if text == nil {
		return
	}
	r := &fabricast.Result{}
	if err := json.Unmarshal(text, r); err != nil {
		b.problem("%s is of another version: %v", record.ResultFile, err)
		return
	}
	b.result = r
	b.run.Result = json.RawMessage(slices.Clone(text))
	if r.Version != fabricast.FullVersion() {
		b.problem("the result is of version %s, this is version %s", r.Version, fabricast.FullVersion())
	}
	e, err := fabricast.Load(b.reader.Path("experiment.yaml"))
	if err != nil { // a program of its own ran on the machine
		e, err = fabricast.LoadMachine(b.reader.Path("experiment.yaml"))
	}
	if err == nil {
		b.preview, err = e.Preview()
	}
	if err != nil {
		b.problem("the experiment cannot be repeated, so times on an idle network are not shown: %v", err)
	}
}

// read is a table of the folder; nil if it is not there, which the reader has told, or broken.
func (b *builder) read(table string) *frame {
	f, err := readFrame(b.reader.Path(table))
	if err == nil {
		return f
	}
	if !errors.Is(err, fs.ErrNotExist) {
		b.unreadable(table, err)
	}
	return nil
}

// network is network.json with what the page wants to know besides.
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

// progress is how far a run has got that has not ended.
func (b *builder) progress() {
	if b.reader.State() == record.Ended {
		return
	}
	if p, err := b.reader.Progress(); err == nil {
		progress := ProgressOf(p)
		b.run.Progress = &progress
	}
}

// ProgressOf is the progress of a run as the page reads it.
func ProgressOf(p *record.Progress) Progress {
	return Progress{
		State: string(p.State), Time: p.Time, RanksEnded: p.RanksEnded, Ranks: p.Ranks, Wall: p.Wall, Left: p.Left,
		Packets: p.Packets, PacketHops: p.PacketHops, Rate: p.Rate,
	}
}

// tables puts the tables into the report.
func (b *builder) tables() {
	b.put("links", b.linksTable())
	b.put("routers", b.routersTable())
	b.put("nics", b.nics)
	b.put("ranks", b.ranksTable())
	b.latencies()
	b.logs()
}

// put adds a table unless there is none.
func (b *builder) put(name string, f *frame) {
	if f != nil {
		b.run.Tables[name] = f.table(b.blobs, b.prefix+"."+name, b.note(name))
	}
}

// note tells what the report has left out of a table.
func (b *builder) note(name string) string {
	switch {
	case name == "links" && b.links.rows > mostLinks:
		return fmt.Sprintf("The %d links that carried most, of %d.", mostLinks, b.links.rows)
	case name == "ranks" && b.ranks.rows > mostRanks:
		return fmt.Sprintf("The %d ranks that ended last, of %d.", mostRanks, b.ranks.rows)
	}
	return ""
}

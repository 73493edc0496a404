package completion

import (
	"errors"
	"io"
	"math/bits"

	"fabricast/internal/histogram"
	"fabricast/internal/parquet"
	"fabricast/internal/plan"
	"fabricast/record"
)

// Schema is the name of the format of Times as JSON.
const Schema = "fabricast.flows/1"

// ErrNoMessages is the error of a result that has no messages.
var ErrNoMessages = errors.New("has no " + record.MessagesTable)

// ErrNoPackets is the error of a network model that has no packets.
var ErrNoPackets = errors.New("found a network model without packets, expected one with packets")

// Times are the completion times of the flows of a run.
type Times struct {
	Schema string  `json:"schema"`
	All    Class   `json:"all"`
	BySize []Class `json:"by_size"` // by ascending size, without classes that have no flows
	// Fixed: all flows between two hosts take the same route, or routes that take the same time. If
	// not, the time on an idle network is that of one of the routes.
	Fixed bool  `json:"fixed_routes"`
	Local int64 `json:"local_messages"` // messages within hosts, which are not counted
}

// Class is a class of flows by size. Percentiles are at most 0.4 % too low.
type Class struct {
	From       int64          `json:"from_bytes"` // smallest size
	To         int64          `json:"to_bytes"`   // smallest size above
	Flows      int64          `json:"flows"`
	Bytes      int64          `json:"payload_bytes"`
	Completion Figures[int64] `json:"completion_ps"`
	// Slowdown is the time divided by that on an idle network.
	Slowdown Figures[float64] `json:"slowdown"`

	times, slowdowns histogram.Histogram
}

// Figures sum up a distribution.
type Figures[T int64 | float64] struct {
	Mean T `json:"mean"`
	P50  T `json:"p50"`
	P95  T `json:"p95"`
	P99  T `json:"p99"`
	P999 T `json:"p99_9"`
	Max  T `json:"max"`
}

// Flow is a row of the table of flows.
type Flow struct {
	Message     int64   `parquet:"message"`
	Source      int32   `parquet:"source"` // as in messages.parquet
	Destination int32   `parquet:"destination"`
	Bytes       int64   `parquet:"payload_bytes"`
	Start       int64   `parquet:"send_ps"`
	Completion  int64   `parquet:"completion_ps"` // from send to delivery
	Idle        int64   `parquet:"idle_ps"`       // the same on an idle network
	Slowdown    float64 `parquet:"slowdown"`
}

// unit is a slowdown of 1 in histograms, which count integers.
const unit = 1_000_000

// Find reads the messages of the run in a folder. p is the plan of its experiment. If out is not
// nil, the flows are written to it as a Parquet table, in the order of their deliveries.
func Find(folder *record.Reader, p *plan.Plan, out io.Writer) (*Times, error) {
	if !folder.Has(record.MessagesTable) {
		return nil, ErrNoMessages
	}
	if p.Experiment.Network.Routerless() {
		return nil, ErrNoPackets
	}
	idle, fixed, err := idleOf(p)
	if err != nil {
		return nil, err
	}
	t := &Times{Schema: Schema, Fixed: fixed}
	var classes [bits.UintSize + 1]Class
	var table *parquet.Table[Flow]
	if out != nil {
		table = parquet.NewTable[Flow](out)
	}
	for m, err := range record.Rows[record.Message](folder, record.MessagesTable) {
		if err != nil {
			return nil, err
		}
		if m.Kind != record.MessageNetwork {
			t.Local++
			continue
		}
		alone, err := idle(m.SourceHost, m.DestinationHost, m.Bytes)
		if err != nil {
			return nil, err
		}
		flow := flowOf(&m, int64(beforeSend(p.Experiment, &m)+alone))
		t.All.count(&flow)
		classes[bits.Len64(uint64(m.Bytes))].count(&flow)
		if table != nil {
			if err := table.Write([]Flow{flow}); err != nil {
				return nil, err
			}
		}
	}
	t.sumUp(classes[:])
	if table != nil {
		return t, table.Close()
	}
	return t, nil
}

// flowOf returns the flow of a message that takes a time (ps) on an idle network.
func flowOf(m *record.Message, idle int64) Flow {
	took := m.Delivery - m.Send
	return Flow{
		Message: m.Message, Source: m.Source, Destination: m.Destination, Bytes: m.Bytes,
		Start: m.Send, Completion: took, Idle: idle, Slowdown: float64(took) / float64(max(idle, 1)),
	}
}

// count adds a flow to a class.
func (c *Class) count(f *Flow) {
	c.Flows++
	c.Bytes += f.Bytes
	c.times.Record(f.Completion)
	c.slowdowns.Record(int64(f.Slowdown * unit))
}

// sumUp fills in the figures of all flows, and of the classes by the number of bits of the size.
func (t *Times) sumUp(classes []Class) {
	t.BySize = []Class{}
	for size := range classes {
		c := &classes[size]
		if c.Flows == 0 {
			continue
		}
		if c.To = 1; size > 0 {
			c.From, c.To = 1<<(size-1), 1<<min(size, 62)
		}
		c.figures()
		t.BySize = append(t.BySize, *c)
	}
	if n := len(t.BySize); n > 0 {
		t.All.From, t.All.To = t.BySize[0].From, t.BySize[n-1].To
	}
	t.All.figures()
}

// figures computes the figures of a class.
func (c *Class) figures() {
	h := &c.times
	c.Completion = Figures[int64]{
		h.Mean(), h.Quantile(0.5), h.Quantile(0.95), h.Quantile(0.99), h.Quantile(0.999), h.Max(),
	}
	h = &c.slowdowns
	share := func(v int64) float64 { return float64(v) / unit }
	c.Slowdown = Figures[float64]{
		share(h.Mean()), share(h.Quantile(0.5)), share(h.Quantile(0.95)), share(h.Quantile(0.99)),
		share(h.Quantile(0.999)), share(h.Max()),
	}
}

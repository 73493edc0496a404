package why

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"fabricast/record"
)

// Schema is the schema name and version of a Path as JSON.
const Schema = "fabricast.why/1"

// Cause is what a segment of the path consists of.
type Cause string

// The causes.
const (
	Compute         Cause = "compute"          // the rank computes
	SendSoftware    Cause = "send-software"    // communication library: sends and one-sided operations
	ReceiveSoftware Cause = "receive-software" // communication library: everything else
	Polling         Cause = "polling"          // tests and probes that fail
	Network         Cause = "network"          // a message from its NIC into the receiver's memory
	Local           Cause = "local"            // a message between ranks of one host
	Request         Cause = "request"          // a rendezvous request on its way
	Data            Cause = "data"             // a rendezvous from the answer to the arrival of data
	NICRead         Cause = "nic-read"         // the rank's NIC reads its message, maybe after others
	NICTurn         Cause = "nic-turn"         // the rank's NIC cannot take the next message yet
	Match           Cause = "match"            // a synchronous send on its way to its receive
	OneSided        Cause = "one-sided"        // a one-sided operation, with its acknowledgement
	Noise           Cause = "noise"            // other processes have the rank's processor
	Start           Cause = "start"            // the rank has not started
	Traffic         Cause = "traffic"          // all ranks have ended, background traffic has not
	Unknown         Cause = "unknown"          // the log does not say
)

// Message is the message, or the one-sided operation, that a segment concerns.
type Message struct {
	// Number is the number of the message in other tables; 0 if it stayed on its host.
	Number      int64  `json:"message,omitempty"`
	Source      int32  `json:"source"` // world ranks
	Destination int32  `json:"destination"`
	Tag         int32  `json:"tag"`
	Bytes       int64  `json:"payload_bytes"`
	Send        int64  `json:"send_ps"` // time of the call
	Collective  string `json:"collective,omitempty"`
}

// Segment is a part of the critical path with one cause.
type Segment struct {
	Rank    int32    `json:"rank"` // that works; for a message that of its receiver
	Cause   Cause    `json:"cause"`
	Begin   int64    `json:"begin_ps"`
	End     int64    `json:"end_ps"`
	Time    int64    `json:"ps"`
	Message *Message `json:"message,omitempty"`
	// Parts divides the time that messages spend in the network. They sum to Time.
	Parts *Parts `json:"parts,omitempty"`

	// Flights are the messages of the segment whose whole way through the network is on the path.
	Flights []Flight `json:"-"`
	waited  int64    // ps: for which the rank has waited when the segment ends; 0 if it has polled
}

// Share is the part of the path with one cause, or on one rank.
type Share struct {
	Cause    Cause   `json:"cause,omitempty"`
	Rank     int32   `json:"rank"`
	Time     int64   `json:"ps"`
	Share    float64 `json:"share"` // of the predicted time
	Segments int     `json:"segments"`
}

// Path is the critical path of a run.
type Path struct {
	Schema    string `json:"schema"`
	Why       string `json:"why"` // the answer in a sentence
	Predicted int64  `json:"predicted_ps"`
	Sum       int64  `json:"sum_ps"`    // of all segments
	Last      int32  `json:"last_rank"` // the lowest of the ranks that end last
	// Ties is the number of waits on the path that another message would have ended at the same time.
	// The path follows the one that the model handles first.
	Ties     int       `json:"ties"`
	Causes   []Share   `json:"causes"`        // by descending time
	Ranks    []Share   `json:"ranks"`         // the ranks with the most work on the path
	Segments []Segment `json:"critical_path"` // from the beginning to the end
	// Parts sums the parts of all segments, by descending time.
	Parts []PartShare `json:"parts"`
	// Roots are the links at the roots of waits for other messages, by descending time; only with causes=full.
	Roots []Root `json:"roots,omitempty"`

	// Contended is the time on the path in which messages wait for others, or for NICs and answers.
	Contended   int64        `json:"contended_ps"`
	Derivatives []Derivative `json:"derivatives"`
	// Unranged says why no derivative has a range; empty if they may have.
	Unranged  string     `json:"unranged,omitempty"`
	Waits     *Waits     `json:"waits"`
	LateStart *LateStart `json:"late_start,omitempty"`
	// WhatIf are the changes that were asked for. WhatHelps are others, by descending gain.
	WhatIf    []Change `json:"what_if,omitempty"`
	WhatHelps []Change `json:"what_helps,omitempty"`
	Notes     []string `json:"notes,omitempty"`

	acknowledged bool // the network drops or pauses packets, so sends are complete when all is acknowledged
}

// Change is a run of a changed experiment.
type Change struct {
	Change string `json:"change"` // in words
	// FirstOrder is the time (ps) that the critical path predicts; nil if more changes than the
	// parameters that it tells of.
	FirstOrder *int64 `json:"first_order_ps,omitempty"`
	Exact      bool   `json:"exact"`  // FirstOrder is exact if the path stays critical, and meets no others
	Run        int64  `json:"run_ps"` // time that the run predicts
	Gain       int64  `json:"gain_ps"`
}

// ErrNoCauses reports a folder without the log of causes.
var ErrNoCauses = errors.New("holds no causes, which tell what ranks waited for")

// ErrNoRanks reports a result of synthetic traffic.
var ErrNoRanks = errors.New("is of synthetic traffic, which has no ranks: a critical path is that of a program")

// errNotEnded reports a folder without a result of a run that came to its end.
var errNotEnded = errors.New("holds no result of a run that has ended")

// Absent reports whether an error of Find says that the run has no critical path, or that it was
// not recorded. Otherwise the folder is damaged.
func Absent(err error) bool {
	return errors.Is(err, ErrNoCauses) || errors.Is(err, ErrNoRanks) || errors.Is(err, errNotEnded)
}

// outcome is the part of result.json that a path needs.
type outcome struct {
	State     string `json:"state"`
	Predicted int64  `json:"simulated_time_ps"`
	Ranks     int    `json:"ranks"`
	Slowest   int32  `json:"slowest_rank"`
	RankEnd   struct {
		Max int64 `json:"max"`
	} `json:"rank_end_ps"`
	Congestion json.RawMessage `json:"congestion"` // of a network that drops or pauses packets
}

// Find returns the critical path of the run in a result folder.
func Find(folder *record.Reader) (*Path, error) {
	var of outcome
	switch err := json.Unmarshal(folder.Result(), &of); {
	case folder.Result() == nil:
		return nil, errNotEnded
	case err != nil:
		return nil, err
	case of.State != "":
		return nil, fmt.Errorf("%w: it was %s", errNotEnded, of.State)
	case of.Ranks == 0:
		return nil, ErrNoRanks
	case !folder.Has(record.StepsTable):
		return nil, ErrNoCauses
	}
	if of.Slowest >= int32(of.Ranks) {
		return nil, errors.New("is damaged: it has no rank that ended last")
	}
	p, err := of.path(folder, of.Slowest)
	if err != nil {
		return nil, err
	}
	p.Why = p.sentence()
	return p, p.findWaits(folder)
}

// FindOf returns the path of another rank that ends at the same time as the last one, without
// sentences and waits.
func FindOf(folder *record.Reader, rank int32) (*Path, error) {
	var of outcome
	if err := json.Unmarshal(folder.Result(), &of); err != nil {
		return nil, err
	}
	return of.path(folder, rank)
}

// path returns the path from the end of a rank, which is the end of the last one.
func (of *outcome) path(folder *record.Reader, rank int32) (*Path, error) {
	p := &Path{
		Schema: Schema, Predicted: of.Predicted, Last: rank, Derivatives: []Derivative{}, acknowledged: of.Congestion != nil,
	}
	w, err := newWalk(folder, of.Ranks)
	if err != nil {
		return nil, err
	}
	defer w.close()
	w.add(Traffic, rank, of.RankEnd.Max, of.Predicted, nil)
	if err := w.back(rank, of.RankEnd.Max); err != nil {
		return nil, err
	}
	slices.Reverse(w.segments)
	p.Segments, p.Ties = append([]Segment{}, w.segments...), w.ties // a list, if an empty one
	p.sumUp()
	return p, p.divide(folder, w.hosts)
}

// sumUp computes the sums over segments.
func (p *Path) sumUp() {
	causes, ranks := map[Cause]*Share{}, map[int32]*Share{}
	for i := range p.Segments {
		s := &p.Segments[i]
		s.Time = s.End - s.Begin
		p.Sum += s.Time
		if causes[s.Cause] == nil {
			causes[s.Cause] = &Share{Cause: s.Cause, Rank: -1}
		}
		causes[s.Cause].add(s)
		if !s.Cause.work() {
			continue
		}
		if ranks[s.Rank] == nil {
			ranks[s.Rank] = &Share{Rank: s.Rank}
		}
		ranks[s.Rank].add(s)
	}
	p.Causes = p.shares(causes)
	if p.Ranks = sharesOf(p, ranks); len(p.Ranks) > mostRanks {
		p.Ranks = p.Ranks[:mostRanks]
	}
}

// mostRanks is the largest number of ranks in Path.Ranks.
const mostRanks = 10

// work reports whether a rank is busy with what has this cause.
func (c Cause) work() bool {
	switch c {
	case Compute, SendSoftware, ReceiveSoftware, Polling, Noise:
		return true
	}
	return false
}

func (s *Share) add(of *Segment) {
	s.Time += of.Time
	s.Segments++
}

func (p *Path) shares(of map[Cause]*Share) []Share { return sharesOf(p, of) }

// sharesOf returns the shares by descending time.
func sharesOf[K comparable](p *Path, of map[K]*Share) []Share {
	list := make([]Share, 0, len(of))
	for _, s := range of {
		s.Share = float64(s.Time) / float64(max(1, p.Predicted))
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Rank, b.Rank),
			cmp.Compare(a.Cause, b.Cause))
	})
	return list
}

// Derivative tells how the predicted time depends on a parameter, by what the path counts. It holds
// as long as the path stays the critical one, and its messages do not meet others.
type Derivative struct {
	Parameter string `json:"parameter"`
	Unit      string `json:"unit"` // of Count
	// Count is what the path has of it: calls, links, routers, bytes, or ps of computation.
	Count int64 `json:"count"`
	Time  int64 `json:"ps"`      // of the path that it takes
	More  int64 `json:"more_ps"` // growth of the predicted time if the parameter is 1 % greater
	Less  int64 `json:"less_ps"` // and if it is 1 % less
	// Exact is false if part of the path's time is estimated: messages that wait are taken to wait for
	// shorter if packets take less time.
	Exact bool `json:"exact"`
	// Range has the values between which the path certainly stays critical, and the prediction of a
	// change exact; nil if that cannot be told. It may be narrower than it could be.
	Range *Range `json:"range,omitempty"`
}

// ParameterCompute is the derivative by the duration of all computations.
const ParameterCompute = "computation"

// Range are the values of a parameter between which a derivative holds for certain.
type Range struct {
	From int64  `json:"from"`
	To   int64  `json:"to"`
	Unit string `json:"unit"` // ps or bytes/s
}

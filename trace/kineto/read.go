package kineto

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"fabricast/internal/input"
	"fabricast/trace"
	"fabricast/trace/torch"
)

// profile is the profile of a rank.
type profile struct {
	path        string
	rank, world int
	groups      map[string][]int32 // by name, as distributedInfo lists them
	kernels     []kernel           // by start
	uses        []int32            // groups of its collectives, but for the world
	messages    bool               // it has some
	calls       map[int64]*call    // of record_param_comms, by External id
	pending     map[int]int64      // External id of kernels of collectives without sizes of their own
}

// kernel is a kernel, or a copy or a fill of the accelerator's memory.
type kernel struct {
	name       string
	start, end int64 // ns
	stream     int64
	call       *call // nil unless it is one of a collective
	unknown    bool  // a collective of which nothing else is known
}

// call is the collective of a kernel.
type call struct {
	torch.Call
	at            int64 // offset in the file
	group         string
	ranks         []int32
	whole         bool // ranks are all
	size          int  // ranks of the group; 0: not stated
	first, stride int  // of the group's ranks; 0: not stated
}

func (p *profile) fail(at int64, what, found, expected string) error {
	return &trace.Error{File: p.path, Offset: at, What: what, Found: found, Expected: expected}
}

// readProfile reads a profile.
func readProfile(path string) (*profile, error) {
	in, err := trace.OpenUnzipped(path, 1<<18)
	if err != nil {
		return nil, err
	}
	p := &profile{
		path: path, groups: map[string][]int32{}, calls: map[int64]*call{}, pending: map[int]int64{}, world: 1,
	}
	r := reader{profile: p, in: json.NewDecoder(in)}
	if err := r.read(); err != nil {
		return nil, r.wrong(err)
	}
	for i, id := range p.pending {
		if c := p.calls[id]; c != nil {
			copied := *c
			p.kernels[i].call, p.kernels[i].unknown = &copied, false
		}
	}
	p.calls, p.pending = nil, nil
	slices.SortStableFunc(p.kernels, func(a, b kernel) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.stream, b.stream))
	})
	return p, p.bounded()
}

// longest is the longest time (ns) from the first kernel of a profile to the end of another, and of a
// kernel. The start of the first one may be any: in profiles of any age it is a time since 1970, since
// the program was loaded or since one of the times that are three months apart.
const longest = 1 << 52

// bounded returns an error if the profile is too long.
func (p *profile) bounded() error {
	for i := range p.kernels {
		if k := &p.kernels[i]; k.end-p.kernels[0].start > longest {
			return p.fail(0, "ts", fmt.Sprintf("%s, %d ns after the first kernel", trace.Quoted(k.name), k.end-p.kernels[0].start),
				fmt.Sprintf("at most %d ns", int64(longest)))
		}
	}
	return nil
}

// reader reads the JSON of a profile.
type reader struct {
	*profile
	in *json.Decoder
}

// wrong gives an error of the decoder its place.
func (r *reader) wrong(err error) error {
	var placed *trace.Error
	var refused *input.Error
	if errors.As(err, &placed) || errors.As(err, &refused) {
		return err
	}
	found := err.Error()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		found = "the end of the file"
	}
	return r.fail(max(1, r.in.InputOffset()), "JSON", found, "an object with traceEvents")
}

func (r *reader) read() error {
	if t, err := r.in.Token(); err != nil || t != json.Delim('{') {
		return errors.Join(err, r.fail(1, "JSON", fmt.Sprint(t), "an object"))
	}
	found := false
	for r.in.More() {
		key, err := r.in.Token()
		if err != nil {
			return err
		}
		switch key {
		case "distributedInfo":
			err = r.distributed()
		case "traceEvents":
			found, err = true, r.events()
		default:
			var skipped json.RawMessage
			err = r.in.Decode(&skipped)
		}
		if err != nil {
			return err
		}
	}
	if _, err := r.in.Token(); err != nil {
		return err
	}
	if !found {
		return r.fail(0, "profile", "no traceEvents", "a list of them")
	}
	return nil
}

// distributed reads which rank the profile is of, and the process groups.
func (r *reader) distributed() error {
	var info struct {
		Rank   *int `json:"rank"`
		World  *int `json:"world_size"`
		Groups []struct {
			Name  string  `json:"pg_name"`
			Ranks []int32 `json:"ranks"`
		} `json:"pg_config"`
	}
	at := r.in.InputOffset()
	if err := r.in.Decode(&info); err != nil {
		return err
	}
	const most = 1 << 17
	if info.Rank != nil && info.World != nil {
		if r.rank, r.world = *info.Rank, *info.World; r.rank < 0 || r.world < 1 || r.world > most || r.rank >= r.world {
			return r.fail(at, "distributedInfo", fmt.Sprintf("rank %d of %d", r.rank, r.world), "a rank below world_size")
		}
	}
	for _, g := range info.Groups {
		r.profile.groups[g.Name] = g.Ranks
	}
	return nil
}

// event is what is read of an event.
type event struct {
	Phase    string                     `json:"ph"`
	Category string                     `json:"cat"`
	Name     string                     `json:"name"`
	Start    json.Number                `json:"ts"`
	Duration json.Number                `json:"dur"`
	Thread   json.RawMessage            `json:"tid"`
	Args     map[string]json.RawMessage `json:"args"`
}

func (r *reader) events() error {
	if t, err := r.in.Token(); err != nil || t != json.Delim('[') {
		return errors.Join(err, r.fail(r.in.InputOffset(), "traceEvents", fmt.Sprint(t), "a list"))
	}
	for r.in.More() {
		at := r.in.InputOffset()
		var raw json.RawMessage
		if err := r.in.Decode(&raw); err != nil {
			return err
		}
		var e event
		if err := json.Unmarshal(raw, &e); err != nil {
			if !wanted(raw) {
				continue
			}
			return r.fail(at, "event", err.Error(), "an event of the format Trace Event")
		}
		if err := r.event(at, &e); err != nil {
			return err
		}
	}
	_, err := r.in.Token()
	return err
}

// wanted reports whether an event that is no object of the usual kind may be one of a kernel.
func wanted(raw json.RawMessage) bool { return strings.Contains(string(raw), `"kernel"`) }

// onAccelerator reports whether a category is that of work of the accelerator, in profiles of any age.
func onAccelerator(category string) bool {
	switch strings.TrimPrefix(strings.ToLower(category), "gpu_") {
	case "kernel", "memcpy", "memset":
		return true
	}
	return false
}

func (r *reader) event(at int64, e *event) error {
	switch {
	case e.Name == "record_param_comms" && len(e.Args) > 0:
		c, err := r.call(at, e.Args)
		if id, ok := number(e.Args["External id"]); ok && c != nil {
			r.calls[int64(id)] = c
		}
		return err
	case e.Phase != "X" || !onAccelerator(e.Category):
		return nil
	}
	const latest = 1 << 61 // ns
	start, err := r.time(at, "ts", e.Start, -latest, latest)
	if err != nil {
		return err
	}
	duration, err := r.time(at, "dur", e.Duration, 0, longest)
	if err != nil {
		return err
	}
	k := kernel{name: e.Name, start: start, end: start + duration}
	for _, text := range []json.RawMessage{e.Args["stream"], e.Thread} {
		if v, ok := number(text); ok {
			k.stream = int64(v)
			break
		}
	}
	if k.call, err = r.call(at, e.Args); err != nil {
		return err
	}
	lower := strings.ToLower(e.Name)
	if k.call == nil && (strings.HasPrefix(lower, "nccl") || strings.HasPrefix(lower, "rccl")) {
		k.unknown = true
		if id, ok := number(e.Args["External id"]); ok {
			r.pending[len(r.kernels)] = int64(id)
		}
	}
	r.kernels = append(r.kernels, k)
	return nil
}

// time parses a time in us as ns, from least to most.
func (r *reader) time(at int64, what string, text json.Number, least, most float64) (int64, error) {
	us, err := strconv.ParseFloat(string(text), 64)
	if err != nil || us*1000 < least || us*1000 > most {
		return 0, r.fail(at, what, trace.Quoted(string(text)), "a time in us")
	}
	whole, part := math.Modf(us) // times since 1970 in ns have more digits than a float64
	return int64(whole)*1000 + int64(math.Round(part*1000)), nil
}

// number parses a number, which may be in quotes.
func number(text json.RawMessage) (float64, bool) {
	v, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	return v, err == nil
}

// text parses a string; others are taken as they are.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return strings.Trim(s, `"`)
	}
	return string(raw)
}

// call reads the collective of an event, nil if it has none.
func (r *reader) call(at int64, args map[string]json.RawMessage) (*call, error) {
	name, found := args["Collective name"]
	if !found {
		return nil, nil
	}
	c := &call{at: at, group: text(args["Process Group Name"])}
	c.Name, c.Peer = text(name), -1
	element := int64(1)
	if given := text(args["dtype"]); given != "" {
		var known bool
		if element, known = torch.ElementSize(given); !known {
			return nil, r.fail(at, "dtype", strconv.Quote(given), "a type of PyTorch, such as Float or BFloat16")
		}
	}
	var err error
	whole := func(key string, least, most int64) (n int64) {
		if v, ok := number(args[key]); ok && err == nil {
			if n = int64(v); v < float64(least) || v > float64(most) || float64(n) != v {
				err = r.fail(at, key, string(args[key]), fmt.Sprintf("a whole number from %d to %d", least, most))
			}
		}
		return n
	}
	const elements, ranks = 1 << 48, 1 << 24
	c.In, c.Out = element*whole("In msg nelems", 0, elements), element*whole("Out msg nelems", 0, elements)
	c.size = int(whole("Group size", 0, ranks))
	c.first, c.stride = int(whole("Global rank start", -1, ranks)), int(whole("Global rank stride", -1, ranks))
	for _, key := range []string{"Src Rank", "Dst Rank"} {
		if _, stated := args[key]; stated {
			c.Peer = int32(whole(key, 0, ranks))
		}
	}
	if err != nil {
		return nil, err
	}
	if c.ranks, c.whole, err = torch.ParseRanks(text(args["Process Group Ranks"])); err != nil {
		return nil, r.fail(at, "Process Group Ranks", trace.Quoted(text(args["Process Group Ranks"])), err.Error())
	}
	if json.Unmarshal([]byte(text(args["In split size"])), &c.Split) != nil {
		c.Split = nil // a list that is cut off: parts are taken to be equal
	}
	return c, nil
}

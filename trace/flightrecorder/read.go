package flightrecorder

import (
	"bufio"
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

// dump is the dump of a rank.
type dump struct {
	path    string
	rank    int
	world   int // one more than the highest rank of its groups
	value   dict
	groups  map[string][]int32 // the ranks of process groups by their names
	entries []entry            // in the order of their creation
}

// entry is a collective, send or receive.
type entry struct {
	call    torch.Call
	group   string  // its name
	ranks   []int32 // of the group
	number  int64   // of a collective among those of its group
	created int64   // ns
	message bool    // a send or receive
	alone   bool    // a collective that not all ranks of its group have
}

// Bounds of what dumps may have.
const (
	mostRanks = 1 << 24
	mostBytes = 1 << 50
	mostTime  = 1 << 62 // ns
	longest   = 1 << 52 // ns between collectives
)

func (d *dump) fail(what, found, expected string) error {
	return &trace.Error{File: d.path, What: what, Found: found, Expected: expected}
}

func (d *dump) entryFail(i int, field, found, expected string) error {
	return d.fail(fmt.Sprintf("entries[%d].%s", i, field), found, expected)
}

// readDump reads a dump.
func readDump(path string) (*dump, error) {
	in, err := trace.OpenUnzipped(path, 1<<18)
	if err != nil {
		return nil, err
	}
	d := &dump{path: path, world: 1}
	if err := d.parse(bufio.NewReader(in)); err != nil {
		return nil, err
	}
	version, _ := d.value["version"].(string)
	if !strings.HasPrefix(version, "2.") {
		return nil, d.fail("version", trace.Quoted(version), "2.x")
	}
	if d.groups, err = d.config(); err != nil {
		return nil, err
	}
	entries, _ := d.value["entries"].(*list)
	if entries == nil {
		return nil, d.fail("entries", "none", "a list of collectives (the dump must include them)")
	}
	for i, v := range entries.items {
		if err := d.entry(i, v); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(d.entries, func(a, b entry) int { return cmp.Compare(a.created, b.created) })
	if n := len(d.entries); n > 0 && d.entries[n-1].created-d.entries[0].created > longest {
		return nil, d.fail("time_created_ns", fmt.Sprintf("from %d to %d", d.entries[0].created, d.entries[n-1].created),
			fmt.Sprintf("times at most %d ns apart", int64(longest)))
	}
	return d, nil
}

// parse reads the values of a dump.
func (d *dump) parse(in *bufio.Reader) error {
	first, err := in.Peek(1)
	if err != nil && err != io.EOF {
		return err
	}
	var value any
	var at int64
	expected := expectedOfPickles
	if len(first) > 0 && first[0] == opProtocol {
		value, err = unpickle(in)
	} else {
		j := json.NewDecoder(in)
		j.UseNumber()
		expected = "JSON"
		err = j.Decode(&value)
		if wrong := (*json.SyntaxError)(nil); errors.As(err, &wrong) {
			at = wrong.Offset
		}
		value = plain(value)
	}
	var refused *input.Error
	var of *pickleError
	switch {
	case errors.As(err, &refused):
		return err
	case errors.As(err, &of):
		return &trace.Error{File: d.path, Offset: of.at, What: "pickle", Found: of.found, Expected: expected}
	case err != nil:
		return &trace.Error{File: d.path, Offset: at, What: "dump", Found: err.Error(), Expected: expected}
	}
	var is bool
	if d.value, is = value.(dict); !is {
		return d.fail("dump", "no dictionary", "one with version, pg_config and entries")
	}
	return nil
}

// plain returns a value of JSON as a pickle has it.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		d := dict{}
		for key, of := range v {
			d[key] = plain(of)
		}
		return d
	case []any:
		l := &list{items: make([]any, len(v))}
		for i := range v {
			l.items[i] = plain(v[i])
		}
		return l
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	}
	return v
}

// numbers returns a list of whole numbers.
func numbers(v any) (ns []int64, right bool) {
	l, is := v.(*list)
	if !is {
		return nil, false
	}
	for _, item := range l.items {
		n, is := item.(int64)
		if !is {
			return nil, false
		}
		ns = append(ns, n)
	}
	return ns, true
}

// config returns the ranks of process groups by their names.
func (d *dump) config() (map[string][]int32, error) {
	config, _ := d.value["pg_config"].(dict)
	of := map[string][]int32{}
	for name, v := range config {
		g, _ := v.(dict)
		fail := func(found string) error {
			return d.fail(fmt.Sprintf("pg_config[%q].ranks", name), found, "all ranks, such as [0, 1]")
		}
		var ranks []int32
		switch list := g["ranks"].(type) {
		case string:
			parsed, whole, err := torch.ParseRanks(list)
			if err != nil || !whole {
				return nil, fail(trace.Quoted(list))
			}
			ranks = parsed
		default:
			ns, right := numbers(list)
			if !right {
				return nil, fail("no list")
			}
			for _, n := range ns {
				ranks = append(ranks, int32(max(-1, min(n, math.MaxInt32))))
			}
		}
		for _, r := range ranks {
			if r < 0 || r >= mostRanks {
				return nil, fail(fmt.Sprint("rank ", r))
			}
			d.world = max(d.world, int(r)+1)
		}
		of[name] = ranks
	}
	return of, nil
}

// entry reads entry i.
func (d *dump) entry(i int, v any) error {
	from, is := v.(dict)
	if !is {
		return d.fail(fmt.Sprintf("entries[%d]", i), "no dictionary", "a collective")
	}
	name, is := from["profiling_name"].(string)
	if !is {
		return d.entryFail(i, "profiling_name", "none", "a name, such as nccl:all_reduce")
	}
	if strings.HasSuffix(name, ":coalesced") {
		return nil // joins entries before it
	}
	e := entry{call: torch.Call{Name: strings.TrimPrefix(name, "nccl:"), Peer: -1}}
	if pair, _ := from["process_group"].(*list); pair != nil && len(pair.items) > 0 {
		e.group, _ = pair.items[0].(string)
	}
	known := false
	if e.ranks, known = d.groups[e.group]; !known {
		return d.entryFail(i, "process_group", strconv.Quote(e.group), "a group of pg_config")
	}
	var right bool
	if e.created, right = from["time_created_ns"].(int64); !right || e.created < 0 || e.created > mostTime {
		return d.entryFail(i, "time_created_ns", "no time", "ns as a whole number")
	}
	e.number, right = from["collective_seq_id"].(int64)
	if e.message = e.peer(); !right && !e.message {
		return d.entryFail(i, "collective_seq_id", "none", "a whole number")
	}
	for _, of := range []struct {
		to    *int64
		which string
	}{{&e.call.In, "input"}, {&e.call.Out, "output"}} {
		if *of.to, right = bytesOf(from[of.which+"_sizes"], from[of.which+"_dtypes"]); !right {
			return d.entryFail(i, of.which+"_sizes", "no size", "sizes of tensors, and as many known "+of.which+"_dtypes")
		}
	}
	d.entries = append(d.entries, e)
	return nil
}

// peer reports whether an entry is a send or receive, and finds its other end, as in "send 0->1" and
// "recv 1<-0", whose numbers are those in the group.
func (e *entry) peer() bool {
	kind, ends, _ := strings.Cut(e.call.Name, " ")
	if kind != "send" && kind != "recv" {
		return false
	}
	for _, arrow := range []string{"->", "<-"} {
		if _, other, found := strings.Cut(ends, arrow); found {
			if n, err := strconv.Atoi(strings.TrimSpace(other)); err == nil && n >= 0 && n < len(e.ranks) {
				e.call.Peer = e.ranks[n]
			}
		}
	}
	return true
}

// bytesOf returns the size of tensors together.
func bytesOf(sizes, types any) (bytes int64, right bool) {
	tensors, is := sizes.(*list)
	if !is {
		return 0, false
	}
	names, _ := types.(*list)
	for i, v := range tensors.items {
		dims, right := numbers(v)
		if !right || names == nil || i >= len(names.items) {
			return 0, false
		}
		name, _ := names.items[i].(string)
		n, known := torch.ElementSize(name)
		for _, k := range dims {
			if k < 0 || k > 0 && n > mostBytes/k {
				return 0, false
			}
			n *= k
		}
		if bytes += n; !known || bytes > mostBytes {
			return 0, false
		}
	}
	return bytes, true
}

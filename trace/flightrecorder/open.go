package flightrecorder

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fabricast/internal/pattern"
	"fabricast/trace"
	"fabricast/trace/torch"
)

// Name is the name of the format.
const Name = "NCCL flight recorder"

// marks are keys near the beginning of a dump.
var marks = []string{"pg_config", "pg_status", "collective_seq_id", "nccl_version", "comm_lib_version", "nccl_comm_state"}

// profiles are keys of Kineto's profiles, which have some of the marks, too.
var profiles = []string{"distributedInfo", "schemaVersion", "traceEvents"}

// Is reports whether begin is the start of a dump.
func Is(begin []byte) bool {
	text := bytes.TrimLeft(trace.Unzipped(begin), " \r\n\t")
	if len(text) < 2 || text[0] != '{' && (text[0] != opProtocol || text[1] > 5) {
		return false
	}
	in := func(mark string) bool { return bytes.Contains(text, []byte(mark)) }
	return slices.ContainsFunc(marks, in) && !slices.ContainsFunc(profiles, in)
}

// dumps is an opened trace, which is in memory.
type dumps struct {
	groups *torch.Groups
	ranks  []*dump
}

// Open opens the dumps of all ranks. path is one of them, or the folder with them.
func Open(path string) (trace.Graph, error) {
	files, err := torch.Siblings(path, Is)
	if err != nil {
		return nil, err
	}
	of, ranks, world := map[string]*dump{}, []int{}, 1
	for _, file := range files {
		d, err := readDump(file)
		if err != nil {
			return nil, err
		}
		if d.rank, err = d.whose(len(files)); err != nil {
			return nil, err
		}
		of[file], ranks, world = d, append(ranks, d.rank), max(world, d.world)
	}
	if files, err = torch.ByRank(files, ranks, world); err != nil {
		return nil, err
	}
	t := &dumps{groups: torch.NewGroups(world)}
	for _, file := range files {
		if err := of[file].join(t.groups); err != nil {
			return nil, err
		}
		t.ranks = append(t.ranks, of[file])
	}
	t.cut()
	return t, nil
}

// lastNumber finds the last number of a file's name.
var lastNumber = pattern.Lazy(`(\d+)\D*$`)

// whose returns the rank of a dump: what it says, or else the last number of its file's name.
func (d *dump) whose(files int) (int, error) {
	if n, is := d.value["rank"].(int64); is && n >= 0 && n < mostRanks {
		return int(n), nil
	}
	name := filepath.Base(d.path)
	for _, ending := range []string{".gz", ".json", ".pickle", ".pkl", ".bin"} {
		name = strings.TrimSuffix(name, ending)
	}
	m := lastNumber().FindStringSubmatch(name)
	switch n, err := strconv.Atoi(strings.Join(m[min(len(m), 1):], "")); {
	case err == nil && n < mostRanks:
		return n, nil
	case files == 1 && d.world == 1:
		return 0, nil
	}
	return 0, d.fail("name of the file", strconv.Quote(filepath.Base(d.path)), "the rank as its last number")
}

// join finds the groups of a dump's entries.
func (d *dump) join(groups *torch.Groups) error {
	own := groups.Own()
	for name, ranks := range d.groups {
		own.Note(name, ranks)
	}
	for i := range d.entries {
		e := &d.entries[i]
		index, right := own.Add(e.group, e.ranks)
		if !right {
			return d.entryFail(i, "process_group", fmt.Sprint(e.ranks), fmt.Sprintf("ranks below %d, each once", groups.Ranks))
		}
		e.call.Group, e.call.Size = index, groups.Size(index)
	}
	return nil
}

// interval is a range of the numbers of collectives.
type interval struct{ first, last int64 }

// cut marks the collectives that not all ranks of their groups have: a dump holds the latest ones,
// and ranks write them at different moments.
func (t *dumps) cut() {
	common := make([]interval, len(t.groups.Lists))
	members := make([]int, len(common))
	for _, d := range t.ranks {
		own := map[int32]interval{}
		for i := range d.entries {
			if e := &d.entries[i]; !e.message {
				at, known := own[e.call.Group]
				if !known {
					at = interval{e.number, e.number}
				}
				own[e.call.Group] = interval{min(at.first, e.number), max(at.last, e.number)}
			}
		}
		for group, at := range own {
			if is := &common[group]; members[group] == 0 {
				*is = at
			} else {
				*is = interval{max(is.first, at.first), min(is.last, at.last)}
			}
			members[group]++
		}
	}
	for _, d := range t.ranks {
		for i := range d.entries {
			e := &d.entries[i]
			of := common[e.call.Group]
			e.alone = !e.message && (members[e.call.Group] < e.call.Size || e.number < of.first || e.number > of.last)
		}
	}
}

// Format implements trace.Trace.
func (t *dumps) Format() string { return Name }

// Ranks implements trace.Trace.
func (t *dumps) Ranks() int { return len(t.ranks) }

// Groups implements trace.Trace.
func (t *dumps) Groups() [][]int32 { return t.groups.Lists }

// OpenTasks implements trace.Graph.
func (t *dumps) OpenTasks(rank int) (trace.TaskStream, error) {
	l, d := &trace.TaskList{}, t.ranks[rank]
	begin, before := int64(-1), []int64(nil)
	for i := range d.entries {
		e := &d.entries[i]
		if e.alone {
			l.Tasks = append(l.Tasks, trace.Task{
				Kind: trace.TaskNothing, Skipped: e.call.Name + " that not all ranks of its group have",
			})
			continue
		}
		if begin < 0 {
			begin = e.created
		}
		at := max(0, e.created-begin) * picoseconds
		until := int64(len(l.Tasks))
		task := trace.Task{Name: e.call.Name, After: []int64{until}}
		e.call.Task(&task)
		l.Tasks = append(l.Tasks, trace.Task{Kind: trace.TaskUntil, Duration: at, After: before}, task)
		before, l.Span = []int64{until}, max(l.Span, at)
	}
	return l, nil
}

// picoseconds in a nanosecond.
const picoseconds = 1000

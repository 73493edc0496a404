package export

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"fabricast/record"
)

var _ = register(30, Format{Name: "paraver", Ending: ".prv", Files: paraverFiles, write: paraver})

// paraverStates maps states of ranks to Paraver's numbers.
var paraverStates = map[string]int{
	record.StateCompute: 1, record.StateReceiveWait: 3, record.StateSend: 4,
	record.StateOverhead: 7, record.StateWait: 8,
}

const paraverIdle = 0

// paraverCollectives is the type of Paraver events that mark the collective a rank is in.
const paraverCollectives = 50000002

func paraverFiles(name string) []string {
	base := strings.TrimSuffix(name, ".prv")
	return []string{base + ".prv", base + ".pcf", base + ".row"}
}

// paraver writes the three files of a Paraver trace: records in order of time, in nanoseconds;
// names of states and events; and names of rows. Spans shorter than a nanosecond are left out.
func paraver(r *record.Reader, to []io.Writer) error {
	n, err := ranks(r)
	if err != nil {
		return err
	}
	p := &paraverTrace{collectives: []string{""}, sorter: newSorter(inMemory)}
	defer p.close()
	if err := p.collect(r, n); err != nil {
		return err
	}
	w := bufio.NewWriter(to[0])
	fmt.Fprintf(w, "#Paraver (01/01/2026 at 00:00):%d_ns:1(%d):1:%d(%s)\n", nanos(p.end), n, n, tasks(n))
	if err := p.write(w); err != nil {
		return err
	}
	if err := p.names(to[1]); err != nil {
		return err
	}
	return paraverRows(to[2], n)
}

type paraverTrace struct {
	*sorter
	collectives []string
	end         int64 // ps
}

func nanos(ps int64) int64 { return ps / 1000 }

// tasks lists, in Paraver's notation, one thread on the same node for each of n ranks.
func tasks(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = "1:1"
	}
	return strings.Join(list, ",")
}

func (p *paraverTrace) collect(r *record.Reader, n int) error {
	within := make([]int, n)
	err := spans(r, func(s *record.Span) error {
		p.end = max(p.end, s.End)
		task := s.Rank + 1
		if nanos(s.Begin) < nanos(s.End) {
			p.line(
				s.Begin, "1:%d:1:%d:1:%d:%d:%d", task, task, nanos(s.Begin), nanos(s.End),
				paraverStates[s.State],
			)
		}
		if c := p.collective(s.Collective); c != within[s.Rank] {
			within[s.Rank] = c
			p.line(s.Begin, "2:%d:1:%d:1:%d:%d:%d", task, task, nanos(s.Begin), paraverCollectives, c)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return messages(r, func(_ int, m *record.Message) error {
		from, into := m.Source+1, m.Destination+1
		p.end = max(p.end, m.Delivery)
		p.line(m.Send, "3:%d:1:%d:1:%d:%d:%d:1:%d:1:%d:%d:%d:%d", from, from, nanos(m.Send), nanos(m.Send),
			into, into, nanos(m.Delivery), nanos(m.Delivery), m.Bytes, m.Tag)
		return nil
	})
}

func (p *paraverTrace) line(at int64, format string, args ...any) {
	p.add(nanos(at), func(to []byte) []byte { return fmt.Appendf(to, format, args...) })
}

// collective returns the number of a collective; 0 for "", outside of collectives.
func (p *paraverTrace) collective(name string) int {
	i := slices.Index(p.collectives, name)
	if i < 0 {
		i = len(p.collectives)
		p.collectives = append(p.collectives, name)
	}
	return i
}

// names writes the file with the names of states and events.
func (p *paraverTrace) names(to io.Writer) error {
	w := bufio.NewWriter(to)
	fmt.Fprint(w, "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n\nSTATES\n")
	fmt.Fprintf(w, "%d    Idle\n", paraverIdle)
	for _, s := range []string{
		record.StateCompute, record.StateReceiveWait, record.StateSend, record.StateOverhead, record.StateWait,
	} {
		fmt.Fprintf(w, "%d    %s\n", paraverStates[s], s)
	}
	fmt.Fprintf(w, "\nEVENT_TYPE\n9    %d    Collective\nVALUES\n0    none\n", paraverCollectives)
	for i, name := range p.collectives[1:] {
		fmt.Fprintf(w, "%d    %s\n", i+1, name)
	}
	return w.Flush()
}

// paraverRows writes the file with the names of rows.
func paraverRows(to io.Writer, n int) error {
	w := bufio.NewWriter(to)
	fmt.Fprintf(w, "LEVEL THREAD SIZE %d\n", n)
	for i := range n {
		fmt.Fprintf(w, "rank %d\n", i)
	}
	return w.Flush()
}
